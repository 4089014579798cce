"""What every part of the recorder shares: where steps go, where the program is, and when nothing is kept."""

from __future__ import annotations

from engine.observe import Listener
from engine.trace.events import Step
from engine.trace.follower import Follower
from engine.trace.parts import Span
from engine.trace.registry import Registry
from engine.trace.scopes import ScopeStack
from engine.trace.spans import Locator
from engine.trace.tape import Tape


class Pass:
    """A backward pass that is running."""

    __slots__ = ("call", "create_graph", "inputs", "node", "order", "reached", "scope_depth", "span")

    def __init__(
        self, call: int, create_graph: bool, inputs: list[int] | None, scope_depth: int, span: Span | None
    ) -> None:
        self.call = call
        self.create_graph = create_graph
        self.inputs = inputs
        self.scope_depth = scope_depth
        self.span = span
        self.node = -1
        """The row of the node that runs."""
        self.order = 0
        self.reached: list[int] = []


class Recording(Listener):
    """Base of the recorder's parts."""

    def __init__(
        self, follower: Follower, tape: Tape, registry: Registry, scopes: ScopeStack, locator: Locator
    ) -> None:
        self.follower = follower
        self.tape = tape
        self.registry = registry
        self.scopes = scopes
        self.locator = locator
        self.passes: list[Pass] = []
        self.calls = 0
        self.leaves: dict[int, bool] = {}
        """Tensors that got an AccumulateGrad, in order."""
        self.recording_off = False
        """Whether the person switched gradient mode off (custom functions do so too, and do not report it)."""

    def add(self, event: Step) -> None:
        """Keeps a step of the operation that runs now. Called straight from the engine's report."""
        scopes = self.scopes
        event.span = self.locator.here(3)
        event.scope = scopes.here() if scopes.row is None else scopes.row
        self.tape.add(event)

    def tell(self, event: Step) -> None:
        """Keeps a step of the running pass: whatever it does, the call that started it is its place."""
        passes, scopes = self.passes, self.scopes
        event.span = passes[-1].span if passes else self.locator.here(3)
        event.scope = scopes.here() if scopes.row is None else scopes.row
        self.tape.add(event)

    def place(self) -> tuple[Span | None, int]:
        """Columns and scope of the operation that runs now. Called straight from the engine's report."""
        return self.locator.here(3), self.scopes.here()

    def skips(self) -> bool:
        """True (and counted) when the step budget is spent: ``tape.full``, which the commonest reports ask first."""
        tape = self.tape
        if tape.full:
            tape.folded += 1
        return tape.full

    def in_quiet_pass(self) -> bool:
        """Inside a pass that records nothing: the engine's own arithmetic, unless a hook of the person's runs."""
        if not self.passes or self.passes[-1].create_graph:
            return False
        return len(self.scopes.stack) == self.passes[-1].scope_depth and not self.locator.in_callback(3)
