"""The places in the program that enclose steps: functions, modules, loop turns, backward passes.

Most scopes never hold a step (a loop that only counts), so a scope gets its row in the trace when a step first asks
for it, and its ancestors with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from engine.trace.document import Scope
from engine.trace.parts import Span

Kind = Literal["program", "function", "module", "loop_turn", "backward", "hook"]


class Place:
    """One scope while it lasts. ``span`` is where it was entered from (for a function: the call's columns)."""

    __slots__ = ("kind", "loop", "names", "number", "parent", "span", "title", "turn")

    def __init__(
        self,
        kind: Kind,
        title: str | Callable[[Place], str],
        parent: Place | None,
        span: Span | None,
        loop: int = -1,
        turn: int = 0,
    ) -> None:
        self.kind = kind
        self.title = title
        self.parent = parent
        self.span = span
        self.loop = loop
        self.turn = turn
        self.names: dict[str, int] = {}
        """For functions and the program: which tensor each variable means."""
        self.number: int | None = None


class Activation:
    """A function call, module call or pass on the stack, with the loops that turn in it."""

    __slots__ = ("key", "loops", "place")

    def __init__(self, place: Place, key: int) -> None:
        self.place = place
        self.key = key
        """Identity of the frame, 0 for scopes that are no frame."""
        self.loops: list[Place] = []

    @property
    def innermost(self) -> Place:
        """The innermost loop turn, or the function itself."""
        return self.loops[-1] if self.loops else self.place


class ScopeStack:
    """Where the program is. ``rows`` is the trace's table of scopes."""

    def __init__(self) -> None:
        program = Place("program", "the snippet", None, None)
        program.number = 0
        self.rows: list[Scope] = [Scope("program", "the snippet")]
        self.program = Activation(program, 0)
        self.stack = [self.program]
        self.suspended: dict[int, Activation] = {}
        """Activations of generators that have begun, by frame."""
        self.row: int | None = 0
        """The innermost scope's index, once a step has asked for it (`here`)."""

    @property
    def top(self) -> Activation:
        """What runs now."""
        return self.stack[-1]

    def here(self) -> int:
        """The innermost scope's index."""
        if self.row is None:
            self.row = self.number(self.stack[-1].innermost)
        return self.row

    def is_plain(self) -> bool:
        """Whether nothing but the snippet's own functions is running: no module, pass or hook of the engine's."""
        return all(activation.place.kind in ("program", "function") for activation in self.stack)

    def number(self, place: Place) -> int:
        """The row of ``place``, made now if no step has asked before."""
        if place.number is None:
            parent = None if place.parent is None else self.number(place.parent)
            title = place.title if isinstance(place.title, str) else place.title(place)
            place.number = len(self.rows)
            self.rows.append(Scope(place.kind, title, parent, place.span))
        return place.number

    def enter(self, kind: Kind, title: str | Callable[[Place], str], span: Span | None, key: int = 0) -> Activation:
        """Begins a scope; its parent is the innermost place now."""
        activation = Activation(Place(kind, title, self.stack[-1].innermost, span), key)
        self.stack.append(activation)
        self.row = None
        return activation

    def leave(self, kind: Kind) -> None:
        """Ends the innermost engine-known scope of this kind and whatever was left open inside it."""
        for index in range(len(self.stack) - 1, 0, -1):
            if self.stack[index].place.kind == kind:
                del self.stack[index:]
                self.row = None
                return

    def leave_frame(self, key: int) -> None:
        """Ends the activation of a frame, and frames above it whose own end could not be reported."""
        self.suspended.pop(key, None)
        self.step_out(key)

    def step_out(self, key: int) -> None:
        """Takes a frame off the stack, for good or (a generator that yields) for now."""
        for index in range(len(self.stack) - 1, 0, -1):
            if self.stack[index].key == key:
                del self.stack[index:]
                self.row = None
                return

    def step_in(self, key: int) -> None:
        """A generator's frame runs again."""
        if self.stack[-1].key != key and (activation := self.suspended.get(key)) is not None:
            self.stack.append(activation)
            self.row = None

    def turn(self, loop: int, title: Callable[[Place], str], span: Span) -> int:
        """The loop begins another turn; loops inside it are over. Returns the turn's number, from 1."""
        loops = self.stack[-1].loops
        while loops and loops[-1].loop != loop and any(place.loop == loop for place in loops):
            loops.pop()
        last = loops[-1] if loops and loops[-1].loop == loop else None
        if last is not None and last.number is None:
            last.turn += 1  # no step asked for the turn before: its place serves again
            return last.turn
        turn = 1
        if last is not None:
            turn = last.turn + 1
            loops.pop()
        loops.append(Place("loop_turn", title, self.stack[-1].innermost, span, loop, turn))
        self.row = None
        return turn

    def innermost(self, loop: int) -> None:
        """Ends the loops inside ``loop``; -1 ends all of the running function."""
        loops = self.stack[-1].loops
        while loops and loops[-1].loop != loop:
            loops.pop()
        self.row = None
