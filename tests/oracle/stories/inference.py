"""Stories about inference tensors, inside and outside their mode."""

from __future__ import annotations

from typing import Any


def what_looks_at_an_inference_tensor_is_one_and_no_view(torch: Any, say: Any) -> None:
    with torch.inference_mode():
        made = torch.ones(2, 3)
        inside = made[0]
    for view in (inside, made.view(-1), made.T, made.unbind()[1], made.detach(), made.data):
        say(torch.is_inference(view), view._is_view(), view.is_leaf, view.requires_grad)
    normal = torch.ones(2, 3)
    with torch.inference_mode():
        view = normal[0]
    say(torch.is_inference(view), view._is_view(), view._version)


def inference_tensors_alone_are_not_tracked(torch: Any, say: Any) -> None:
    with torch.inference_mode():
        tracked, plain = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2)
    calls = {
        "square": lambda: tracked * tracked, "product": lambda: tracked * plain, "sum": lambda: tracked.sum(),
        "cat": lambda: torch.cat([tracked, plain]), "linear": lambda: torch.nn.functional.linear(tracked, plain),
        "clone": lambda: tracked.clone(), "number": lambda: tracked + 1, "mixed": lambda: tracked + torch.ones(2, 2),
    }  # fmt: skip
    for name, call in calls.items():
        result = call()
        say(name, result.requires_grad, torch.is_inference(result), result.is_leaf)
    say.error(lambda: tracked * torch.ones(2, 2, requires_grad=True))


def writes_outside_the_mode_are_refused(torch: Any, say: Any) -> None:
    for name, arguments in (
        ("add_", (1,)), ("zero_", ()), ("transpose_", (0, 1)), ("t_", ()), ("squeeze_", (0,)), ("unsqueeze_", (0,)),
        ("resize_", (4,)), ("copy_", (5,)),
    ):  # fmt: skip
        with torch.inference_mode():
            made = torch.ones(2, 3)
        given = tuple(torch.ones(2, 3) if name == "copy_" else a for a in arguments)
        say(name)
        say.error(lambda made=made, name=name, given=given: getattr(made, name)(*given))
        say(made.shape)


def resizing_counts_as_a_write(torch: Any, say: Any) -> None:
    x, tracked = torch.ones(3), torch.ones(3, requires_grad=True)
    for shape in ((2,), (5,), (5,), (1, 2)):
        x.resize_(shape)
        say(x.shape, x._version)
    x.resize_as_(torch.ones(7))
    say(x.shape, x._version)
    say.error(lambda: tracked.resize_(2))
    with torch.no_grad():
        say.error(lambda: tracked.resize_(2))
    with torch.inference_mode():
        inner = torch.ones(2, 3, requires_grad=True)
        say(inner.resize_(1, 2).shape, inner.requires_grad)


def a_checkpoint_does_not_take_what_was_made_in_inference_mode(torch: Any, say: Any) -> None:
    checkpoint = torch.utils.checkpoint.checkpoint
    with torch.inference_mode():
        made = torch.ones(2)
    p = torch.ones(2, requires_grad=True)
    say.error(lambda: checkpoint(lambda x, y: x * 1, p, made, use_reentrant=False))
    say.error(lambda: checkpoint(lambda x, y: x * 1, p, made, use_reentrant=True))
    say(checkpoint(lambda x, y: x * 1, p, y=made, use_reentrant=False))
    say(checkpoint(lambda x: x * 1, made, use_reentrant=True))
    with torch.no_grad():
        say(checkpoint(lambda x: x * 1, made, use_reentrant=False))
    with torch.inference_mode():
        say(
            checkpoint(lambda x: x * 1, made, use_reentrant=True),
            checkpoint(lambda x: x * 1, made, use_reentrant=False),
        )


def a_function_that_is_not_recorded_keeps_nothing(torch: Any, say: Any) -> None:
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.save_for_backward(x, y)
            return x * 1

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient, None

    with torch.inference_mode():
        made = torch.ones(2)
    p = torch.ones(2, requires_grad=True)
    say(Same.apply(made, made), Same.apply(torch.ones(2), made))
    say.error(lambda: Same.apply(p, made))
    with torch.no_grad():
        say(Same.apply(p, made))


def parts_of_a_view_from_inference_mode_stay_so(torch: Any, say: Any) -> None:
    q = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        view = q[...]
    say.error(lambda: view.unbind()[0].mul_(2))
    say.error(lambda: view.chunk(2)[0].mul_(2))
    say.error(lambda: view[0].mul_(2))
    with torch.no_grad():
        view = q[...]
    say.error(lambda: view.unbind()[0].mul_(2))
    say.error(lambda: view[0].mul_(2))
