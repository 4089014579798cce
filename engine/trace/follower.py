"""Follows the program: lines reached, names bound, functions entered, loops turning. Implements `program.Hooks`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any

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
from engine.trace.turns import turn_title
from engine.trace.unkept import Unkept

if TYPE_CHECKING:
    from engine.trace.recording.recorder import Recorder

PLAIN = frozenset({int, float, bool, str, type(None)})
"""Values that can hold no tensor."""
TWICE = 0.6
"""How much of the work must be left for the run to be played again."""
MOST_UNSEEN = 200
"""Nodes made while nothing was kept that the steps after it may show."""


class Spent(BaseException):
    """A budget of the run is spent. Not an Exception: the snippet's own handlers are not meant for it."""

    def __init__(self, limit: str) -> None:
        super().__init__(limit)
        self.limit = limit


class Follower:
    """Turns hook calls into steps, and keeps the work budget."""

    recorder: Recorder
    """Who listens to the engine; it reports to this object, so it is made after it."""

    def __init__(
        self,
        program: Program,
        limits: Limits,
        tape: Tape,
        registry: Registry,
        scopes: ScopeStack,
        locator: Locator,
        window: int | None = None,
    ) -> None:
        """``window``: the statement, counted from the beginning, from which on steps are kept again."""
        self.opened = False
        """Whether that came to pass."""
        self.program = program
        self.limits = limits
        self.window = window
        self.reached = 0
        """Statements so far."""
        self.unkept = Unkept(registry)
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

    def over(self) -> None:
        """The program has ended: what was not kept is told."""
        if self.unkept.began is not None:
            left_out = self.unkept.end(self.reached, self.tape.steps[-1].scope)
            self.tape.add_last(left_out)

    def worth_another_run(self, raised: bool) -> int | None:
        """The statement from which on steps should have been kept, if there is one and the work can be done twice."""
        missed = self.unkept.broke or (self.unkept.turned if raised else None)
        return missed if self.work > self.limits.work * TWICE else None

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
        self.reached += 1
        if tape.sink is not None:
            tape.pause(span.line)
        if tape.full and not self._keeps_again(statement):
            self._unkept_line(statement)
            return
        if not self._shown[statement]:
            return
        self.registry.forget_values()
        scopes = self.scopes
        tape.add(Line(span=span, scope=scopes.here() if scopes.row is None else scopes.row, times=times))

    def _unkept_line(self, statement: int) -> None:
        """Nothing more is kept: the engine may run unwatched, at several times the speed."""
        if self.unkept.began is None:
            self.unkept.begin(self.reached)
        if observing.listener is not None and self.scopes.is_plain():
            observing.listener = None
        if observing.listener is None:
            self.work -= self._costs[statement] - 1
        self.tape.folded += 1

    def _keeps_again(self, statement: int) -> bool:
        """Whether the statement is the one that steps are kept from again; tells what happened before it."""
        if self.reached != self.window or not self.scopes.is_plain():
            return False
        known = list(self._variables())
        if self.registry.unseen([value._node for *_, value in known if isinstance(value, Tensor)], MOST_UNSEEN):
            return False
        tape = self.tape
        tape.reopen()
        self.opened = True
        self._running, self._before = statement, self.work
        left_out = self.unkept.end(self.reached, self.tape.steps[-1].scope)
        self.recorder.goes_on(left_out.passes)
        observing.listener = self.recorder
        tape.add(left_out)
        for place, name, value in known:
            self._means(place, name, value, None)
        return True

    def _variables(self) -> Iterator[tuple[Place, str, Any]]:
        """What every name that the program binds means now, in each of its functions that are running."""
        places = {activation.key: activation.place for activation in self.scopes.stack}
        frame: FrameType | None = sys._getframe(2)
        while frame is not None:
            inside = frame.f_code.co_filename == self.locator.filename
            outermost = inside and frame.f_code.co_name == "<module>"
            place = places.get(0 if outermost else id(frame)) if inside else None
            variables = frame.f_locals if place is not None else {}
            for name, path, written in dict.fromkeys((t.name, t.path, t.written) for t in self.program.bindings):
                if place is not None and name in variables:
                    value = variables[name]
                    for part in path:
                        value = names.attribute(value, part)
                    yield place, written, value
            frame = frame.f_back

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
        if self.tape.full and self.unkept.began is not None:
            self.unkept.turn(self.reached)
        if self.scopes.turn(loop, self._turn_title, header.span) > 1:
            self.line(header.statement)

    def _turn_title(self, place: Place) -> str:
        return turn_title(place.turn, self.program.loops[place.loop].text)

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
        self._means(self._holder(target), target.written, value, target.span)

    def _holder(self, target: Binding) -> Place:
        """The function activation (or the program) that the name belongs to."""
        if target.where == "global":
            return self.scopes.program.place
        stack = self.scopes.stack
        if len(stack) == 1:
            return stack[0].place
        frames = [activation.place for activation in reversed(stack) if activation.place.kind == "function"]
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
        if type(value) in PLAIN or value is names.MISSING:
            return
        for part, tensor in names.contents(name, value):
            self.registry.name(self.registry.tensor(tensor), part)
        for part, module in names.modules(name, value):
            self.registry.name_module(module, part)
