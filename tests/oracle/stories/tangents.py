"""Stories about where tangents live: shared by views, written by in-place writes, gone with their level."""

from __future__ import annotations

from typing import Any


def a_write_to_a_dual_writes_into_its_tangent(torch: Any, say: Any) -> None:
    fwd = torch.autograd.forward_ad
    value, tangent = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0])
    with fwd.dual_level():
        dual = fwd.make_dual(value, tangent)
        dual *= 3
        say(value, tangent, fwd.unpack_dual(dual).tangent is tangent, fwd.unpack_dual(value).tangent)
        primal, same = fwd.unpack_dual(dual)
        primal += 1
        same += 1
        say(fwd.unpack_dual(dual), value, tangent, fwd.unpack_dual(primal).tangent)
        dual.zero_()
        say(fwd.unpack_dual(dual), tangent)


def a_view_shows_a_view_of_the_tangent(torch: Any, say: Any) -> None:
    fwd = torch.autograd.forward_ad
    with fwd.dual_level():
        tangent = torch.arange(6.0).view(2, 3)
        dual = fwd.make_dual(torch.ones(2, 3), tangent)
        for view in (dual[1], dual.T, dual.unbind(1)[2], dual.narrow(1, 1, 2).select(0, 0), dual.expand(2, 2, 3)):
            part = fwd.unpack_dual(view).tangent
            say(part, part.stride(), part.storage_offset(), part.data_ptr() >= tangent.data_ptr())
        dual[:, :1].mul_(10)
        say(tangent, fwd.unpack_dual(dual[0]).tangent)
        say(fwd.unpack_dual(dual.detach()).tangent, fwd.unpack_dual(dual.data).tangent)


def a_write_through_a_view_gives_its_base_a_tangent(torch: Any, say: Any) -> None:
    fwd = torch.autograd.forward_ad
    for write in ("copy_", "add_", "mul_"):
        base = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        view = base.T
        with fwd.dual_level():
            getattr(view, write)(fwd.make_dual(torch.full((2, 2), 2.0), torch.tensor([[1.0, 2.0], [3.0, 4.0]])))
            say(fwd.unpack_dual(base), fwd.unpack_dual(view).tangent)
            view *= 2
            say(fwd.unpack_dual(base).tangent, fwd.unpack_dual(base[0]).tangent)
    base, apart = torch.zeros(3), torch.zeros(2)
    cut = apart.detach()
    with fwd.dual_level():
        base[1:].copy_(fwd.make_dual(torch.ones(2), torch.ones(2)))
        cut.copy_(fwd.make_dual(torch.ones(2), torch.ones(2)))
        say(fwd.unpack_dual(base).tangent, fwd.unpack_dual(apart).tangent, fwd.unpack_dual(cut).tangent)


def a_tangent_is_laid_out_as_its_tensor(torch: Any, say: Any) -> None:
    fwd = torch.autograd.forward_ad
    straight, turned = torch.ones(2, 3), torch.ones(3, 2).T
    with fwd.dual_level():
        for value in (straight, turned):
            for tangent in (torch.ones(2, 3), torch.ones(3, 2).T):
                kept = fwd.unpack_dual(fwd.make_dual(value, tangent)).tangent
                say(kept is tangent, kept.stride())
        short = torch.ones(5)[:4].detach()
        kept = fwd.unpack_dual(fwd.make_dual(short, torch.ones(4))).tangent
        say(kept.untyped_storage().nbytes(), fwd.make_dual(short, torch.ones(4)).as_strided((5,), (1,), 0).shape)
        one = torch.tensor([1.0]).as_strided((1,), (2,), 0)
        flat = torch.tensor([1.0])
        say(fwd.unpack_dual(fwd.make_dual(one, flat)).tangent is flat)


def what_cannot_be_joined(torch: Any, say: Any) -> None:
    fwd = torch.autograd.forward_ad
    x = torch.ones(2)
    with fwd.dual_level():
        dual = fwd.make_dual(x, x.clone())
        say.error(lambda: fwd.make_dual(torch.ones(2), dual))
        say.error(lambda: fwd.make_dual(dual, x))
        say.error(lambda: torch.add(x, x, out=dual))
        say.error(lambda: torch.mul(dual, x, out=torch.ones(2)))
        say(dual == x, dual.eq_(x))


def levels_and_switches(torch: Any, say: Any) -> None:
    fwd = torch.autograd.forward_ad
    say(fwd._current_level, fwd._is_fwd_grad_enabled(), fwd.unpack_dual(torch.ones(1)).tangent)
    with fwd.dual_level():
        x = torch.ones(2)
        say(fwd._current_level, fwd.unpack_dual(x).primal is x, fwd.unpack_dual(x).primal._base is x)
        dual = fwd.make_dual(x, x.clone())
        with fwd._set_fwd_grad_enabled(False):
            off = dual * 2
            say(fwd._is_fwd_grad_enabled(), fwd.unpack_dual(off).tangent)
            with fwd._set_fwd_grad_enabled(True):
                say(fwd.unpack_dual(dual * 2).tangent)
        kept = dual.clone()
        kept.detach_()
        say(fwd.unpack_dual(kept * 2).tangent, fwd.unpack_dual(dual).primal.requires_grad)
    say(fwd._current_level, fwd.unpack_dual(dual).tangent, fwd.unpack_dual(x).primal is x)


def duals_show_their_tangents(torch: Any, say: Any) -> None:
    fwd = torch.autograd.forward_ad
    with fwd.dual_level():
        say(repr(fwd.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))))
        say(repr(fwd.make_dual(torch.tensor(1.0), torch.tensor(2.0))))
        dual = fwd.make_dual(torch.ones(2, 2, dtype=torch.float64), torch.zeros(2, 2, dtype=torch.float64))
        say(repr(dual).splitlines())
        say(repr(fwd.unpack_dual(dual).primal).splitlines())


def without_recording(torch: Any, say: Any) -> None:
    fwd = torch.autograd.forward_ad
    x, t = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    with fwd.dual_level():
        dual = fwd.make_dual(x, t)
        with torch.no_grad():
            out = dual * 3
        primal, tangent = fwd.unpack_dual(out)
        say(primal.requires_grad, tangent.requires_grad, tangent)
        primal, tangent = fwd.unpack_dual(dual)
        say(torch.autograd.grad(primal.sum(), (x, t), allow_unused=True, retain_graph=True))
        say(torch.autograd.grad(tangent.sum(), (x, t), allow_unused=True))
    with torch.inference_mode(), fwd.dual_level():
        dual = fwd.make_dual(torch.ones(2), torch.ones(2))
        dual += 1
        say(dual._is_view(), fwd.unpack_dual(dual * dual))


def what_jvp_may_return(torch: Any, say: Any) -> None:
    fwd = torch.autograd.forward_ad

    class Plain(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            inside = fwd.unpack_dual(x * 2).tangent
            fixed = x.clone()
            ctx.mark_non_differentiable(fixed)
            return x * y, object(), fixed, inside

        @staticmethod
        def jvp(ctx: Any, x: Any, y: Any) -> Any:
            return answers[0](x)

    answers: list[Any] = [
        lambda t: (t, None, None, None), lambda t: (t, None, t, None), lambda t: (t, t, None, None), lambda t: (t, None, None),
        lambda t: (5, None, None, None),
    ]  # fmt: skip
    while answers:
        with fwd.dual_level():
            dual = fwd.make_dual(torch.ones(2), torch.tensor([1.0, 2.0]))
            say.error(
                lambda dual=dual: [
                    fwd.unpack_dual(o).tangent if isinstance(o, torch.Tensor) else o is None
                    for o in Plain.apply(dual, torch.tensor(3))
                ]
            )
        answers.pop(0)


def jvp_of_what_is_written_or_viewed(torch: Any, say: Any) -> None:
    fwd = torch.autograd.forward_ad

    class Written(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return answers[0](t)

    class Viewed(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x[:1]

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return answers[0](t)

    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x, x + 1

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return answers[0](t), t

    def run(function: Any, view: bool = False) -> Any:
        with fwd.dual_level():
            tangent = torch.tensor([1.0, 2.0])
            dual = fwd.make_dual(torch.tensor([1.0, 2.0]), tangent)
            out = function.apply(dual.view_as(dual) if view else dual)
            first = out[0] if isinstance(out, tuple) else out
            kept = fwd.unpack_dual(first).tangent
            return first is dual, kept, kept is tangent, kept._base is tangent

    def ask(function: Any, *several: Any) -> None:
        for answer in several:
            answers[0] = answer
            say.error(lambda: run(function))
            if function is Viewed:
                say.error(lambda: run(function, view=True))

    answers: list[Any] = [None]
    ask(Written, lambda t: t.mul_(2), lambda t: t, lambda t: t * 2, lambda t: t.mul_(2).clone())
    ask(Viewed, lambda t: t[:1], lambda t: t[:1].clone(), lambda t: t.clone()[:1])
    ask(Same, lambda t: t.view_as(t), lambda t: t, lambda t: t * 2)


def operators_without_a_derivative_refuse_tangents(torch: Any, say: Any) -> None:
    forward_ad = torch.autograd.forward_ad
    half = torch.full((2,), 0.5)
    for function in (torch.igamma, torch.igammac, torch.cdist):
        with forward_ad.dual_level():
            dual = forward_ad.make_dual(half, torch.ones(2))
            arguments = (dual[None], dual[None]) if function is torch.cdist else (dual, dual)
            try:
                function(*arguments)
            except NotImplementedError as error:
                say(str(error).partition(" that ")[0], "that does not support it" in str(error))


def results_have_tangents_of_their_own(torch: Any, say: Any) -> None:
    fwd = torch.autograd.forward_ad
    tangent = torch.tensor([1.0, 10.0])
    with fwd.dual_level():
        dual = fwd.make_dual(torch.tensor([1.0, 2.0]), tangent)
        for function in (
            lambda d: d.clone(),
            lambda d: d + 0,
            lambda d: torch.zeros(2).copy_(d),
            lambda d: torch.cat([d]),
        ):
            result = function(dual)
            result.mul_(3)
            say(fwd.unpack_dual(result).tangent, tangent, fwd.unpack_dual(dual).tangent is tangent)


def a_tensor_that_takes_another_shape_takes_its_tangent_along(torch: Any, say: Any) -> None:
    forward = torch.autograd.forward_ad
    with forward.dual_level():
        for reshape in (
            lambda y: y.squeeze_(0),
            lambda y: y.squeeze_(),
            lambda y: y.unsqueeze_(0),
            lambda y: y.t_(),
            lambda y: y.transpose_(0, 1),
            lambda y: y.squeeze_((0,)),
            lambda y: y.as_strided_((2,), (1,)),
            lambda y: y.view(3).unsqueeze_(1),
            lambda y: y[:, 1:].t_(),
            lambda y: y.t_().add_(1) * 2,
        ):
            whole = torch.arange(3.0).view(1, 3)
            value = reshape(forward.make_dual(whole, whole + 10) * 2)
            say(*forward.unpack_dual(value))
        x, w = torch.ones(2), torch.arange(6.0).view(3, 2).requires_grad_()
        say(*forward.unpack_dual(torch.nn.functional.linear(x, forward.make_dual(w, w.detach() + 1))))
        say(*forward.unpack_dual(torch.nn.functional.linear(forward.make_dual(x, x + 1), w, torch.ones(3))))
