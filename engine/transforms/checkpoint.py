"""``torch.utils.checkpoint``: keep the inputs, compute the rest again in backward."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from engine.autograd.backward import backward
from engine.autograd.function import Function
from engine.autograd.graph import saved_tensors_hooks
from engine.autograd.modes import enable_grad, no_grad, state
from engine.observe import state as observing
from engine.ops.random_state import default_generator
from engine.tensor import Tensor

Run = Callable[..., Any]


def checkpoint(
    function: Run,
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Any = None,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """Runs ``function`` without keeping what its nodes save; backward runs it again.

    With ``use_reentrant`` the whole call is one node; without, the graph is the function's own, and only its saved tensors
    are made anew when the first of them is asked for.
    """
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, calling "
            "checkpoint without use_reentrant will raise an exception. use_reentrant=False is recommended, but if you need to "
            "preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on the "
            "differences between the two variants.",
            UserWarning,
            stacklevel=2,
        )
        use_reentrant = True
    if use_reentrant:
        if kwargs:
            raise ValueError(f"Unexpected keyword arguments: {','.join(kwargs)}")
        if not any(isinstance(a, Tensor) and a.requires_grad for a in args):
            warnings.warn(
                "None of the inputs have requires_grad=True. Gradients will be None", UserWarning, stacklevel=2
            )
        return CheckpointFunction.apply(function, preserve_rng_state, *args)
    return without_reentry(function, preserve_rng_state, args, kwargs)


def replay(function: Run, random_state: Any, call: Callable[[], Any]) -> Any:
    """Runs the function again from the random state it first had."""
    if observing.listener is not None:
        observing.listener.recomputed(getattr(function, "__name__", type(function).__name__))
    now = default_generator.get_state()
    if random_state is not None:
        default_generator.set_state(random_state)
    try:
        return call()
    finally:
        if random_state is not None:
            default_generator.set_state(now)


class CheckpointFunction(Function):
    """The re-entrant way: one node, whose backward runs forward and backward of the function."""

    @staticmethod
    def forward(ctx: Any, function: Run, preserve_rng_state: bool, *args: Any) -> Any:  # type: ignore[override]
        """Runs the function unrecorded and keeps its arguments."""
        ctx.function, ctx.random_state = function, default_generator.get_state() if preserve_rng_state else None
        ctx.arguments = [None if isinstance(a, Tensor) else a for a in args]
        ctx.places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx.save_for_backward(*[args[i] for i in ctx.places])
        with no_grad():
            return function(*args)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Runs the function recorded, then its backward."""
        arguments = list(ctx.arguments)
        for place, tensor in zip(ctx.places, ctx.saved_tensors, strict=True):
            arguments[place] = tensor.detach().requires_grad_(tensor.requires_grad)

        def recorded() -> Any:
            with enable_grad():
                return ctx.function(*arguments)

        outputs = replay(ctx.function, ctx.random_state, recorded)
        pairs = [
            (o, g)
            for o, g in zip(outputs if isinstance(outputs, tuple) else (outputs,), gradients, strict=True)
            if isinstance(o, Tensor) and o.requires_grad
        ]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([o for o, _ in pairs], [g for _, g in pairs])
        return (None, None, *(a.grad if isinstance(a, Tensor) else None for a in arguments))


class _Kept:
    """Stands where a saved tensor would; filled when the function has run again."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index


def without_reentry(function: Run, preserve_rng_state: bool, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """The function's own graph, with saved tensors recomputed together at the first request."""
    random_state = default_generator.get_state() if preserve_rng_state else None
    grad_enabled = state.grad_enabled
    count = 0
    again: dict[int, Any] = {}

    def pack(tensor: Tensor) -> _Kept:
        nonlocal count
        count += 1
        return _Kept(count - 1)

    def unpack(kept: _Kept) -> Any:
        if kept.index not in again:
            recompute()
        return again.pop(kept.index)

    def recompute() -> None:
        made = 0

        def collect(tensor: Tensor) -> Tensor:
            nonlocal made
            again[made] = tensor.detach()
            made += 1
            return tensor

        def recorded() -> None:
            with enable_grad() if grad_enabled else no_grad(), saved_tensors_hooks(collect, lambda t: t):
                function(*args, **kwargs)

        replay(function, random_state, recorded)
        if made != count:
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation.\n"
                f"Number of tensors saved during forward: {count}\nNumber of tensors saved during recomputation: {made}"
            )

    with saved_tensors_hooks(pack, unpack):
        return function(*args, **kwargs)


class CheckpointError(RuntimeError):
    """The second run did not do what the first one did."""


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **options: Any
) -> Any:
    """Splits a sequence of modules into segments and checkpoints each but the last."""
    modules = list(functions.children()) if hasattr(functions, "children") else list(functions)
    size = len(modules) // segments

    def segment(start: int, end: int) -> Run:
        def run(value: Any) -> Any:
            for module in modules[start : end + 1]:
                value = module(value)
            return value

        return run

    end = -1
    for start in range(0, size * (segments - 1), size):
        end = start + size - 1
        input = checkpoint(segment(start, end), input, use_reentrant=use_reentrant, **options)
    return segment(end + 1, len(modules) - 1)(input)
