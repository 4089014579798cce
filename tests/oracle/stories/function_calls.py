"""Stories about calling a custom Function: keywords, instances nobody should make, what ``ctx`` lets people overwrite."""

from __future__ import annotations

import warnings
from typing import Any


def keywords_go_to_their_places_and_leave_no_gap(torch: Any, say: Any) -> None:
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any, factor: float = 2.0) -> Any:
            say(len(ctx.needs_input_grad), factor)
            return x * factor + y

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return (gradient, gradient * 3, None)[: len(ctx.needs_input_grad)]

    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    say(torch.autograd.grad(Scale.apply(y=y, x=x).sum(), (x, y)))
    say(torch.autograd.grad(Scale.apply(x, y, factor=5.0).sum(), (x, y)))
    say.error(lambda: Scale.apply(x, bad=y))
    say.error(lambda: Scale.apply(x, y, y=y))
    say.error(lambda: Scale.apply(x, x=y, bad=y))
    say.error(lambda: Scale.apply(x, factor=1.0))
    say.error(lambda: Scale.apply(y=y))
    say.error(lambda: Scale.apply(x, y, ctx=1))


def keywords_of_a_function_without_ctx_are_bound_with_their_defaults(torch: Any, say: Any) -> None:
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(x: Any, factor: float = 2.0) -> Any:
            return x * factor

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            say(len(inputs))
            ctx.factor = inputs[1]

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient * ctx.factor, None

    x = torch.ones(2, requires_grad=True)
    say(torch.autograd.grad(Scale.apply(x, factor=3.0).sum(), x), torch.autograd.grad(Scale.apply(x).sum(), x))
    say.error(lambda: Scale.apply(x, bad=1))
    say.error(lambda: Scale.apply(x, x=x))


def an_instance_is_a_node_that_stands_in_no_graph(torch: Any, say: Any) -> None:
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient

    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        made = Same()
    hooked = torch.ones(1, requires_grad=True)
    hooked._backward_hooks = {}
    made._register_hook_dict(hooked)
    say(made.name(), made.next_functions, made._input_metadata, made.metadata, made.saved_tensors)
    made._set_sequence_nr(7)
    say(made._sequence_nr(), made.needs_input_grad, made.requires_grad)
    made.register_hook(lambda *_: None).remove()
    made.register_prehook(lambda *_: None).remove()
    say.error(lambda: made(hooked))


def hooks_of_a_dictionary_run_on_the_output_of_that_number(torch: Any, say: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 3
    y._backward_hooks = {0: lambda gradient: gradient * 2}
    y.grad_fn._register_hook_dict(y)
    y.sum().backward()
    say(x.grad)


def what_a_stashed_ctx_saved_outlives_the_graph(torch: Any, say: Any) -> None:
    kept = []

    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x.clone()

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            kept.append(ctx)
            return gradient

    p = torch.zeros(1, requires_grad=True)
    loss = Same.apply(p)
    loss.backward(retain_graph=True)
    node = loss.grad_fn
    del loss
    say(kept[0].saved_tensors[0] is p, node.metadata, node.next_functions)


def needs_input_grad_can_be_overwritten(torch: Any, say: Any) -> None:
    class Add(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            return x + y

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            first = ctx.needs_input_grad
            ctx.needs_input_grad = None
            say(first, ctx.needs_input_grad)
            return gradient, None

    Add.apply(torch.ones(1, requires_grad=True), torch.ones(1)).backward()


def errors_name_the_forward_operation_with_its_number(torch: Any, say: Any) -> None:
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient

    makers = (
        lambda x: x + 1, lambda x: x.sum(1), lambda x: x.mean(1), lambda x: x**x, lambda x: x.norm(), Same.apply,
        lambda x: torch.div(x, 2, rounding_mode="floor"),
    )  # fmt: skip
    for maker in makers:
        y = maker(torch.ones(2, 2, requires_grad=True))
        squared = (y * y).sum()
        with torch.no_grad():
            y += 1
        try:
            squared.backward()
        except RuntimeError as error:
            say(str(error).partition("which is ")[2].partition(",")[0])


def metadata_of_inputs_is_a_tuple(torch: Any, say: Any) -> None:
    x = torch.ones(2, 3, requires_grad=True)
    (only,) = (x * x).grad_fn._input_metadata
    say(only.shape, only.dtype, only.device, only.is_nested_tensor, only.is_cpp_nested_tensor, type(only).__name__)
    say([m.shape for m in torch.var_mean(x, 0)[0].grad_fn._input_metadata])
