"""``torch.utils.checkpoint``: keep the inputs, compute the rest again in backward."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from engine.autograd.backward import backward
from engine.autograd.execution import ExecutionEngine
from engine.autograd.function import Function
from engine.autograd.graph import saved_tensors_hooks
from engine.autograd.modes import enable_grad, no_grad
from engine.autograd.modes import state as modes
from engine.autograd.saved import INFERENCE_ERROR
from engine.ops.random.state import default_generator
from engine.tensor import Tensor
from engine.transforms.checkpoint.recomputation import CHECKS, Recomputation, Run, replay
from engine.transforms.checkpoint.settings import settings

UNCHOSEN = (
    "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, calling "
    "checkpoint without use_reentrant will raise an exception. use_reentrant=False is recommended, but if you need to "
    "preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on the "
    "differences between the two variants."
)


Scopes = tuple[AbstractContextManager[Any], AbstractContextManager[Any]]
"""Around the first run, and around the second."""


def noop_context_fn() -> Scopes:
    """Scopes that change nothing: what ``context_fn`` is unless another is given."""
    return nullcontext(), nullcontext()


def checkpoint(
    function: Run,
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], Scopes] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """Runs ``function`` without keeping what its nodes save; backward runs it again.

    With ``use_reentrant`` the whole call is one node; without, the graph is the function's own, and only its saved tensors
    are made anew when the first of them is asked for.

    Args:
        context_fn: gives two scopes, for the first run and for the second.
        determinism_check: what both runs must save alike: "default" (shape, dtype, device) or "none".
        debug: an error about a second run that went otherwise tells where each run saved what.
        early_stop: end the second run as soon as it has made what is needed.

    Raises:
        ValueError: options that exclude each other.
        RuntimeError: an argument was made in inference mode.
    """
    if use_reentrant is None:
        warnings.warn(UNCHOSEN, UserWarning, stacklevel=2)
    if use_reentrant or use_reentrant is None:
        if context_fn is not noop_context_fn or debug:
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
    if modes.grad_enabled and not modes.inference and any(isinstance(a, Tensor) and a._inference for a in args):
        raise RuntimeError(INFERENCE_ERROR)  # as PyTorch does, which keeps them as saved tensors
    debug = settings.chosen(settings.debug, debug)
    if debug and context_fn is not noop_context_fn:
        raise ValueError("debug=True is incompatible with non-default context_fn")
    forward, again = context_fn()
    recomputation = Recomputation(
        function,
        args,
        kwargs,
        preserve_rng_state,
        stops_early=settings.chosen(settings.early_stop, early_stop),
        checks=CHECKS[determinism_check],
        context=again,
        debug=debug,
    )
    with forward, saved_tensors_hooks(recomputation.pack, recomputation.unpack):
        result = function(*args, **kwargs)
    recomputation.completed = True
    return result


class CheckpointFunction(Function):
    """The re-entrant way: one node, whose backward runs forward and backward of the function."""

    __module__ = "torch.utils.checkpoint"

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
            arguments[place] = tensor.detach()._tracked(tensor.requires_grad)

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


def checkpoint_sequential(
    functions: Any,
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    **options: Any,
) -> Any:
    """Splits a sequence of modules into segments and checkpoints each but the last.

    Raises:
        TypeError: no sequence, such as a single module.
        ValueError: further arguments.
    """
    if options:
        raise ValueError(f"Unexpected keyword arguments: {','.join(options)}")
    if not hasattr(functions, "__len__"):
        raise TypeError(f"object of type '{type(functions).__name__}' has no len()")
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
        input = checkpoint(
            segment(start, end), input, use_reentrant=use_reentrant, preserve_rng_state=preserve_rng_state
        )
    return segment(end + 1, len(modules) - 1)(input)
