"""Stories about what a custom function returns: inputs, dirty ones, views, odd types."""

from __future__ import annotations

from typing import Any


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
