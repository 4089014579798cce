"""Measures operators and nodes as they run, by Python's own profiling hook: nothing is slower while nobody measures.

The hook hears of every call and return of a Python function. Those that stand for an operator, a function of torch or a
node's derivative are known by their code objects; the rest is passed over.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Callable
from types import CodeType, FrameType, FunctionType
from typing import Any

from engine.autograd.engine import ReportedTask
from engine.autograd.modes import state as modes
from engine.autograd.node import LAST
from engine.ops.core import inplace, lanes, short
from engine.ops.core.catalogue import table
from engine.ops.core.functions import picking, picking_in_place
from engine.ops.core.operator import Operator
from engine.ops.core.overloads import NAMES
from engine.ops.core.parameters import unwrapped
from engine.tensor import Tensor
from engine.utils.profiling.events import FunctionEvent

Reader = Callable[[FrameType], tuple[str, int, tuple[Any, ...]]]
"""From the frame of a call to its name, its node's number (-1: none) and its arguments."""
THREAD = 1
OPERATOR, NODE, ANNOTATION = 0, 1, 7
"""PyTorch's numbers for what an event is."""


def inner_codes(function: Any, *names: str) -> list[CodeType]:
    """The code of functions that ``function`` defines and that use these of its variables."""
    found, waiting = [], [function.__code__]
    while waiting:
        inner = [c for c in waiting.pop().co_consts if isinstance(c, CodeType)]
        found += [code for code in inner if set(names) <= set(code.co_freevars)]
        waiting += inner
    return found


def arguments_of(frame: FrameType) -> tuple[Any, ...]:
    """What a function was called with."""
    code, values = frame.f_code, frame.f_locals
    given = [values[name] for name in code.co_varnames[: code.co_argcount] if name in values]
    gathered: tuple[Any, ...] = values.get("args", ()) if "args" in code.co_varnames else ()
    return (*given, *gathered)


def next_number(differentiable: Any = True) -> int:
    """The number of the node that a call would make."""
    return modes.sequence_nr if modes.grad_enabled and differentiable else -1


def of_operator(operator: Operator, arguments: tuple[Any, ...], mark: str = "") -> tuple[str, int, tuple[Any, ...]]:
    """An operator's own call; ``mark`` is ``_`` in place."""
    return f"aten::{NAMES.get(operator.name, operator.name)}{mark}", next_number(operator.differentiable), arguments


def of_function(name: str) -> Reader:
    """A function's own call."""
    return lambda frame: (f"aten::{name}", next_number(), arguments_of(frame))


UNNAMED = (
    "engine.ops.tensors.facts",
    "engine.ops.tensors.showing",
    "engine.ops.tensors.storage",
    "engine.ops.tensors.numpy_interop",
)
"""Modules of functions that are no operators to PyTorch: they tell what a tensor is."""
TAKEN_OUT = frozenset({"tolist", "numpy"})


def functions() -> dict[CodeType, set[str]]:
    """The code of torch's functions that are no operators, by what wrappers finally call, with the names it goes by."""
    found: dict[CodeType, set[str]] = defaultdict(set)
    for place in ("torch", "tensor", "functional", "linalg", "special", "fft"):
        for function in table(place).values():
            plain = innermost(function)
            if plain is not None and plain.__module__ not in UNNAMED and function.__name__ not in TAKEN_OUT:
                found[plain.__code__].add(function.__name__)
    return found


def innermost(function: Any) -> FunctionType | None:
    """The function that wrappers stand for; None for what is no function."""
    function = unwrapped(function)
    while isinstance(function, FunctionType) and "function" in function.__code__.co_freevars:
        assert function.__closure__ is not None
        function = unwrapped(function.__closure__[function.__code__.co_freevars.index("function")].cell_contents)
    return function if isinstance(function, FunctionType) else None


def readers() -> dict[CodeType, Reader]:
    """How to read the calls that are measured."""
    found: dict[CodeType, Reader] = {}
    for module in (short, lanes):
        for function in vars(module).values():
            if type(function) is FunctionType and function.__module__ == module.__name__:
                for code in inner_codes(function, "operator"):
                    found[code] = lambda frame: of_operator(frame.f_locals["operator"], arguments_of(frame))
    found[Operator.call.__code__] = lambda frame: of_operator(frame.f_locals["self"], frame.f_locals["args"])
    found[Operator.run.__code__] = lambda frame: of_operator(frame.f_locals["self"], frame.f_locals["arguments"])
    found[inplace.InPlace.__call__.__code__] = lambda frame: of_operator(
        frame.f_locals["self"].operator, frame.f_locals["args"], "_"
    )
    for declaration in (picking, picking_in_place):
        for code in inner_codes(declaration, "spelled", "signature"):
            found[code] = lambda frame: (
                f"aten::{frame.f_locals['spelled']}",
                next_number(),
                frame.f_locals["args"],
            )
    for code, names in functions().items():
        if len(names) == 1:
            found.setdefault(code, of_function(*names))
    return found


class Recorder:
    """Measures between `start` and `stop`.

    Args:
        record_shapes: keep the shapes of the arguments too.
    """

    known: dict[CodeType, Reader] | None = None

    def __init__(self, record_shapes: bool = False) -> None:
        self.record_shapes = record_shapes
        self.events: list[FunctionEvent] = []
        self.open: list[tuple[FrameType | None, list[FunctionEvent]]] = []
        self.began = time.perf_counter_ns()
        self.before: Any = None

    def start(self) -> None:
        """Begins to measure."""
        if Recorder.known is None:
            Recorder.known = readers()
        modes.profiling = True
        modes.refresh()
        self.before = sys.getprofile()
        sys.setprofile(self.heard)

    def stop(self) -> None:
        """Ends it; what is still running ends with it."""
        sys.setprofile(self.before)
        modes.profiling = False
        modes.refresh()
        while self.open:
            self.end()

    def now(self) -> float:
        """Microseconds since it was made."""
        return (time.perf_counter_ns() - self.began) / 1000

    def heard(self, frame: FrameType, kind: str, value: Any) -> None:
        """What Python calls at each call and return."""
        if kind == "call":
            code = frame.f_code
            if code is DERIVE:
                self.begin_node(frame)
                return
            reader = self.known.get(code) if self.known is not None else None
            if reader is not None:
                self.begin(frame, *reader(frame))
        elif kind == "return" and self.open and self.open[-1][0] is frame:
            self.end()

    def begin(self, frame: FrameType | None, name: str, number: int, arguments: tuple[Any, ...]) -> None:
        """An operator begins, unless it is the same one on its way from one function to the next."""
        if self.open and self.open[-1][1][-1].name == name:
            return
        shapes = [shape_of(a) for a in arguments] if self.record_shapes else []
        self.open.append((frame, [self.event(name, number, OPERATOR, shapes)]))

    def begin_node(self, frame: FrameType) -> None:
        """A node begins to derive, in the engine and in itself."""
        node = frame.f_locals["node"]
        number = -1 if node.sequence_nr == LAST else node.sequence_nr
        shapes = [shape_of(g) for g in frame.f_locals["gradients"]] if self.record_shapes else []
        around = self.event(f"autograd::engine::evaluate_function: {node.name()}", number, OPERATOR, [], THREAD)
        self.open.append((frame, [around, self.event(node.name(), number, NODE, shapes, THREAD)]))

    def annotate(self, name: str) -> Callable[[], None]:
        """A stretch that a person named begins; returns what ends it, with all that still runs within it."""
        entry: tuple[FrameType | None, list[FunctionEvent]] = (None, [self.event(name, -1, ANNOTATION, [])])
        self.open.append(entry)

        def end() -> None:
            while entry in self.open:
                self.end()

        return end

    def event(self, name: str, number: int, scope: int, shapes: list[Any], fwd_thread: int = 0) -> FunctionEvent:
        """A new event that begins now."""
        made = FunctionEvent(
            len(self.events), name, THREAD, self.now(), 0.0, fwd_thread=fwd_thread, input_shapes=shapes, scope=scope,
            sequence_nr=number, is_user_annotation=scope == ANNOTATION,
        )  # fmt: skip
        self.events.append(made)
        return made

    def end(self) -> None:
        """The innermost ends now."""
        now = self.now()
        for event in self.open.pop()[1]:
            event.time_range.end = now


DERIVE = ReportedTask.derive.__code__


def shape_of(value: Any) -> list[Any]:
    """A tensor's shape, those of a list of tensors, nothing of anything else."""
    if isinstance(value, Tensor):
        return list(value.shape)
    if isinstance(value, list | tuple) and value and all(isinstance(v, Tensor) for v in value):
        return [list(v.shape) for v in value]
    return []
