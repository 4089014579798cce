"""How a failed call was spelled in the program: ``torch.max(x, "a")`` and ``x.max("a")`` reach the same operator.

PyTorch's parser tells them apart: it counts positions without the tensor in front of the dot, and knows both under their
own signatures. Nothing is passed along for that; when a call fails, the program's own frame is looked at.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType, FrameType, ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from engine.dtype import PYTHON_TYPES
from engine.ops.core.methods import WRITTEN_IN_PYTHON, builtin_function_or_method
from engine.tensor import Tensor

if TYPE_CHECKING:
    from dis import Instruction

    from engine.ops.core.usual import Usual

CORE = "engine.ops.core."
NOT_A_PROGRAM = "engine."
"""Whose calls are not spelled by anybody: parts of other functions."""
NUMPY = "numpy."
"""Whose functions call a tensor's method of their own name (``np.round``), and do without if it refuses."""
PLACES = {"torch": "torch", "linalg": "linalg", "special": "special", "fft": "fft", "functional": "functional"}
"""Modules whose functions PyTorch's parser sees, by the last part of their name."""
PREFIXES = frozenset({"linalg", "special", "fft"})
"""Those of them that stand in the names of their functions."""
CHOOSES = "flat_choose"
"""What is at hand in a function that chooses an operator (`engine.ops.core.functions.picking`)."""
LAYERS = "engine.nn."
"""Except for layers: they call what PyTorch's call, in the same form, so its parser says what is wrong with their settings."""
SUSPICIOUS = (TypeError, AttributeError, ValueError, LookupError, RuntimeError, AssertionError)
"""What the engine may raise on the way when it is given the wrong things."""


def settled(error: Exception, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a call comes to that failed with ``error``.

    It is made again where Python's types stood for dtypes (``dtype=float``), where tensors stood for numbers, or in
    the form of today if it is that of a deprecated overload; the class of an argument may have the answer (``__torch_function__``).

    Raises:
        TypeError: what PyTorch's argument parser says (`in_parsers_words`).
        Exception: ``error`` itself, if it lets the call through.
    """
    values = [v for a in (*args, *kwargs.values()) for v in (a if type(a) in (list, tuple) else (a,))]
    if any(hasattr(type(v), "__torch_function__") and not isinstance(v, Tensor) for v in values):
        from engine.ops.core.overriding import answered, overloaded  # here, since importing torch should be quick

        return answered(function, overloaded(args, kwargs), args, kwargs)
    from engine.ops.core.older_overloads import in_todays_form  # here, since importing torch should be quick

    older = in_todays_form(function.__name__, args) if isinstance(error, TypeError) and not kwargs else None
    if older is not None:
        return function(*older[0], **older[1])
    if (
        isinstance(error, TypeError | AttributeError)
        and function.__name__ not in ("as_subclass", "set_default_dtype")
        and any(type(v) is type and v in PYTHON_TYPES for v in (*args, *kwargs.values()))
    ):
        named = {n: PYTHON_TYPES.get(v, v) if type(v) is type else v for n, v in kwargs.items()}
        return function(*[PYTHON_TYPES.get(v, v) if type(v) is type else v for v in args], **named)
    if any(isinstance(v, Tensor | np.ndarray | np.integer) for v in (*args, *kwargs.values())):
        from engine.ops.core.argument_parser import with_plain_numbers  # here, since importing torch should be quick

        counted = with_plain_numbers(function.__name__, args, kwargs)
        if counted is not None:
            return function(*counted[0], **counted[1])
    return refuse(error, function, args, kwargs)


def is_our_own(frame: FrameType) -> bool:
    """Whether the frame is one of the engine's functions, or of numpy's."""
    return str(frame.f_globals.get("__name__")).startswith(NOT_A_PROGRAM)


def is_a_layers(frame: FrameType) -> bool:
    """Whether the frame is one of a layer's methods."""
    return str(frame.f_globals.get("__name__")).startswith(LAYERS)


def refuse(error: Exception, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> NoReturn:
    """Raises what `in_parsers_words` makes of a failure. What stays the same error keeps what led to it (``__context__``)."""
    told = in_parsers_words(error, function, args, kwargs)
    if told is error:
        raise error
    raise told from None


def in_parsers_words(
    error: Exception, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Exception:
    """What PyTorch's argument parser raises for a call that failed with ``error``; the same error if it lets the call through."""
    spelled = program_spelling(function)
    if spelled is None:
        return error
    place, name = spelled
    from engine.ops.core.argument_parser import complaint  # here, since importing torch should be quick
    from engine.ops.core.known_signatures import expectations

    told = complaint(place, name, args[1:] if place == "tensor" else args, kwargs)
    if told is not None:
        return TypeError(told)
    return error if expectations(place, name) else as_written_in_python(error, place, name, args)


def program_spelling(function: Callable[..., Any]) -> tuple[str, str] | None:
    """Place and name of the function that the program is calling just now; None if the call is a part of another one."""
    frame, entered = sys._getframe(1), False
    while frame is not None and str(frame.f_globals.get("__name__")).startswith(CORE):
        if entered and CHOOSES in frame.f_code.co_freevars:
            return None  # an operator that was chosen among several: who chose knows the program's arguments
        entered = entered or frame.f_globals["__name__"] != __name__
        frame = frame.f_back  # type: ignore[assignment]
    if frame is None or (is_our_own(frame) and not is_a_layers(frame)):
        return None  # who called us will be asked itself
    spelled = spelling(frame, function)
    if spelled is None or (spelled[0] == "torch" and is_a_layers(frame)):
        return None  # a layer that picks a function by its number of dimensions: of ``torch.nn.functional``, not of ``torch``
    return spelled


def require_fit(usual: Usual, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Asks PyTorch's argument parser about a program's call with arguments of unusual types.

    Raises:
        TypeError: what it says, if they do not fit.
    """
    spelled = program_spelling(function)
    if spelled is None:
        return
    from engine.ops.core.argument_parser import complaint  # here, since importing torch should be quick

    place, name = spelled
    told = complaint(place, name, args[1:] if place == "tensor" else args, kwargs)
    if told is not None:
        raise TypeError(told)
    if not any(isinstance(value, Tensor | np.ndarray | list | tuple) for value in (*args[1:], *kwargs.values())):
        usual.approve(args, kwargs)  # what fits is told by the types alone


def require_room_for_out(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Refuses ``out=`` in a program's call of what takes none: all methods, functions such as ``torch.flatten``, and those that
    take one only with other arguments, such as ``torch.sum`` with a dimension.

    Functions written in Python refuse what is no tensor, and no row of them.

    Raises:
        TypeError: what PyTorch's argument parser says.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and str(frame.f_globals.get("__name__")).startswith(CORE):
        frame = frame.f_back
    if frame is None or (is_our_own(frame) and not is_a_layers(frame)):
        return
    spelled = spelling(frame, function)
    if spelled is None:
        return
    from engine.ops.core.argument_parser import complaint  # here, since importing torch should be quick
    from engine.ops.core.known_signatures import expectations

    place, name = spelled
    expected, given = expectations(place, name), kwargs["out"]
    if expected is None and (given is None or isinstance(given, Tensor | list | tuple)):
        return
    if expected and all(each.takes("out") for each in expected):
        return
    told = complaint(place, name, args[1:] if place == "tensor" else args, kwargs)
    if told is not None or not any(each.takes("out") for each in expected or ()):
        raise TypeError(told or f"{name}() got an unexpected keyword argument 'out'")


DISPATCHING = frozenset(
    f"{kind}_pool{dims}d" for kind in ("max", "adaptive_max", "fractional_max") for dims in (1, 2, 3)
) | {"threshold"}
"""Functions of ``torch.nn.functional`` that hand on to one of the same name with an underscore in front."""


def as_written_in_python(error: Exception, place: str, name: str, args: tuple[Any, ...]) -> Exception:
    """The error as Python says it of a function that PyTorch has written in Python."""
    words = str(error)
    if place == "functional" and name in ("sigmoid", "tanh") and args and not isinstance(args[0], Tensor):
        return AttributeError(f"'{type(args[0]).__name__}' object has no attribute '{name}'")
    if not isinstance(error, TypeError) or not words.startswith(f"{name}() "):
        return error
    if place == "functional":
        spelled = f"_{name}" if name in DISPATCHING else name
        start, missing, names = words.partition(": ")
        if missing and start.endswith(("argument", "arguments")) and names.startswith('"'):
            parts = [f"'{part}'" for part in names.replace('"', "").split(", ")]
            count = f"{len(parts)} required positional argument{'s' * (len(parts) > 1)}"
            listed = ", ".join(parts) if len(parts) < 3 else ", ".join(parts[:-1]) + f", and {parts[-1]}"
            return TypeError(f"{spelled}() missing {count}: {listed if len(parts) != 2 else ' and '.join(parts)}")
        return TypeError(spelled + words.removeprefix(name))
    if place == "tensor" and name in WRITTEN_IN_PYTHON:
        return TypeError(f"Tensor.{words}")
    if place in PREFIXES:
        return TypeError(f"{place}_{words}")
    return TypeError(words.replace("'self'", "'input'")) if " missing " in words else error


def spelling(frame: FrameType, function: Callable[..., Any]) -> tuple[str, str] | None:
    """Place and name of the function that the frame is calling just now; None if it is no call of a function."""
    if str(frame.f_globals.get("__name__")).startswith(NUMPY):
        return "tensor", function.__name__
    import dis  # here, since importing torch should be quick

    code, at = frame.f_code, frame.f_lasti
    instructions = list(dis.get_instructions(code))
    index = max(i for i, each in enumerate(instructions) if each.offset <= at)  # it may be in the cache that follows
    if not instructions[index].opname.startswith("CALL"):
        return None
    start = beginning(code, instructions[index].offset)
    for i in range(index - 1, 0, -1):
        each = instructions[i]
        if each.opname in ("LOAD_METHOD", "LOAD_ATTR") and beginning(code, each.offset) == start:
            owner = value_of(instructions[:i], frame, start)
            if not isinstance(owner, ModuleType):
                return "tensor", str(each.argval)
            place = PLACES.get(owner.__name__.rpartition(".")[2])
            return None if place is None else (place, str(each.argval))
        if each.opname in NAMED and beginning(code, each.offset) == start:
            return by_another_name(frame.f_locals.get(each.argval, frame.f_globals.get(each.argval)), function)
    return "torch", function.__name__


NAMED = frozenset({"LOAD_NAME", "LOAD_GLOBAL", "LOAD_FAST", "LOAD_DEREF"})
"""What loads the value of a name."""


def by_another_name(called: Any, function: Callable[..., Any]) -> tuple[str, str]:
    """Place and name of a function that was called by a name of the program's: ``for f in [torch.arccos, x.sin]: f(3)``."""
    name = getattr(called, "__name__", function.__name__)
    if isinstance(called, builtin_function_or_method):
        return "tensor", name
    place, _, short = name.partition("_")
    return (place, short) if place in PREFIXES and short else ("torch", name)


def beginning(code: CodeType, offset: int) -> tuple[int | None, int | None]:
    """Line and column where the expression of an instruction begins."""
    positions = list(code.co_positions())[offset // 2]
    return positions[0], positions[2]


def value_of(instructions: list[Instruction], frame: FrameType, start: Any) -> Any:
    """What stands in front of the dot, if it is a name or a path of modules; else None."""
    path: list[str] = []
    for each in reversed(instructions):
        if each.opname in ("LOAD_ATTR", "LOAD_METHOD") and beginning(frame.f_code, each.offset) == start:
            path.append(each.argval)
        elif each.opname in NAMED:
            name = each.argval
            value = frame.f_locals.get(name, frame.f_globals.get(name))
            for attribute in reversed(path):
                if not isinstance(value, ModuleType):
                    return None
                value = getattr(value, attribute, None)
            return value
        elif each.opname not in ("CACHE", "PUSH_NULL", "PRECALL", "EXTENDED_ARG", "NOP"):
            return None
    return None
