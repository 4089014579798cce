"""The recorder: the engine's reports become steps, as they happen and without words.

One method per report of `engine.observe.Listener`. Values are read at once, because the program may write into them
later; everything else is left to the readers of the finished trace.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.trace import events
from engine.trace.follower import Follower
from engine.trace.limits import OPERATION
from engine.trace.recording.backward import Backward
from engine.trace.recording.forward import Forward
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
