"""A checkpointed call without re-entry: its graph is the function's own, its saved tensors are made again on demand."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from engine.autograd.anomaly import ENGINE
from engine.autograd.graph import saved_tensors_hooks
from engine.autograd.modes import enable_grad, no_grad, state
from engine.autograd.running import running
from engine.autograd.saved import modified_error
from engine.observe import state as observing
from engine.ops.core.autocast import state as autocasting
from engine.ops.random.state import default_generator
from engine.tensor import Tensor
from engine.transforms.autocast_mode import autocast
from engine.transforms.checkpoint.settings import settings

Run = Callable[..., Any]

CHECKS: dict[str, Callable[[Tensor], Any]] = {
    "default": lambda tensor: {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device},
    "none": lambda tensor: None,
}
"""What must be the same in both runs of a tensor that is saved, by the name of the check."""


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


class _Kept:
    """Stands where a saved tensor would; knows what that tensor looked like, and where it was saved if that was asked for."""

    __slots__ = ("facts", "index", "where")

    def __init__(self, index: int, facts: Any, where: str) -> None:
        self.index, self.facts, self.where = index, facts, where


class _Enough(Exception):
    """Ends the second run of a function: everything that is needed has been made."""


class CheckpointError(RuntimeError):
    """The second run did not do what the first one did."""


REMEDIES = (
    "\n\nPass `debug=True` to `torch.utils.checkpoint.checkpoint(...)`, or run inside `with "
    "torch.utils.checkpoint.set_checkpoint_debug_enabled(True):`, to be told where each tensor was saved.\n\n"
    "PyTorch has two more remedies for functions compiled by torch.compile, which may run as another graph the second time: "
    "Use torch._dynamo.mark_dynamic() to explicitly mark varying dimensions; "
    "Call torch._C._dynamo.eval_frame._set_lru_cache(False) to disable LRU cache reordering."
)


CheckpointError.__module__ = "torch.utils.checkpoint"


class Recomputation:
    """One checkpointed call.

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
        debug: bool,
    ) -> None:
        self.function, self.args, self.kwargs = function, args, kwargs
        self.versions = [(a, a._version) for a in args if isinstance(a, Tensor) and not a._inference]
        """Of the arguments when the function ran: PyTorch keeps these as saved tensors."""
        self.random_state = default_generator.get_state() if preserve_rng_state else None
        self.stops_early, self.facts_of, self.context, self.debug = stops_early, checks, context, debug
        self.grad_enabled = state.grad_enabled
        self.precision = {"dtype": autocasting.dtype, "enabled": state.autocast, "cache_enabled": autocasting.caching}
        self.kept: list[_Kept] = []
        self.completed = False
        """Whether the first run is over; before, a pass inside it may already need a second run."""

    def pack(self, tensor: Tensor) -> _Kept:
        """First run: keeps nothing but a note."""
        self.kept.append(_Kept(len(self.kept), self.facts_of(tensor), self.here()))
        return self.kept[-1]

    def unpack(self, kept: _Kept) -> Tensor:
        """In backward: the tensor out of the second run.

        Raises:
            CheckpointError: this pass (or `GraphExecGroup`) had it already; the second run went otherwise than the first.
        """
        made = self.runs()
        if self not in made:
            made[self] = self.run_again()
        tensor = made[self].pop(kept.index, None)
        if tensor is None:
            overlap = (
                "Performing two backward calls that overlap (i.e. require the same saved activation in order to compute gradients) "
                "is not allowed while under the torch.utils.checkpoint.GraphExecGroup context. "
                if settings.group is not None
                else ""
            )
            raise CheckpointError(
                "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. "
                f"{overlap}If you are calling ctx.saved_tensors in backward, make sure to do so only once. Otherwise "
                "please open an issue with details on your use case."
            )
        return tensor

    def runs(self) -> Any:
        """What second runs saved and nobody has asked for yet, by call: of this group of passes or this pass; outside, of nothing."""
        if settings.group is not None:
            return settings.group.made
        if not running:
            return {}
        task = running[-1]
        if task.recomputed is None:
            task.recomputed = {}
        return task.recomputed

    def run_again(self) -> dict[int, Tensor]:
        """The second run; returns what it saved, by position.

        Raises:
            CheckpointError: it saved other tensors than the first.
            RuntimeError: an argument was written into since.
        """
        made: list[tuple[Tensor, str]] = []

        def collect(tensor: Tensor) -> Tensor:
            if len(made) == len(self.kept) and not self.completed:
                return tensor.detach() if tensor.requires_grad else tensor
            if len(made) == len(self.kept):
                raise CheckpointError(
                    "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original forward "
                    f"pass.\nNumber of tensors saved during forward: {len(self.kept)}"
                )
            if tensor.requires_grad:  # else an output would keep the node that keeps it
                tensor = tensor.detach()
            made.append((tensor, self.here()))
            if self.stops_early and len(made) == len(self.kept):
                raise _Enough
            return tensor

        for tensor, version in self.versions:
            if tensor._version != version:
                raise RuntimeError(modified_error(tensor, version, tensor._version, tensor.grad_fn, tensor._output_nr))

        def recorded() -> None:
            mode = enable_grad() if self.grad_enabled else no_grad()
            precision = autocast("cpu", **self.precision)
            with suppress(_Enough), precision, self.context, mode, saved_tensors_hooks(collect, lambda tensor: tensor):
                self.function(*self.args, **self.kwargs)

        try:
            replay(self.function, self.random_state, recorded)
            self.check([tensor for tensor, _ in made])
        except CheckpointError as error:
            if not self.debug:
                raise
            raise CheckpointError(self.protocol([where for _, where in made])) from error
        return {index: tensor for index, (tensor, _) in enumerate(made)}

    def check(self, made: Sequence[Tensor]) -> None:
        """Raises CheckpointError: what was saved in the second run differs in number or looks."""
        if len(made) != len(self.kept):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation.\n"
                f"Number of tensors saved during forward: {len(self.kept)}\n"
                f"Number of tensors saved during recomputation: {len(made)}.{REMEDIES}"
            )
        different = [
            f"tensor at position {kept.index}:\nsaved metadata: {kept.facts}\nrecomputed metadata: {facts}"
            for kept, facts in zip(self.kept, map(self.facts_of, made), strict=True)
            if kept.facts != facts
        ]
        if different:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than during the "
                "forward pass.\n" + "\n".join(different) + REMEDIES
            )

    def here(self) -> str:
        """The person's lines that are running now, if they will be told."""
        if not self.debug:
            return ""
        frames = [f for f in traceback.extract_stack() if not f.filename.startswith(ENGINE)]
        return "".join(traceback.format_list(frames))

    def protocol(self, again: Sequence[str]) -> str:
        """Where each of the two runs saved what: the message with ``debug=True``."""

        def told(title: str, places: Sequence[str]) -> str:
            return "\n".join(f"{n} of {len(places)} in {title}, saved at\n{where}" for n, where in enumerate(places, 1))

        return (
            "An error happened while unpacking tensors; dumping logs of latest computation because you passed `debug=True` to "
            "`torch.utils.checkpoint.checkpoint()`.\n\n"
            f"{told('original', [kept.where for kept in self.kept])}\n{told('recompute', again)}\n"
            "You are seeing this error because you passed `debug=True` to checkpoint and some tensors to be saved during the original "
            "forward and differ between those saved during recomputation: look for the first place where the two lists part."
        )
