"""Stories about checkpoints within checkpoints, and about what a policy has kept."""

from __future__ import annotations

import functools
import gc
import importlib
import weakref
from collections.abc import Callable
from typing import Any


def _slope(torch: Any, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The derivative as a function that can be differentiated again."""

    def of(x: Any) -> Any:
        with torch.enable_grad():
            (found,) = torch.autograd.grad(function(x), x, create_graph=True)
        return found

    return of


def _kept(torch: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, checkpointed."""
    return lambda *args, **rest: torch.utils.checkpoint.checkpoint(function, *args, use_reentrant=False, **rest)


def derivatives_through_nested_checkpoints(torch: Any, say: Any) -> None:
    def f(x: Any) -> Any:
        return x.sin().exp().sin()

    def g(x: Any) -> Any:
        torch.autograd.grad(x.sin().exp(), x)
        torch.autograd.grad(x.cos(), x)
        return x.sin()

    d, c = functools.partial(_slope, torch), functools.partial(_kept, torch)
    for early in (True, False):
        with torch.utils.checkpoint.set_checkpoint_early_stop(early):
            x = torch.tensor(0.7, requires_grad=True)
            for h in (f, g):
                say(h(x), c(h)(x), c(c(h))(x))
                say(d(h)(x), d(c(h))(x), d(c(c(h)))(x))
                say(d(d(h))(x), d(c(d(h)))(x), c(d(d(c(h))))(x), d(c(d(c(h))))(x))
                say(d(c(d(d(c(h)))))(x), d(c(d(c(d(c(h))))))(x))


def nothing_keeps_a_dropped_graph(torch: Any, say: Any) -> None:
    class Mark:
        pass

    def f(x: Any) -> Any:
        return x.sin().exp().sin()

    d, c = functools.partial(_slope, torch), functools.partial(_kept, torch)

    def survivors(function: Any) -> list[bool]:
        out = function(torch.tensor(0.7, requires_grad=True))
        nodes, marks = [out.grad_fn], []
        for node in nodes:
            nodes += [n for n, _ in node.next_functions if n is not None and all(n is not seen for seen in nodes)]
            mark = Mark()
            node.metadata["mark"] = mark
            marks.append(weakref.ref(mark))
        del out, nodes, node, mark
        return [m() is not None for m in marks if m() is not None]

    gc.collect()
    gc.disable()
    try:
        for function in (c(f), d(c(f)), d(c(c(f))), d(c(d(f))), c(d(d(c(f))))):
            say(survivors(function))
    finally:
        gc.enable()


def a_policy_is_asked_once_per_operator(torch: Any, say: Any) -> None:
    utils, aten = torch.utils.checkpoint, torch.ops.aten
    asked: list[str] = []
    ran: list[str] = []

    def policy(ctx: Any, op: Any, *args: Any, **kwargs: Any) -> Any:
        asked.append(f"{op} {ctx.is_recompute} {tuple(ctx.op_output.shape)}")
        return utils.CheckpointPolicy.MUST_SAVE if op is aten.mm.default else utils.CheckpointPolicy.PREFER_RECOMPUTE

    def f(x: Any, w: Any) -> Any:
        ran.append("f")
        return (x.sin() @ w).mul(2).cos().sum()

    x, w = torch.ones(2, 2, requires_grad=True), torch.full((2, 2), 0.5, requires_grad=True)
    contexts = functools.partial(utils.create_selective_checkpoint_contexts, policy)
    out = utils.checkpoint(f, x, w, use_reentrant=False, context_fn=contexts)
    say(asked, ran)
    out.backward()
    say(x.grad, w.grad, len(asked), ran)
    say(torch.autograd.grad(f(x, w), (x, w)))


def what_was_kept_is_used_once_and_unchanged(torch: Any, say: Any) -> None:
    utils, aten = torch.utils.checkpoint, torch.ops.aten

    def run(function: Any, op: Any, **rest: Any) -> Any:
        contexts = functools.partial(utils.create_selective_checkpoint_contexts, [op], **rest)
        x = torch.tensor([0.5, 1.0], requires_grad=True)
        return x, utils.checkpoint(function, x, use_reentrant=False, context_fn=contexts).sum()

    x, out = run(lambda t: t.sin().cos().exp(), aten.sin.default)
    out.backward(retain_graph=True)
    say(x.grad)
    say.error(lambda: out.backward(retain_graph=True))
    for allowed in (False, True):
        x, out = run(lambda t: t.sin().mul_(2).cos().exp(), aten.sin.default, allow_cache_entry_mutation=allowed)
        say.error(out.backward)
    x, out = run(lambda t: torch.var_mean(t)[0] * torch.var_mean(t)[1], aten.var_mean.correction)
    out.backward()
    say(x.grad)


def a_policy_must_name_overloads(torch: Any, say: Any) -> None:
    create, aten = torch.utils.checkpoint.create_selective_checkpoint_contexts, torch.ops.aten
    for given in ([2], [aten.sin], 2, [aten.sin.default], lambda *args: True):
        say.error(lambda given=given: len(create(given)))
    say(str(aten.sin.default), str(aten.add.Tensor), aten.sin.default is aten.sin.default, repr(aten.sin.default))


def a_dispatch_mode_sees_every_operator(torch: Any, say: Any) -> None:
    modes = importlib.import_module(f"{torch.__package__}.utils._python_dispatch")

    seen: list[str] = []

    class Watch(modes.TorchDispatchMode):  # type: ignore[name-defined]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(str(func))
            out = func(*args, **(kwargs or {}))
            return out * 10 if func is torch.ops.aten.neg.default else out

    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    with Watch():
        y = (x * 2 + x).t() @ x
        z = (-y).sum(0).pow(2)
        z.mul_(3)
        w = x.view(-1)[1:].mean() - x[0].sum()
    say(seen)
    say(z, z.grad_fn, w)
    say(torch.autograd.grad(z.sum() + w, x))
