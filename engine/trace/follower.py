"""Follows the program: lines reached, names bound, functions entered, loops turning. Implements `program.Hooks`."""

from __future__ import annotations

import sys
from typing import Any

from engine.observe import state as observing
from engine.tensor import Tensor
from engine.trace import names
from engine.trace.events import Line, NameBound, NameUnbound
from engine.trace.limits import CHEAPER, UNWATCHED, Limits
from engine.trace.program import Binding, Program
from engine.trace.registry import Registry
from engine.trace.scopes import Place, ScopeStack
from engine.trace.spans import Locator
from engine.trace.tape import Tape

PLAIN = frozenset({int, float, bool, str, type(None)})
"""Values that can hold no tensor."""


class Spent(BaseException):
    """A budget of the run is spent. Not an Exception: the snippet's own handlers are not meant for it."""

    def __init__(self, limit: str) -> None:
        super().__init__(limit)
        self.limit = limit


class Follower:
    """Turns hook calls into steps, and keeps the work budget."""

    def __init__(
        self, program: Program, limits: Limits, tape: Tape, registry: Registry, scopes: ScopeStack, locator: Locator
    ) -> None:
        self.program = program
        self.tape = tape
        self.registry = registry
        self.scopes = scopes
        self.locator = locator
        self.work = limits.work
        """What is left of the budget; below zero every hook raises `Spent`."""
        self._tensor_names: set[str] = set()
        """Names that have ever meant a tensor."""
        self._running = 0
        """The statement that runs now, by number."""
        self._before = limits.work
        """What was left of the budget when it began."""
        self._costs = [1 + UNWATCHED] * len(program.statements)
        """The most work that each statement took while its operations were counted, as it costs unwatched."""
        self._times = [0] * len(program.statements)
        self._spans = [statement.span for statement in program.statements]
        self._shown = [statement.shown for statement in program.statements]

    def spend(self, amount: int) -> None:
        """Takes from the budget. Raises `Spent` when nothing is left, every time from then on."""
        self.work -= amount
        if self.work < 0:
            raise Spent("steps")

    # ── hooks ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def line(self, statement: int) -> None:
        """A statement is about to run: the work budget and a step."""
        tape = self.tape
        if not tape.full:
            taken = (self._before - self.work) // CHEAPER
            if taken > self._costs[self._running]:
                self._costs[self._running] = taken
            self._running, self._before = statement, self.work
        self.work -= 1
        if self.work < 0:
            raise Spent("steps")
        span = self._spans[statement]
        tape.line = span.line
        times = self._times[statement] = self._times[statement] + 1
        if tape.sink is not None:
            tape.pause(span.line)
        if tape.full:
            # Nothing more is kept: the engine may run unwatched, at several times the speed.
            observing.listener = None
            self.work -= self._costs[statement] - 1
            tape.folded += 1
            return
        if not self._shown[statement]:
            return
        self.registry.forget_values()
        tape.add(Line(span=span, scope=self.scopes.here(), times=times))

    def resumed_line(self, statement: int) -> None:
        """The same in a generator, whose frame may be new on the stack."""
        self.scopes.step_in(id(sys._getframe(1)))
        self.line(statement)

    def tick(self) -> bool:
        """A comprehension's turn."""
        self.spend(1)
        return True

    def entered(self, function: int, *parameters: Any) -> None:
        """A function begins: its scope, and its parameters' names."""
        self.spend(1)
        definition = self.program.functions[function]
        key = id(sys._getframe(1))
        activation = self.scopes.enter("function", f"{definition.name}()", self.locator.here(3), key)
        if definition.resumable:
            self.scopes.suspended[key] = activation
        for name, value in zip(definition.parameters, parameters, strict=True):
            self._means(activation.place, name, value, definition.span)

    def left(self) -> None:
        """A function ends."""
        self.scopes.leave_frame(id(sys._getframe(1)))

    def suspended(self, value: Any) -> Any:
        """A generator steps off the stack."""
        self.scopes.step_out(id(sys._getframe(1)))
        return value

    def resumed(self, value: Any) -> Any:
        """A generator is back on the stack."""
        self.scopes.step_in(id(sys._getframe(1)))
        return value

    def turn(self, loop: int) -> None:
        """A loop turns: a scope of its own, and its header's step from the second turn on."""
        header = self.program.loops[loop]
        if self.scopes.turn(loop, self._turn_title, header.span) > 1:
            self.line(header.statement)

    def _turn_title(self, place: Place) -> str:
        return f"turn {place.turn} of {self.program.loops[place.loop].text}"

    def innermost(self, loop: int) -> None:
        """Loops are over."""
        self.scopes.innermost(loop)

    def bound(self, binding: int, base: Any) -> None:
        """A target was bound."""
        if self.tape.full:
            return
        target = self.program.bindings[binding]
        if type(base) in PLAIN and target.name not in self._tensor_names:
            return
        value = base
        for part in target.path:
            value = names.attribute(value, part)
        self._bind(target, value)

    def walrus(self, binding: int, value: Any) -> Any:
        """A walrus is about to bind."""
        if not self.tape.full:
            self._bind(self.program.bindings[binding], value)
        return value

    def unbound(self, binding: int) -> None:
        """A name is gone."""
        if not self.tape.full:
            self._bind(self.program.bindings[binding], names.MISSING)

    # ── names ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _bind(self, target: Binding, value: Any) -> None:
        name = ".".join((target.name, *target.path))
        self._means(self._holder(target), name, value, target.span)

    def _holder(self, target: Binding) -> Place:
        """The function activation (or the program) that the name belongs to."""
        if target.where == "global":
            return self.scopes.program.place
        frames = [activation.place for activation in reversed(self.scopes.stack) if activation.place.kind == "function"]
        if target.where == "nonlocal":
            for place in frames[1:]:
                if target.name in place.names:
                    return place
        return frames[0] if frames else self.scopes.program.place

    def _means(self, holder: Place, name: str, value: Any, span: Any) -> None:
        """A name now stands for ``value``; a step when a tensor comes or goes."""
        previous = holder.names.get(name)
        if isinstance(value, Tensor):
            registry = self.registry
            index = registry.tensor(value)
            if index != previous:
                holder.names[name] = index
                self._tensor_names.add(name)
                registry.name(index, name)
                self.tape.add(
                    NameBound(span=span, scope=self.scopes.here(), name=name, tensor=index, previous=previous)
                )
            return
        if previous is not None:
            del holder.names[name]
            self.tape.add(NameUnbound(span=span, scope=self.scopes.here(), name=name, previous=previous))
        for part, tensor in names.contents(name, value):
            self.registry.name(self.registry.tensor(tensor), part)
        for part, module in names.modules(name, value):
            self.registry.name_module(module, part)
