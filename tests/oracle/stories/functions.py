"""Stories about ``torch.autograd.Function``: contexts, contracts, errors, higher order."""

from __future__ import annotations

from typing import Any


def _square(torch: Any) -> Any:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return g * 2 * x

    return Square


def a_function_and_its_node(torch: Any, say: Any) -> None:
    square = _square(torch)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = square.apply(x)
    say(y, y.grad_fn.name(), type(y.grad_fn).__name__, type(y.grad_fn).__mro__[1].__name__, y.grad_fn.next_functions)
    say(y.grad_fn.saved_tensors[0] is x, y.grad_fn.needs_input_grad)
    say(isinstance(y.grad_fn, torch.autograd.function.BackwardCFunction), y.grad_fn._forward_cls is square)
    y.sum().backward()
    say(x.grad)
    say.error(lambda: y.sum().backward())
    say.error(lambda: y.grad_fn.saved_tensors)


def double_and_triple_backward(torch: Any, say: Any) -> None:
    square = _square(torch)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (square.apply(x) * x).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x, create_graph=True)
    (k,) = torch.autograd.grad(h.sum(), x)
    say(g, h, k)


def wrong_numbers_and_types_of_gradients(torch: Any, say: Any) -> None:
    for returned in (
        "many",
        "few",
        "none",
        "str",
        "int",
        "extra nones",
        "list",
        "shape",
        "dtype",
        "scalar",
        "double none",
    ):

        class F(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: Any, y: Any) -> Any:
                return x + y

            @staticmethod
            def backward(ctx: Any, g: Any) -> Any:
                return {
                    "many": (g, g, g), "few": g, "none": None, "str": ("a", "b"), "int": (1, 1), "extra nones": (g, g, None, None),
                    "list": [g, g], "shape": (g.new_ones(5), g), "dtype": (g.double(), g), "scalar": (g.sum(), g),
                    "double none": (None, None),
                }[returned]  # fmt: skip

        x, y = (torch.ones(2, requires_grad=True) for _ in range(2))
        say.error(lambda: F.apply(x, y).sum().backward())
        say(x.grad, y.grad)


def gradients_for_what_is_no_tensor(torch: Any, say: Any) -> None:
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, n: Any, flag: Any = True) -> Any:
            say(ctx.needs_input_grad)
            return x * n

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 3, torch.ones(1), None

    x = torch.ones(2, requires_grad=True)
    say.error(lambda: F.apply(x, 3, False).sum().backward())
    say.error(lambda: F.apply(x, 3).sum().backward())
    say(F.apply(x.detach(), 3, False))


def needs_input_grad_tells(torch: Any, say: Any) -> None:
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
            say("forward", ctx.needs_input_grad)
            return a + b

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            say("backward", ctx.needs_input_grad)
            return g, g, None, None

    x, y = torch.ones(1, requires_grad=True), torch.ones(1)
    F.apply(x, y, 3, [x]).backward()
    with torch.no_grad():
        F.apply(x, y, 3, None)
    F.apply(y, x, x * 2, None).backward()


def materialised_gradients(torch: Any, say: Any) -> None:
    class F(torch.autograd.Function):
        materialize = True

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.set_materialize_grads(F.materialize)
            return x * 1, x.double() * 2, x * 3

        @staticmethod
        def backward(ctx: Any, a: Any, b: Any, c: Any) -> Any:
            say(a, b, c)
            return a

    for F.materialize in (True, False):
        x = torch.ones(2, requires_grad=True)
        a, _, _ = F.apply(x)
        a.sum().backward()
        say(x.grad)


def setup_context_separates(torch: Any, say: Any) -> None:
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(x: Any, k: Any) -> Any:
            return x**3 * k, x * 2

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            x, k = inputs
            say("setup", x, k, output, ctx.needs_input_grad)
            ctx.save_for_backward(x)
            ctx.k = k

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            (x,) = ctx.saved_tensors
            return 3 * x**2 * g * ctx.k + 2 * h, None

    x = torch.tensor([2.0], requires_grad=True)
    a, b = Cube.apply(x, 5)
    (a + b).backward()
    say(x.grad, a, b)
    say.error(lambda: Cube.apply(x, 5, 6))


def keyword_arguments(torch: Any, say: Any) -> None:
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, scale: Any = 2) -> Any:
            ctx.scale = scale
            return x * scale

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.scale, None

    x = torch.ones(1, requires_grad=True)
    say.error(lambda: F.apply(x, scale=3))
    say.error(lambda: F.apply(x=x))
    say(F.apply(x, 4))


def missing_methods(torch: Any, say: Any) -> None:
    class NoBackward(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

    class NoForward(torch.autograd.Function):
        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

        @staticmethod
        def vjp(ctx: Any, g: Any) -> Any:
            return g

    class OnlyVjp(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def vjp(ctx: Any, g: Any) -> Any:
            return g * 2

    x = torch.ones(1, requires_grad=True)
    say.error(lambda: NoBackward.apply(x).backward())
    say.error(lambda: NoForward.apply(x))
    say.error(lambda: Both.apply(x).backward())
    x.grad = None
    OnlyVjp.apply(x).backward()
    say(x.grad)


def legacy_and_instances(torch: Any, say: Any) -> None:
    square = _square(torch)
    instance = square()
    say.error(lambda: instance(torch.ones(1)))

    class Old(torch.autograd.Function):
        def forward(self, x: Any) -> Any:
            return x

        def backward(self, g: Any) -> Any:
            return g

    say.error(lambda: Old.apply(torch.ones(1, requires_grad=True)))
    say.error(lambda: Old()(torch.ones(1)))
    say(square.__name__, square._backward_cls.__name__)


def attributes_on_the_context(torch: Any, say: Any) -> None:
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.note = {"a": 1}
            ctx.x = x
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            say(ctx.note, ctx.x, type(ctx).__name__, ctx.name())
            return g

    x = torch.ones(1, requires_grad=True)
    y = F.apply(x)
    say(y.grad_fn.note)
    y.backward()
    y.grad_fn.metadata["k"] = 1
    say(y.grad_fn.metadata, y.grad_fn.next_functions)


def once_differentiable(torch: Any, say: Any) -> None:
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            say(torch.is_grad_enabled(), g.requires_grad)
            return g * 2 * x

    x = torch.ones(1, requires_grad=True)
    (g,) = torch.autograd.grad(F.apply(x), x, create_graph=True)
    say(g.requires_grad, g.grad_fn)
    g = torch.ones(1, requires_grad=True)
    (r,) = torch.autograd.grad(F.apply(x), x, g, create_graph=True)
    say(r.requires_grad, r.grad_fn.name())
    say.error(lambda: r.sum().backward())
    say.error(lambda: torch.autograd.grad(r.sum(), x))


def errors_inside(torch: Any, say: Any) -> None:
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, where: str) -> Any:
            ctx.where = where
            if where == "forward":
                raise ValueError("in forward")
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            raise ValueError("in backward")

    x = torch.ones(1, requires_grad=True)
    say.error(lambda: F.apply(x, "forward"))
    say(torch.is_grad_enabled())
    say.error(lambda: F.apply(x, "backward").backward())
    say(torch.is_grad_enabled(), x.grad)


def grad_mode_inside(torch: Any, say: Any) -> None:
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            say("forward", torch.is_grad_enabled(), x.requires_grad)
            y = x * 2
            say(y.requires_grad, y.grad_fn)
            return y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            say("backward", torch.is_grad_enabled(), g.requires_grad)
            return g * 2

    x = torch.ones(1, requires_grad=True)
    F.apply(x).backward()
    torch.autograd.grad(F.apply(x), x, create_graph=True)
    with torch.no_grad():
        say(F.apply(x).requires_grad)


def complex_and_type_changing(torch: Any, say: Any) -> None:
    class ToDouble(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.double()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            say(g)
            return g

    x = torch.ones(2, requires_grad=True)
    ToDouble.apply(x).sum().backward()
    say(x.grad)


def broadcast_gradients_are_summed(torch: Any, say: Any) -> None:
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.expand(3, 2) * 1

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    x = torch.ones(2, requires_grad=True)
    F.apply(x).sum().backward()
    say(x.grad)


def the_same_input_twice(torch: Any, say: Any) -> None:
    class Mul(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.save_for_backward(x, y)
            return x * y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            x, y = ctx.saved_tensors
            return g * y, g * x

    x = torch.tensor([3.0], requires_grad=True)
    y = Mul.apply(x, x)
    y.backward()
    say(x.grad, y.grad_fn.next_functions[0][0] is y.grad_fn.next_functions[1][0])


def saved_output_and_intermediate(torch: Any, say: Any) -> None:
    class Exp(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            out = x.exp()
            twice = out * 2
            ctx.save_for_backward(out, twice)
            return out

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            out, twice = ctx.saved_tensors
            say(out.grad_fn, twice.grad_fn, out)
            return g * out

    x = torch.tensor([1.0], requires_grad=True)
    y = Exp.apply(x)
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    say(g, torch.autograd.grad(g, x))
    y = Exp.apply(x)
    y.mul_(2)
    say.error(lambda: y.backward())


def saving_twice_and_late(torch: Any, say: Any) -> None:
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            ctx.save_for_backward(x * 2, None)
            say.error(lambda: ctx.saved_tensors)
            return x * 1

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            say(ctx.saved_tensors)
            ctx.save_for_backward(g)
            say(len(ctx.saved_tensors))
            return g

    x = torch.ones(1, requires_grad=True)
    F.apply(x).backward()


def inheritance_and_static_helpers(torch: Any, say: Any) -> None:
    square = _square(torch)

    class Child(square):
        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return square.backward(ctx, g) * 10

    x = torch.tensor([3.0], requires_grad=True)
    y = Child.apply(x)
    y.backward()
    say(x.grad, y.grad_fn.name())


def mixed_with_operators_in_order(torch: Any, say: Any) -> None:
    order: list[str] = []

    def named(name: str) -> Any:
        class F(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                return x * 1

            @staticmethod
            def backward(ctx: Any, g: Any) -> Any:
                order.append(name)
                return g

        return F

    x = torch.ones(1, requires_grad=True)
    a = named("a").apply(x)
    b = named("b").apply(x)
    c = named("c").apply(a + b)
    (b * c).sum().backward()
    say(order)


def set_materialize_grads_takes_a_bool(torch: Any, say: Any) -> None:
    class Careless(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            for value in (3, None):
                say.error(lambda value=value: ctx.set_materialize_grads(value))
            return x * 1

    Careless.apply(torch.ones(1, requires_grad=True))
