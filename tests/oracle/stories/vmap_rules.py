"""Stories about custom Functions with a rule of their own for batches."""

from __future__ import annotations

from typing import Any


def _cube(torch: Any, say: Any) -> Any:
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return x**3, 3 * x**2

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(inputs[0], output[1])

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            x, slope = ctx.saved_tensors
            return g * slope + h * 6 * x

        @staticmethod
        def vmap(info: Any, in_dims: Any, x: Any) -> Any:
            say(info, in_dims, x.shape)
            return Cube.apply(x), (in_dims[0], in_dims[0])

    return Cube


def a_rule_is_called_once_with_the_batch(torch: Any, say: Any) -> None:
    cube = _cube(torch, say)
    x = torch.arange(6.0).view(3, 2)
    for options in ({}, {"in_dims": 1}, {"in_dims": -1, "out_dims": 1}, {"chunk_size": 2}, {"randomness": "different"}):
        say(torch.vmap(cube.apply, **options)(x))
    say(torch.vmap(lambda t: cube.apply(t * 2)[0].sum())(x))


def gradients_go_through_a_rule(torch: Any, say: Any) -> None:
    cube = _cube(torch, say)
    x = torch.arange(6.0).view(3, 2)
    say(torch.vmap(torch.func.grad(lambda t: cube.apply(t)[0].sum()))(x))
    say(torch.vmap(torch.func.jacrev(lambda t: cube.apply(t)[0]))(x))
    leaf = x.clone().requires_grad_()
    (slope,) = torch.autograd.grad(torch.vmap(cube.apply)(leaf)[0].sum(), leaf)
    say(slope)
    say(torch.func.grad(lambda t: torch.vmap(cube.apply)(t)[0].sum())(x))


def some_arguments_are_the_same_for_all(torch: Any, say: Any) -> None:
    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(x: Any, y: Any, k: float) -> Any:
            return x * y * k

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            x, y, ctx.k = inputs
            ctx.save_for_backward(x, y)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            x, y = ctx.saved_tensors
            return g * y * ctx.k, g * x * ctx.k, None

        @staticmethod
        def vmap(info: Any, in_dims: Any, x: Any, y: Any, k: float) -> Any:
            say(in_dims, x.shape, y.shape, k)
            x = x if in_dims[0] is None else x.movedim(in_dims[0], 0)
            y = y if in_dims[1] is None else y.movedim(in_dims[1], 0)
            return Scaled.apply(x, y, k), 0

    x, y = torch.arange(6.0).view(3, 2), torch.tensor([1.0, 10.0])
    say(torch.vmap(lambda t: Scaled.apply(t, y, 2.0))(x))
    say(torch.vmap(lambda t: Scaled.apply(y, t, 2.0), in_dims=0)(x))
    say(torch.vmap(lambda t: Scaled.apply(t, t.flip(0), 1.0))(x))
    say(torch.vmap(lambda t: Scaled.apply(x, y, 3.0).sum() + t)(torch.zeros(2)))


def two_rules_one_after_the_other(torch: Any, say: Any) -> None:
    cube = _cube(torch, say)

    def f(t: Any) -> Any:
        return cube.apply(cube.apply(t)[1])[0]

    x = torch.tensor([[1.0, 2.0], [0.5, 3.0]])
    say(torch.vmap(f)(x))
    say(torch.vmap(torch.func.grad(lambda t: f(t).sum()))(x))


def rules_that_do_not_hold(torch: Any, say: Any) -> None:
    class Plain(torch.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return x.clone()

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None: ...

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    def made(rule: Any, **more: Any) -> Any:
        return type("Made", (Plain,), {"vmap": staticmethod(rule), **more})

    x = torch.ones(3, 2)
    say.error(lambda: torch.vmap(Plain.apply)(x))
    for rule in (
        lambda info, dims, x: x.clone(), lambda info, dims, x: (x.clone(), 0, 1), lambda info, dims, x: (x.clone(), (0, 0)),
        lambda info, dims, x: ((x.clone(), x.clone()), 0), lambda info, dims, x: (x.sum(), None),
        lambda info, dims, x: (x.t().clone(), 1),
    ):  # fmt: skip
        say.error(lambda rule=rule: torch.vmap(made(rule).apply)(x))
    say.error(lambda: torch.vmap(made(lambda info, dims, x: (x, 0), generate_vmap_rule=True).apply)(x))
    generated: Any = type("Generated", (Plain,), {"generate_vmap_rule": True})
    say(torch.vmap(generated.apply)(x), torch.vmap(torch.func.grad(lambda t: generated.apply(t).sum()))(x))
