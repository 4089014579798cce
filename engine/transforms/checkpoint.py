"""``torch.utils.checkpoint``: keep the inputs, compute the rest again in backward."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

from engine.autograd.backward import backward
from engine.autograd.execution import ExecutionEngine
from engine.autograd.function import Function
from engine.autograd.graph import saved_tensors_hooks
from engine.autograd.modes import enable_grad, no_grad, state
from engine.autograd.task import running
from engine.observe import state as observing
from engine.ops.random.state import default_generator
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
        if context_fn is not None or debug:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        if kwargs:
            raise ValueError(f"Unexpected keyword arguments: {','.join(kwargs)}")
        if not any(isinstance(a, Tensor) and a.requires_grad for a in args):
            warnings.warn(
                "None of the inputs have requires_grad=True. Gradients will be None", UserWarning, stacklevel=2
            )
        return CheckpointFunction.apply(function, preserve_rng_state, *args)
    if determinism_check not in CHECKS:
        raise ValueError(f"determinism_check should be one of {list(CHECKS)}, but got {determinism_check}")
    early = early_stop if _early_stop.enforced is None else _early_stop.enforced
    forward, again = (nullcontext(), nullcontext()) if context_fn is None else context_fn()
    recomputation = Recomputation(
        function, args, kwargs, preserve_rng_state, stops_early=early, checks=CHECKS[determinism_check], context=again
    )
    with forward, saved_tensors_hooks(recomputation.pack, recomputation.unpack):
        return function(*args, **kwargs)


CHECKS: dict[str, Callable[[Tensor], Any]] = {
    "default": lambda tensor: {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device},
    "none": lambda tensor: None,
}
"""What must be the same in both runs of a tensor that is saved, by the name of the check."""


class _EarlyStop:
    enforced: bool | None = None


_early_stop = _EarlyStop()


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Whether checkpoints made inside stop the second run once they have what they need, whatever their own setting."""
    before, _early_stop.enforced = _early_stop.enforced, enable
    try:
        yield
    finally:
        _early_stop.enforced = before


def replay(function: Run, random_state: Any, call: Callable[[], Any]) -> Any:
    """Runs the function again from the random state it first had."""
    listener = observing.listener or observing.aside
    if listener is not None:
        listener.recomputed(getattr(function, "__name__", type(function).__name__))
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
    def forward(ctx: Any, function: Run, preserve_rng_state: bool, *args: Any) -> Any:
        """Runs the function unrecorded and keeps its arguments."""
        ctx.function, ctx.random_state = function, default_generator.get_state() if preserve_rng_state else None
        ctx.arguments = [None if isinstance(a, Tensor) else a for a in args]
        ctx.places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx.save_for_backward(*[args[i] for i in ctx.places])
        with no_grad():
            return function(*args)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Runs the function recorded, then its backward.

        Raises:
            RuntimeError: the pass is for some inputs only, or nothing in the function requires grad.
        """
        if not ExecutionEngine.is_checkpoint_valid():
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter to "
                ".backward(). To resolve this error, you can either set use_reentrant=False, or call .backward() without passing "
                "the `inputs` argument."
            )
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
    """Stands where a saved tensor would; knows what that tensor looked like."""

    __slots__ = ("facts", "index")

    def __init__(self, index: int, facts: Any) -> None:
        self.index, self.facts = index, facts


class _Enough(Exception):
    """Ends the second run of a function: everything that is needed has been made."""


class CheckpointError(RuntimeError):
    """The second run did not do what the first one did."""


CheckpointError.__module__ = "torch.utils.checkpoint"


class Recomputation:
    """One checkpointed call without re-entry: its graph is the function's own, its saved tensors are made again on demand.

    The first saved tensor that a pass asks for makes the function run again; the others of that pass come from the same run.
    """

    def __init__(
        self,
        function: Run,
        args: Sequence[Any],
        kwargs: dict[str, Any],
        preserve_rng_state: bool,
        *,
        stops_early: bool,
        checks: Callable[[Tensor], Any],
        context: Any,
    ) -> None:
        self.function, self.args, self.kwargs = function, args, kwargs
        self.random_state = default_generator.get_state() if preserve_rng_state else None
        self.stops_early, self.facts_of, self.context = stops_early, checks, context
        self.grad_enabled = state.grad_enabled
        self.kept: list[_Kept] = []
        self.made: dict[int, dict[int, Tensor]] = {}
        """By pass: what its second run saved, until it is asked for."""

    def pack(self, tensor: Tensor) -> _Kept:
        """First run: keeps nothing but a note."""
        self.kept.append(_Kept(len(self.kept), self.facts_of(tensor)))
        return self.kept[-1]

    def unpack(self, kept: _Kept) -> Tensor:
        """In backward: the tensor out of the second run."""
        number = running[-1].number if running else -1
        if kept.index not in self.made.get(number, {}):
            self.made[number] = self.run_again()
        again = self.made[number]
        tensor = again.pop(kept.index)
        if not again:
            del self.made[number]
        return tensor

    def run_again(self) -> dict[int, Tensor]:
        """The second run; returns what it saved, by position.

        Raises:
            CheckpointError: it saved other tensors than the first.
        """
        made: dict[int, Tensor] = {}

        def collect(tensor: Tensor) -> Tensor:
            if len(made) == len(self.kept):
                raise CheckpointError(
                    "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original forward "
                    f"pass.\nNumber of tensors saved during forward: {len(self.kept)}"
                )
            made[len(made)] = tensor.detach()
            if self.stops_early and len(made) == len(self.kept):
                raise _Enough
            return tensor

        def recorded() -> None:
            mode = enable_grad() if self.grad_enabled else no_grad()
            with suppress(_Enough), self.context, mode, saved_tensors_hooks(collect, lambda tensor: tensor):
                self.function(*self.args, **self.kwargs)

        replay(self.function, self.random_state, recorded)
        self.check(made)
        return made

    def check(self, made: dict[int, Tensor]) -> None:
        """Raises:
        CheckpointError: what was saved in the second run differs in number or looks.
        """
        if len(made) != len(self.kept):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation.\n"
                f"Number of tensors saved during forward: {len(self.kept)}\n"
                f"Number of tensors saved during recomputation: {len(made)}."
            )
        different = [
            f"tensor at position {kept.index}:\nsaved metadata: {kept.facts}\nrecomputed metadata: {facts}"
            for kept, facts in zip(self.kept, map(self.facts_of, made.values()), strict=True)
            if kept.facts != facts
        ]
        if different:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than during the "
                "forward pass.\n" + "\n".join(different)
            )


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
