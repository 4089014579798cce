"""Stories about ``torch.autograd.Function``: contexts, contracts, errors, in-place, views, higher order."""

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


def nothing_non_differentiable_flows(torch: Any, say: Any) -> None:
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            mask, index, out = x > 1, x.argmax(), x * 2
            other = x * 3
            ctx.mark_non_differentiable(mask, other)
            return out, mask, index, other

        @staticmethod
        def backward(ctx: Any, g: Any, *rest: Any) -> Any:
            say(g, rest)
            return g * 2

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    out, mask, index, other = F.apply(x)
    say(out, mask, index, other)
    say(out.requires_grad, mask.requires_grad, index.requires_grad, other.requires_grad, other.grad_fn)
    out.sum().backward()
    say(x.grad)
    say.error(lambda: other.sum().backward())


def dirty_inputs(torch: Any, say: Any) -> None:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = a.clone()
    c = Double.apply(b)
    say(c is b, c, b._version)
    c.sum().backward()
    say(a.grad)
    say.error(lambda: Double.apply(a))
    plain = torch.ones(2)
    say(Double.apply(plain) is plain, plain, plain._version)
    base = a.clone()
    view = base[:1]
    out = Double.apply(view)
    say(out is view, out, base)
    base.sum().backward()
    say(a.grad)
    with torch.no_grad():
        say(Double.apply(a), a._version)


def dirty_but_not_returned(torch: Any, say: Any) -> None:
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            x.mul_(2)
            ctx.mark_dirty(x)
            return x * 3

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    a = torch.ones(2, requires_grad=True).clone()
    say.error(lambda: F.apply(a))


def dirty_arguments_must_be_tensors(torch: Any, say: Any) -> None:
    for call in ("mark_non_differentiable", "save_for_backward"):

        class F(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                getattr(ctx, call)(5)
                return x * 1

            @staticmethod
            def backward(ctx: Any, g: Any) -> Any:
                return g

        say.error(lambda: F.apply(torch.ones(1, requires_grad=True)))


def an_input_returned_as_it_is(torch: Any, say: Any) -> None:
    class Identity(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 5

    x = torch.ones(2, requires_grad=True)
    y = Identity.apply(x)
    say(y is x, y, y._is_view(), y._base is x)
    y.sum().backward()
    say(x.grad)
    say.error(lambda: y.mul_(2))
    plain = torch.ones(2)
    z = Identity.apply(plain)
    say(z is plain, z.requires_grad, z._is_view())
    inner = x * 2
    w = Identity.apply(inner)
    say(w is inner, w._is_view())
    say.error(lambda: w.add_(1))
    with torch.no_grad():
        v = Identity.apply(x)
        say(v is x, v.requires_grad)


def a_view_of_an_input_returned(torch: Any, say: Any) -> None:
    class First(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x[0]

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return torch.stack([g * 3, g * 0])

    x = torch.tensor([[1.0], [2.0]], requires_grad=True)
    inner = x * 1
    y = First.apply(inner)
    say(y, y._is_view(), y._base is inner)
    say.error(lambda: y.mul_(2))
    y = First.apply(inner)
    y.sum().backward()
    say(x.grad)
    y = First.apply(inner)
    inner.mul_(2)
    say.error(lambda: y.grad_fn.name())


def two_views_returned(torch: Any, say: Any) -> None:
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x[0], x[1]

        @staticmethod
        def backward(ctx: Any, a: Any, b: Any) -> Any:
            return torch.stack([a, b])

    x = torch.tensor([[1.0], [2.0]], requires_grad=True)
    a, b = Both.apply(x * 1)
    say(a, b, a.output_nr, b.output_nr)
    say.error(lambda: a.add_(1))
    (a + 2 * b).sum().backward()
    say(x.grad)


def structured_and_odd_outputs(torch: Any, say: Any) -> None:
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, how: str) -> Any:
            return {
                "list": [x * 1, x * 2], "none": None, "number": 3.0, "tuple with number": (x * 1, 5, "s"), "nothing": (),
                "dict": {"a": x * 2}, "one": (x * 2,),
            }[how]  # fmt: skip

        @staticmethod
        def backward(ctx: Any, *g: Any) -> Any:
            say(len(g), g)
            return g[0], None

    x = torch.ones(1, requires_grad=True)
    for how in ("list", "none", "number", "tuple with number", "nothing", "dict", "one"):
        say.error(lambda: F.apply(x, how))
    out, five, text = F.apply(x, "tuple with number")
    out.backward()
    say(x.grad, five, text)


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


def a_graph_inside_forward(torch: Any, say: Any) -> None:
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            with torch.enable_grad():
                y = x.detach().requires_grad_()
                z = y**3
            ctx.y, ctx.z = y, z
            return z.detach()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (inner,) = torch.autograd.grad(ctx.z, ctx.y, g)
            return inner

    x = torch.tensor([2.0], requires_grad=True)
    F.apply(x).backward()
    say(x.grad)


def recording_on_inside_forward(torch: Any, say: Any) -> None:
    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            with torch.enable_grad():
                return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 7

    x = torch.ones(1, requires_grad=True)
    y = F.apply(x)
    say(y)
    y.backward()
    say(x.grad)


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


def inputs_returned_and_saved(torch: Any, say: Any) -> None:
    class F(torch.autograd.function.InplaceFunction):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    x = torch.ones(2, requires_grad=True)
    F.apply(x).sum().backward()
    say(x.grad)

    class G(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.save_for_backward(x, y)
            return x, y * 2

        @staticmethod
        def backward(ctx: Any, a: Any, b: Any) -> Any:
            say(a, b, ctx.saved_tensors[0] is x)
            return a, b

    y = torch.ones(2)
    a, b = G.apply(x, y)
    say(a, b, a is x, b.requires_grad)
    b.sum().backward()

    class H(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.shape = x.shape
            return x.view(-1)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g.view(ctx.shape)

    z = torch.ones(2, 2, requires_grad=True)
    H.apply(z * 1).sum().backward()
    say(z.grad)
    say.error(lambda: torch.autograd.Function.apply(x))

    class NE(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_non_differentiable(x)
            return x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    r = NE.apply(x)
    say(r.requires_grad, r is x, x.requires_grad)


def saved_tensors_given_away(torch: Any, say: Any) -> None:
    class Once(torch.autograd.Function):
        clear_saved_tensors_on_access = True

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            for _ in range(times[0]):
                (x,) = ctx.saved_tensors
            say(x, ctx._raw_saved_tensors)
            return g

    x = torch.ones(2, requires_grad=True)
    times = [1]
    say.error(Once.apply(x).sum().backward)
    times[0] = 2
    say.error(Once.apply(x).sum().backward)
    y = Once.apply(x)
    say(y.grad_fn.saved_tensors)
    say.error(lambda: y.grad_fn.saved_tensors)


def views_from_inside_a_function(torch: Any, say: Any) -> None:
    class Narrow(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, pure: bool) -> Any:
            ctx._is_pure_view = pure
            return x.narrow(0, 0, 1)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            say("backward", g)
            return torch.cat([g, torch.zeros(1)]), None

    class Two(Narrow):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx._is_pure_view = True
            return x.narrow(0, 0, 1)

    x = torch.ones(2, requires_grad=True)
    for pure in (False, True):
        out = Narrow.apply(x.clone(), pure)
        say.error(lambda out=out: out.mul_(3))
        (out * 1).sum().backward()
        say(x.grad, out.grad_fn)
    say.error(lambda: Two.apply(x, x))
    untracked = Narrow.apply(torch.ones(2), False)
    say.error(lambda: untracked.mul_(torch.ones(1, requires_grad=True)))
    say.error(lambda: untracked.mul_(2))
    with torch.no_grad():
        unrecorded = Narrow.apply(x, False)
    say.error(lambda: unrecorded.mul_(2))


def dirty_views(torch: Any, say: Any) -> None:
    class Add(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            ctx.save_for_backward(x)
            return x.add_(1)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            say(ctx.saved_tensors, ctx.saved_tensors[0].grad_fn)
            return g

    class Own(Add):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            made = x.clone().view_as(x)
            ctx.mark_dirty(made)
            return made

    leaf = torch.ones(2, requires_grad=True)
    for given in (leaf, leaf.view(2), leaf.split(1)[0], leaf.clone().split(1)[0], leaf.clone().view(2)):
        say.error(lambda given=given: Add.apply(given).sum().backward())
    say(leaf.grad)
    say.error(lambda: Own.apply(leaf.clone()))
    say.error(lambda: Own.apply(torch.ones(2)))


def set_materialize_grads_takes_a_bool(torch: Any, say: Any) -> None:
    class Careless(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            for value in (3, None):
                say.error(lambda value=value: ctx.set_materialize_grads(value))
            return x * 1

    Careless.apply(torch.ones(1, requires_grad=True))
