"""An instrumented snippet: its code, the tables that its hooks refer to, and the hooks themselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import CodeType
from typing import Any, Literal, Protocol

from engine.trace.parts import Span
from engine.trace.spans import Positions, Source

Where = Literal["local", "global", "nonlocal", "class"]


class Hooks(Protocol):
    """What the instrumented snippet calls. Numbers index the tables of `Program`."""

    def line(self, statement: int) -> None:
        """A statement is about to run."""

    def resumed_line(self, statement: int) -> None:
        """The same inside a generator or coroutine, which may have been suspended and resumed since."""

    def tick(self) -> bool:
        """A comprehension takes a turn. Must return True."""

    def entered(self, function: int, *parameters: Any) -> None:
        """A function begins; ``parameters`` are the values of `Function.parameters`."""

    def left(self) -> None:
        """The function that runs now ends, by return or by exception."""

    def suspended(self, value: Any) -> Any:
        """A generator is about to yield (or await) ``value``. Must return it."""

    def resumed(self, value: Any) -> Any:
        """A generator runs again; ``value`` is what its ``yield`` gives. Must return it."""

    def turn(self, loop: int) -> None:
        """A loop begins another turn; its target is bound."""

    def innermost(self, loop: int) -> None:
        """Loops inside ``loop`` (-1: all loops of this function) are over."""

    def bound(self, binding: int, base: Any) -> None:
        """A statement bound a target; ``base`` is the value of the name that the target starts with."""

    def walrus(self, binding: int, value: Any) -> Any:
        """``name := value`` is about to bind. Must return ``value``."""

    def unbound(self, binding: int) -> None:
        """``del`` removed a name or attribute."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that `Hooks.line` reports; for a compound one the span ends with its header."""

    span: Span
    kind: str
    """Class of its syntax node: ``Assign``, ``For`` …"""
    shown: bool
    """False where reaching it tells nobody anything (``try:``, ``pass``, ``global``)."""


@dataclass(frozen=True, slots=True)
class Binding:
    """A target: ``w``, ``self.w`` (name ``self``, path ``("w",)``), ``xs[0]`` (reported as ``xs``)."""

    name: str
    path: tuple[str, ...]
    where: Where
    span: Span
    written: str
    """Name and path, as the snippet spells them."""


@dataclass(frozen=True, slots=True)
class Function:
    """A ``def`` of the snippet."""

    name: str
    parameters: tuple[str, ...]
    span: Span
    resumable: bool
    """A generator or coroutine."""


@dataclass(frozen=True, slots=True)
class Loop:
    """A ``for`` or ``while`` statement."""

    text: str
    """Its header without the colon: ``for x in data``."""
    span: Span
    statement: int


@dataclass(slots=True)
class Program:
    """The instrumented snippet: its code, and the tables that its hooks refer to."""

    source: Source
    mark: str
    """Prefix of the string constants that stand for hooks until a run puts its own hooks in."""
    code: CodeType = field(init=False)
    positions: dict[tuple[int, bytes], Positions] = field(init=False)
    statements: list[Statement] = field(default_factory=list)
    bindings: list[Binding] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)


HOOKS = (
    "line", "resumed_line", "tick", "entered", "left", "suspended", "resumed",
    "turn", "innermost", "bound", "walrus", "unbound",
)  # fmt: skip
