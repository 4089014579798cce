"""The replay itself: a moment that moves on, step by step."""

from __future__ import annotations

from engine.trace import events
from engine.trace.state.effects import EFFECTS
from engine.trace.state.moment import Moment


class State(Moment):
    """The program and its graph at the moment of the replay that `advance` has come to; at first before any step."""

    def advance(self, step: events.Step) -> None:
        """Applies the next step."""
        self.step += 1
        effect = EFFECTS.get(type(step))
        if effect is not None:
            effect(self, step)
