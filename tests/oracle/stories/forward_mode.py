"""Stories about forward-mode derivatives."""

from __future__ import annotations

from typing import Any


def duals_and_levels(torch: Any, say: Any) -> None:
    fwd = torch.autograd.forward_ad
    x, t = torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0])
    with fwd.dual_level() as level:
        say(level)
        dual = fwd.make_dual(x, t)
        say(dual, fwd.unpack_dual(dual), fwd.unpack_dual(x))
        out = fwd.unpack_dual(dual * dual)
        say(out.primal, out.tangent, type(out).__name__)
        say(fwd.unpack_dual(dual).tangent is t, dual is x, dual._is_view(), dual._base is x)
        say(fwd.unpack_dual((dual * 2).sum()), fwd.unpack_dual(dual.detach()), fwd.unpack_dual(dual > 1))
    say.error(lambda: fwd.make_dual(x, t))
    with fwd.dual_level():
        say(fwd.unpack_dual(dual))


def level_errors(torch: Any, say: Any) -> None:
    fwd = torch.autograd.forward_ad
    x = torch.ones(2)
    with fwd.dual_level():
        say.error(lambda: fwd.dual_level().__enter__())
    try:
        fwd.exit_dual_level()
    except RuntimeError as error:
        say(str(error)[:37])
    say.error(lambda: fwd.unpack_dual(x))
    level = fwd.enter_dual_level()
    say.error(lambda: fwd.exit_dual_level(level=level + 1))
    say.error(lambda: fwd.make_dual(x, torch.ones(3)))
    say.error(lambda: fwd.make_dual(x, torch.ones(2, dtype=torch.float64)))
    say.error(lambda: fwd.make_dual(torch.ones(2, dtype=torch.int64), torch.ones(2, dtype=torch.int64)))
    say.error(lambda: fwd.make_dual(fwd.make_dual(x, torch.ones(2)), torch.ones(2)))
    say.error(lambda: fwd.make_dual(x, 5))
    fwd.exit_dual_level(level=level)


def many_operators(torch: Any, say: Any) -> None:
    fwd = torch.autograd.forward_ad
    x, t = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[1.0, 0.0], [0.5, -1.0]])
    w = torch.tensor([[0.5, 1.0], [1.5, 2.0]])
    functions = [
        lambda a: a + 1, lambda a: a * w, lambda a: w / a, lambda a: a @ w, lambda a: a.T, lambda a: a[0], lambda a: a.sum(0), lambda a: a.mean(),
        lambda a: a.exp().log(), lambda a: a.relu(), lambda a: a.max(), lambda a: a.max(0)[0], lambda a: torch.cat([a, w]), lambda a: torch.stack([a, a]),
        lambda a: a.reshape(4), lambda a: a**3, lambda a: 2**a, lambda a: a.softmax(1), lambda a: torch.where(a > 2, a, w), lambda a: a.norm(),
        lambda a: a.sigmoid() * a.tanh(), lambda a: a.unbind()[1], lambda a: a.clone(), lambda a: a.double(), lambda a: torch.einsum("ij,jk->ik", a, a),
        lambda a: torch.nn.functional.linear(a, w), lambda a: a.cumsum(0), lambda a: a.prod(), lambda a: a.std(), lambda a: a.expand(2, 2, 2),
        lambda a: torch.nn.functional.cross_entropy(a, torch.tensor([0, 1])), lambda a: a.sort()[0], lambda a: a.clamp(1.5, 3.5), lambda a: a.abs(),
    ]  # fmt: skip
    with fwd.dual_level():
        for f in functions:
            say(fwd.unpack_dual(f(fwd.make_dual(x, t))).tangent)


def in_place_and_views(torch: Any, say: Any) -> None:
    fwd = torch.autograd.forward_ad
    x, t = torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0])
    with fwd.dual_level():
        dual = fwd.make_dual(x.clone(), t.clone())
        dual.mul_(3)
        say(fwd.unpack_dual(dual))
        plain = torch.zeros(2)
        plain.copy_(dual)
        say(fwd.unpack_dual(plain))
        base = torch.zeros(4)
        base[:2] = dual
        say(fwd.unpack_dual(base))
        view = fwd.make_dual(x.clone(), t.clone())[0]
        say(fwd.unpack_dual(view))
        grown = fwd.make_dual(torch.ones(4), torch.arange(4.0))
        grown[1:3].mul_(2)
        say(fwd.unpack_dual(grown))
        added = torch.ones(2)
        added.add_(dual)
        say(fwd.unpack_dual(added).tangent)


def forward_over_reverse(torch: Any, say: Any) -> None:
    fwd = torch.autograd.forward_ad
    x, t = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([1.0, 10.0])
    with fwd.dual_level():
        dual = fwd.make_dual(x, t)
        y = (dual**3).sum()
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        say(fwd.unpack_dual(g).primal.detach(), fwd.unpack_dual(y).tangent.requires_grad)
        say(fwd.unpack_dual(g).tangent.detach())


def reverse_over_forward(torch: Any, say: Any) -> None:
    fwd = torch.autograd.forward_ad
    x, t = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([1.0, 10.0], requires_grad=True)
    with fwd.dual_level():
        dual = fwd.make_dual(x, t)
        tangent = fwd.unpack_dual(dual**3).tangent
        say(tangent.requires_grad)
        say(torch.autograd.grad(tangent.sum(), [x, t]))


def no_grad_does_not_stop_it(torch: Any, say: Any) -> None:
    fwd = torch.autograd.forward_ad
    x, t = torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0])
    with fwd.dual_level(), torch.no_grad():
        say(fwd.unpack_dual(fwd.make_dual(x, t) * 2))
    with fwd.dual_level():
        dual = fwd.make_dual(x, t)
        with fwd._set_fwd_grad_enabled(False):
            say(fwd.unpack_dual(dual * 2).tangent)


def custom_functions(torch: Any, say: Any) -> None:
    class Mul(torch.autograd.Function):
        @staticmethod
        def forward(x: Any, y: Any) -> Any:
            return x * y, x + y

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            x, y = ctx.saved_tensors
            return g * y + h, g * x + h

        @staticmethod
        def jvp(ctx: Any, a: Any, b: Any) -> Any:
            x, y = ctx.saved_tensors
            say("jvp", a, b)
            return a * y + x * b, a + b

    class NoJvp(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    fwd = torch.autograd.forward_ad
    with fwd.dual_level():
        x = fwd.make_dual(torch.tensor(2.0), torch.tensor(1.0))
        y = fwd.make_dual(torch.tensor(3.0), torch.tensor(10.0))
        a, b = Mul.apply(x, y)
        say(fwd.unpack_dual(a), fwd.unpack_dual(b))
        say(fwd.unpack_dual(Mul.apply(x, torch.tensor(3.0))[0]))
        say.error(lambda: NoJvp.apply(x))
        say(NoJvp.apply(torch.tensor(1.0)))


def custom_functions_answer_wrongly(torch: Any, say: Any) -> None:
    fwd = torch.autograd.forward_ad
    for answer in ("many", "shape", "number"):

        class F(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                return x * 2

            @staticmethod
            def jvp(ctx: Any, t: Any) -> Any:
                return {"many": (t, t), "shape": t.new_ones(5), "number": 3.0}[answer]

        with fwd.dual_level():
            x = fwd.make_dual(torch.ones(2), torch.ones(2))
            say.error(lambda: fwd.unpack_dual(F.apply(x)))


def with_modules(torch: Any, say: Any) -> None:
    fwd = torch.autograd.forward_ad
    layer = torch.nn.Linear(2, 1)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[1.0, 2.0]]))
        layer.bias.zero_()
    with fwd.dual_level():
        for name, p in list(layer.named_parameters()):
            delattr(layer, name)
            setattr(layer, name, fwd.make_dual(p, torch.ones_like(p)))
        out = layer(torch.tensor([[3.0, 4.0]]))
        say(fwd.unpack_dual(out).tangent.detach())


def gradients_have_tangents(torch: Any, say: Any) -> None:
    fwd = torch.autograd.forward_ad
    functions = [
        lambda d: d.exp().sum(), lambda d: d.exp().sin().sum(), lambda d: d.sigmoid().tanh().mean(), lambda d: d.softmax(0).pow(2).sum(),
        lambda d: (d.exp() * d.sqrt()).cumsum(0).sum(), lambda d: torch.linalg.inv(torch.diag(d)).sum(),
    ]  # fmt: skip
    for function in functions:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        with fwd.dual_level():
            dual = fwd.make_dual(x, torch.tensor([1.0, 10.0]))
            (slope,) = torch.autograd.grad(function(dual), x, create_graph=True)
            say(fwd.unpack_dual(slope).tangent.detach())
            (slope,) = torch.autograd.grad(function(dual), dual)
            say(fwd.unpack_dual(slope).tangent, slope.requires_grad)
