"""What listens to the replay for mistakes that raise no error, each kind in a file of its own."""

from __future__ import annotations

from typing import ClassVar

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.history import History
from engine.trace.state import State


class Watcher:
    """Listens for one kind of mistake. Subclasses say what they hear and answer where something should be said."""

    hears: ClassVar[tuple[type[events.Event], ...]] = ()
    """The events that it wants to see."""

    def __init__(self, history: History) -> None:
        self.history = history

    def hear(self, state: State, step: events.Step) -> tuple[int, Answer] | None:
        """The tensor concerned and the answer. ``state`` is what is true after the step."""
        raise NotImplementedError
