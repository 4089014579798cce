"""The recorder: the engine's reports become steps, as they happen and without words.

One method per report of `engine.observe.Listener`. Values are read at once, because the program may write into them
later; everything else is left to the readers of the finished trace.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.observe import state as observing
from engine.tensor import Tensor
from engine.trace import events
from engine.trace.follower import Follower
from engine.trace.limits import OPERATION
from engine.trace.recording.backward import Backward
from engine.trace.recording.forward import Forward
from engine.trace.recording.schedule import Schedule, plain
from engine.trace.recording.training import Training, parameters
from engine.trace.registry import Registry
from engine.trace.scopes import ScopeStack
from engine.trace.spans import Locator
from engine.trace.tape import Tape


class Recorder(Forward, Backward):
    """Listens to the engine."""

    def __init__(
        self, follower: Follower, tape: Tape, registry: Registry, scopes: ScopeStack, locator: Locator
    ) -> None:
        super().__init__(follower, tape, registry, scopes, locator)
        self.training = Training(tape, registry)
        self.schedule = Schedule(registry)

    def goes_on(self, passes: int) -> None:
        """Listens again after so many backward passes that it did not hear of."""
        self.passes.clear()
        self.calls += passes

    def gradients_zeroed(self, tensors: Sequence[Any], to_none: bool) -> None:
        """``zero_grad()`` or ``t.grad = None``."""
        if not self.skips():
            self.registry.forget_values()
            self.add(events.GradientsZeroed(tensors=[self.registry.tensor(t) for t in tensors], to_none=to_none))

    def gradient_set(self, tensor: Any, old: Any, new: Any) -> None:
        """``t.grad = new``, by the snippet."""
        self.follower.spend(OPERATION)
        if self.skips() or self.in_quiet_pass():
            return
        self.registry.forget_values()
        index = self.registry.tensor(tensor)
        self.registry.gradient_of(new, index)
        row = self.registry.known_tensor(new)
        if row is not None:
            self.tape.tensors[row].gradient_of = index
            self.tape.tensor_changed(row)
        before = self.registry.optional(old)
        self.add(events.GradientSet(tensor=index, old=before, value=self.registry.value(new)))

    def optimizer_stepping(self, optimizer: Any) -> None:
        """``step()`` is about to change parameters."""
        self.follower.spend(OPERATION * sum(2 for _ in parameters(optimizer)))
        self.training.stepping(optimizer)

    def optimizer_stepped(self, optimizer: Any) -> None:
        """``step()`` changed parameters."""
        if not self.skips():
            self.add(self.training.stepped(optimizer))

    def schedule_stepping(self, scheduler: Any) -> None:
        """A schedule is about to set learning rates."""
        self.follower.spend(OPERATION)
        if not self.tape.full:
            with observing.silent():
                self.schedule.stepping(scheduler)

    def schedule_stepped(self, scheduler: Any, metric: float | None = None, unimproved: int = 0) -> None:
        """A schedule has set learning rates."""
        if self.skips():
            return
        with observing.silent():
            told = self.schedule.stepped(scheduler, metric, unimproved)
        if told is not None:
            self.add(told)

    def gradients_clipping(
        self,
        function: str,
        owners: Sequence[Any],
        limit: float,
        norm_type: float | None = None,
        total: Any = None,
        factor: Any = None,
        beyond: int | None = None,
    ) -> None:
        """Gradients are about to be clipped: as one step, with the norm that was worked out unseen."""
        self.follower.spend(2 * OPERATION * len(owners))
        if self.skips():
            return
        registry = self.registry
        made = None
        if isinstance(total, Tensor) and registry.known_tensor(total) is None:
            made = registry.new_tensor(total, *self.place())
        self.add(
            events.GradientsClipped(
                function=function,
                tensors=registry.rows(owners),
                gradients=registry.rows(owner._grad for owner in owners),
                limit=plain(limit),
                norm_type=None if norm_type is None else plain(norm_type),
                norm=None if total is None else plain(one_number(total)),
                total=made,
                factor=None if factor is None else plain(one_number(factor)),
                elements=0 if beyond is None else sum(owner._grad._array.size for owner in owners),
                beyond=beyond or 0,
            )
        )


def one_number(tensor: Any) -> float:
    """The number that a tensor of one element holds; it leaves no graph by this."""
    return float(tensor._array) if isinstance(tensor, Tensor) else float(tensor)
