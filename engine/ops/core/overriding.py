"""``__torch_function__``: functions ask the classes of their arguments first, and modes before them.

Plain tensors pay nothing for it. Nothing here is in the way of a call until a program derives a class from ``torch.Tensor`` or
enters a mode: then `engine.ops.core.override_installation` puts a question in front of every function and method. Only calls that
the program makes are asked about; what a function does inside, and what a backward pass does, is none of a class's business, as in
PyTorch.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from engine.ops.core.catalogue import TABLES, operators
from engine.ops.core.methods import TensorMethod
from engine.ops.core.parameters import standing_for
from engine.tensor import Parameter, Tensor, disabled_torch_function

CORE = "engine.ops.core"
OWN = ("engine.nn", "engine.torch")
"""Parts of the engine that are Python in PyTorch too, whose calls are asked about like a program's."""


class State:
    """What is in force."""

    def __init__(self) -> None:
        self.installed = False
        self.disabled = False
        self.passing = False
        """Whether the next function computes without asking (`redispatched`)."""
        self.modes: list[Any] = []

    def passes(self) -> bool:
        """Whether this call is the one that computes without asking."""
        passing, self.passing = self.passing, False
        return passing


state = State()


@contextmanager
def disabled(modes_too: bool = False) -> Iterator[None]:
    """No class is asked inside, and no mode either if so wanted."""
    before, modes = state.disabled, state.modes
    state.disabled = True
    if modes_too:
        state.modes = []
    try:
        yield
    finally:
        state.disabled, state.modes = before, modes


def overrides(value: Any) -> bool:
    """Whether the value's class has a say."""
    kind = type(value)
    if kind is Tensor or kind is Parameter or isinstance(value, type):
        return False
    handler = getattr(kind, "__torch_function__", None)
    return handler is not None and getattr(handler, "__func__", handler) is not disabled_torch_function


def overloaded(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """Arguments whose classes have a say, one per class, subclasses before what they derive from."""
    found: list[Any] = []
    for argument in (*args, *kwargs.values()):
        for value in argument if type(argument) in (tuple, list) else (argument,):
            if not overrides(value) or any(type(value) is type(other) for other in found):
                continue
            before = [i for i, other in enumerate(found) if isinstance(value, type(other))]
            found.insert(before[0] if before else len(found), value)
    return found


def asked_by_the_program() -> bool:
    """Whether the function that asks was called by the program, not by another function of the engine."""
    frame = sys._getframe(2)
    while True:
        name = str(frame.f_globals.get("__name__"))
        if not name.startswith(CORE) or frame.f_back is None:
            return not name.startswith("engine.") or name.startswith(OWN)
        frame = frame.f_back


class NobodyAnswered(TypeError):
    """All classes answered NotImplemented."""


NobodyAnswered.__name__ = NobodyAnswered.__qualname__ = "TypeError"


def overridable(
    function: Callable[..., Any], public: Any = None, operator: bool = False, of_data: bool = False
) -> Callable[..., Any]:
    """``function``, which first asks modes and the classes of its arguments.

    Args:
        public: what they are shown as the function, if it is not the result itself.
        operator: whether it stands behind one of Python's, which then asks the other operand.
        of_data: whether it asks modes only.
    """

    @standing_for(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if state.modes or not state.disabled:
            having_a_say = [] if state.disabled or of_data else overloaded(args, kwargs)
            if (state.modes or having_a_say) and asked_by_the_program():
                if state.passes():
                    with disabled(modes_too=True):
                        return function(*args, **kwargs)
                try:
                    return answered(call if public is None else public, having_a_say, args, kwargs)
                except NobodyAnswered:
                    if operator:
                        return NotImplemented
                    raise
        return function(*args, **kwargs)

    return call


def answered(public: Any, having_a_say: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the innermost mode, or the first class that does not answer NotImplemented, makes of a call.

    Raises:
        NobodyAnswered: all answered NotImplemented.
    """
    types = tuple([type(value) for value in having_a_say])
    if state.modes:
        mode = state.modes.pop()
        try:
            result = mode.__torch_function__(public, types, args, kwargs or None)
        finally:
            state.modes.append(mode)
        if result is not NotImplemented:
            return result
    for value in having_a_say:
        result = type(value).__torch_function__(public, types, args, kwargs or None)
        if result is not NotImplemented:
            return result
    classes = "".join(f"\n  - tensor subclass {kind}" for kind in types)
    raise NobodyAnswered(
        f"Multiple dispatch failed for '{resolved_name(public)}'; all __torch_function__ handlers returned NotImplemented:\n"
        f"{classes}\n\nFor more information, try re-running with TORCH_LOGS=not_implemented"
    )


def redispatched(func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """Runs the function, which itself asks nobody; functions that it calls do."""
    state.passing = True
    try:
        return func(*args, **(kwargs or {}))
    finally:
        state.passing = False


def default(cls: type[Tensor], func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """Runs the function, and makes tensors among its results tensors of this class."""
    if not all(issubclass(cls, kind) for kind in types):
        return NotImplemented
    with disabled():
        result = func(*args, **(kwargs or {}))
    return result if getattr(func, "attribute", "") in ("grad", "_base") else converted(result, cls)


def converted(result: Any, cls: type[Tensor]) -> Any:
    """``result`` with its tensors as tensors of this class."""
    if cls is Tensor:
        return result
    if isinstance(result, Tensor) and not isinstance(result, cls):
        return as_subclass(result, cls)
    if isinstance(result, tuple | list):
        parts = [converted(part, cls) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result


def as_subclass(self: Tensor, cls: type[Tensor]) -> Any:
    """Another look at the tensor, as one of a class derived from ``torch.Tensor``.

    Raises:
        TypeError: it is no such class.
    """
    if not isinstance(cls, type):
        raise TypeError(f"as_subclass(): argument 'cls' (position 1) must be type, not {type(cls).__name__}")
    if not issubclass(cls, Tensor):
        raise TypeError(
            f"Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. {cls.__name__} does not."
        )
    with disabled():
        alias = ALIAS.run((self,))
    alias.__class__ = cls
    return alias


ALIAS = next(operator for operator in operators() if operator.name == "alias")


def resolved_name(function: Any) -> str:
    """``torch.Tensor.add`` for what ``torch.overrides`` shows a class."""
    if isinstance(function, TensorMethod):
        return f"torch.Tensor.{function.__name__}"
    if isinstance(function, Attribute):
        return f"torch.Tensor.{function.attribute}.__get__"
    name = function.__name__
    places = {"functional": "torch.nn.functional", "tensor": "torch.Tensor"}
    found = next((place for place, table in TABLES.items() if table.get(name) is function), "torch")
    return f"{places.get(found, 'torch' if found == 'torch' else f'torch.{found}')}.{name}"


class Attribute:
    """Reads an attribute of a tensor, shown as a function: ``torch.Tensor.shape.__get__``."""

    read: Callable[[Any], Any]

    def __init__(self, attribute: str) -> None:
        self.attribute, self.__name__ = attribute, "__get__"

    def __call__(self, tensor: Any) -> Any:
        """The attribute's value."""
        return self.read(tensor)

    def __repr__(self) -> str:
        return f"<method-wrapper '__get__' of getset_descriptor object at {id(self):#x}>"
