"""Stories about passes toward chosen inputs: what is computed, and what hooks see of what is not."""

from __future__ import annotations

from typing import Any


def watched(say: Any, name: str, result: Any) -> Any:
    result.grad_fn.register_hook(lambda gi, go: say(name, gi, go))
    return result


def an_operator_computes_only_what_was_asked_for(torch: Any, say: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    w = torch.tensor([3.0, 5.0], requires_grad=True)
    y = watched(say, "mul", x * w)
    say(torch.autograd.grad(y.sum(), x, retain_graph=True))
    say(torch.autograd.grad(y.sum(), w, retain_graph=True))
    say(torch.autograd.grad(y.sum(), (w, x), retain_graph=True))
    y.sum().backward(inputs=[w], retain_graph=True)
    say(x.grad, w.grad)
    y.sum().backward()


def deeper_inputs_need_what_is_on_the_way_alone(torch: Any, say: Any) -> None:
    x = torch.tensor([[1.0, 2.0]], requires_grad=True)
    weight = torch.tensor([[3.0, 1.0], [0.5, -1.0]], requires_grad=True)
    bias = torch.tensor([1.0, 1.0], requires_grad=True)
    hidden = watched(say, "linear", torch.nn.functional.linear(x * 2, weight, bias))
    out = watched(say, "matmul", hidden @ weight)
    loss = watched(say, "sum", out.sum())
    for inputs in (bias, x, hidden, (bias, weight)):
        say(torch.autograd.grad(loss, inputs, retain_graph=True))


def a_recorded_derivative_is_of_what_was_asked_for(torch: Any, say: Any) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    w = torch.tensor(3.0, requires_grad=True)
    y = watched(say, "mul", x * x * w)
    (slope,) = torch.autograd.grad(y, x, create_graph=True)
    say(slope, slope.grad_fn.name())
    slope.backward()
    say(x.grad, w.grad)


def broadcast_and_unneeded_shapes(torch: Any, say: Any) -> None:
    x = torch.ones(2, 3, requires_grad=True)
    b = torch.ones(3, requires_grad=True)
    y = watched(say, "add", x + b)
    z = watched(say, "where", torch.where(x > 0, y, b * 2))
    say(torch.autograd.grad(z.sum(), x, retain_graph=True))
    say(torch.autograd.grad(z.sum(), b, retain_graph=True))


def a_persons_function_computes_all(torch: Any, say: Any) -> None:
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            ctx.save_for_backward(a, b)
            return a * b

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            a, b = ctx.saved_tensors
            say("needs", ctx.needs_input_grad)
            return gradient * b, gradient * a

    x = torch.tensor(2.0, requires_grad=True)
    w = torch.tensor(3.0, requires_grad=True)
    y = watched(say, "function", Product.apply(x, w * 1))
    say(torch.autograd.grad(y, x, retain_graph=True))
    y.backward(inputs=[w])
    say(x.grad, w.grad)


def a_misfit_that_nobody_asked_for(torch: Any, say: Any) -> None:
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            return a * b

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient, torch.ones(7)

    x = torch.ones(2, requires_grad=True)
    w = torch.ones(2, requires_grad=True)
    say.error(lambda: torch.autograd.grad(Wrong.apply(x, w).sum(), x))


def hooks_still_see_the_whole_graph(torch: Any, say: Any) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    w = torch.tensor(3.0, requires_grad=True)
    y = x * w
    y.grad_fn.register_hook(lambda gi, go: say([node.name() for node, _ in y.grad_fn.next_functions]))
    y.grad_fn.register_prehook(lambda go: say([node.name() for node, _ in y.grad_fn.next_functions]))
    say(torch.autograd.grad(y, x))


def a_modules_hooks_in_a_pass_toward_its_weight(torch: Any, say: Any) -> None:
    layer = torch.nn.Linear(2, 1)
    with torch.no_grad():
        layer.weight.fill_(2.0)
        layer.bias.fill_(1.0)
    layer.register_full_backward_hook(lambda module, gi, go: say("module", gi, go))
    x = torch.ones(1, 2, requires_grad=True)
    out = layer(x * 1).sum()
    say(torch.autograd.grad(out, layer.weight, retain_graph=True))
    say(torch.autograd.grad(out, x, retain_graph=True))


def what_has_no_derivative_is_not_asked_for_one(torch: Any, say: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    a = torch.tensor([0.5, 0.5], requires_grad=True)
    y = torch.igamma(a, x).sum()
    say(torch.autograd.grad(y, x, retain_graph=True)[0].shape)
    say.error(lambda: torch.autograd.grad(y, a))
