"""What PyTorch's argument parser says about a call that fits no signature.

Our operators look at hardly anything before the arithmetic. When a call fails that was spelled ``torch.max(…)`` or
``x.max(…)``, `complaint` goes through PyTorch's own signatures (``signatures.json``, recorded by
``tests/oracle/known_signatures.py``) as its parser does (``torch/csrc/utils/python_arg_parser.cpp``) and says what it says.
"""

from __future__ import annotations

import functools
import json
import operator
import os
import re
from typing import Any, NamedTuple

import numpy as np

from engine import dtype as dtypes
from engine.ops.core.misuse import kind_of
from engine.ops.core.signature import RENAMED
from engine.placement import device, layout, memory_format
from engine.random.generator import Generator
from engine.tensor import Tensor

FILE = os.path.join(os.path.dirname(__file__), "signatures.json")
WHOLE = (int, np.integer)
REAL = (int, float, np.integer, np.floating)
TAKES_NUMBERS = frozenset(
    "add sub mul div divide multiply subtract true_divide floor_divide remainder fmod pow bitwise_and "
    "bitwise_or bitwise_xor special_xlog1py xlogy special_zeta rsub where copy".split()
)
"""Functions of two operands, for whose tensors PyTorch takes numbers as well."""

UNPREFIXED = frozenset({"torch", "tensor", "functional"})
"""Places whose functions the parser calls by their bare name."""


class Expected(NamedTuple):
    """A parameter of a signature."""

    kind: str
    name: str
    optional: bool
    keyword_only: bool
    nullable: bool


class Expectation(NamedTuple):
    """A signature: how it is shown, and its parameters."""

    shown: str
    parameters: tuple[Expected, ...]

    @property
    def positional(self) -> int:
        """How many arguments may be given without a name."""
        return sum(not p.keyword_only for p in self.parameters)

    @property
    def required(self) -> int:
        """How many must be given."""
        return sum(not p.optional for p in self.parameters)


@functools.cache
def signatures() -> dict[str, dict[str, list[str]]]:
    """By place and name. Read when a call first fails; a process that may open no file reads it before (`catalogue.complete`)."""
    with open(FILE, "rb") as file:
        read: dict[str, dict[str, list[str]]] = json.load(file)
    return read


@functools.cache
def expectations(place: str, name: str) -> tuple[Expectation, ...] | None:
    """What may be given to a function; None if PyTorch's parser does not see its calls."""
    texts = signatures().get(place, {}).get(name)
    return None if texts is None else tuple(map(expectation, texts))


def expectation(text: str) -> Expectation:
    """Reads a signature such as ``Tensor input, int dim, bool keepdim = False, *, Tensor out = None``."""
    parameters: list[Expected] = []
    keyword_only = False
    for part in re.split(r", (?![^\[]*\])", text):  # not within a default such as [0, 0]
        if part == "*":
            keyword_only = True
        elif part:
            words, _, default = part.partition(" = ")
            kind, _, name = words.rpartition(" ")
            empty = default in ("()", "[]") and kind.startswith("tuple of ints")
            nullable = default == "None" or empty or kind.endswith("?")
            parameters.append(Expected(kind.removesuffix("?"), name, bool(default), keyword_only, nullable))
    return Expectation(as_shown(text), tuple(parameters))


def as_shown(text: str) -> str:
    """A signature, or a kind, without what ``tests/oracle/known_signatures.py`` adds to it."""
    return text.replace("ints[1]", "ints").replace("int[size]", "int").replace("? ", " ")


def complaint(place: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """What PyTorch says about the arguments of ``torch.name(…)``, or of ``x.name(…)`` without its ``x``; None if they fit.

    Args:
        place: ``torch``, ``tensor``, ``functional``, ``linalg``, ``special`` or ``fft``.
    """
    expected = expectations(place, name)
    if expected is None:
        return None
    spelled = name if place in UNPREFIXED else f"{place}_{name}"
    if not expected:
        owner = "TensorBase" if place == "tensor" else "torch"
        if kwargs:
            return f"{owner}.{name}() takes no keyword arguments"
        return f"{owner}.{name}() takes no arguments ({len(args)} given)" if args else None
    told = [misfit(spelled, each, args, kwargs) for each in expected]
    if None in told:
        return unpacked(spelled, expected[told.index(None)], args, kwargs)
    given = len(args) + len(kwargs)
    plausible = [i for i, e in enumerate(expected) if e.required <= given <= len(e.parameters)]
    if len(expected) == 1 and not hides_another(spelled, place):
        return told[0]
    if len(plausible) == 1:
        return told[plausible[0]]
    return no_combination(spelled, expected, args, kwargs)


def with_plain_numbers(
    name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """A function's arguments with plain numbers where tensors or arrays of one number stand for them.

    None if there are none such, or no signature of that name takes the call.
    """
    if not any(
        isinstance(value, Tensor | np.ndarray | np.integer) for value in (*args[1:], *args[:1], *kwargs.values())
    ):
        return None
    for place, known in signatures().items():
        prefixed = name.removeprefix(f"{place}_")
        method = place == "tensor"
        given = args[1:] if method else args
        for expected in expectations(place, prefixed) or () if prefixed in known else ():
            if (method and not args) or misfit(name, expected, given, kwargs) is not None:
                continue
            taken = [
                plain(expected.parameters[min(at, len(expected.parameters) - 1)], value)
                for at, value in enumerate(given)
            ]
            kinds = {spelled: parameter for parameter in expected.parameters for spelled in spellings(parameter.name)}
            named = {keyword: plain(kinds[keyword], value) for keyword, value in kwargs.items()}
            changed = any(
                new is not old for new, old in zip((*taken, *named.values()), (*given, *kwargs.values()), strict=True)
            )
            return ((*args[: len(args) - len(given)], *taken), named) if changed else None
    return None


def plain(parameter: Expected, value: Any) -> Any:
    """What stands for a dimension, a size or a number as Python's number; anything else as it is."""
    if parameter.kind in ("float", "Number") and isinstance(value, Tensor):
        return value.item()
    whole = parameter.kind in ("int", "int[size]") or parameter.kind.startswith("tuple of ints")
    return operator.index(value) if whole and type(value) is not int and is_index(value) else value


HIDING = frozenset(
    f"{name}{mark}"
    for name in "add sub subtract addcmul addcdiv addmm addmv addr addbmm baddbmm".split()
    for mark in ("", "_")
)


def hides_another(spelled: str, place: str) -> bool:
    """Whether PyTorch keeps a second, old signature that it does not show."""
    return spelled in HIDING and place in ("torch", "tensor")


def misfit(name: str, expected: Expectation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """Why a call does not fit one signature, in the parser's order of looking; None if it fits."""
    parameters, most = expected.parameters, expected.positional
    gathers = most == 1 and parameters[0].kind.startswith("tuple of ints") and not parameters[0].keyword_only
    if len(args) > most and not gathers:
        return surplus(name, expected, len(args))
    left = dict(kwargs)
    position = 0
    for parameter in parameters:
        named = False
        if position < len(args):
            if parameter.keyword_only:
                return surplus(name, expected, len(args))
            value = args[position]
        else:
            spelled = next((n for n in spellings(parameter.name) if n in left), None)
            if spelled is None:
                if parameter.optional:
                    continue
                return missing(name, expected, args, kwargs)
            value, named = left.pop(spelled), True
        if not (value is None and parameter.nullable) and not fits(parameter.kind, value, name):
            if gathers and position == 0 and not named:
                if is_index(value):
                    position = len(args)
                    continue
                if len(args) > most:
                    return surplus(name, expected, len(args))
            return wrong_kind(name, parameter, value, position, named)
        position += not named
    if left:
        names = {p.name for p in parameters}
        for given in kwargs:
            if given not in names:
                return f"{name}() got an unexpected keyword argument '{given}'"
            if given in left:
                return f"{name}() got multiple values for argument '{given}'"
    return None


def wrong_kind(name: str, parameter: Expected, value: Any, position: int, named: bool) -> str:
    """What is said of a value that no parameter of this kind takes."""
    if parameter.kind == "tuple of Tensors" and isinstance(value, list | tuple):
        wrong = next(i for i, v in enumerate(value) if not isinstance(v, Tensor))
        return f"expected Tensor as element {wrong} in argument {position}, but got {kind_of(value[wrong])}"
    place = "" if named else f" (position {position + 1})"
    kind = as_shown(parameter.kind)
    words = f"{name}(): argument '{parameter.name}'{place} must be {kind}"
    if kind == "tuple of ints" and isinstance(value, list | tuple) and not named:
        return f"{words}, but found element of type {kind_of(value[0])} at pos 0"
    return f"{words}, not {kind_of(value)}"


def unpacked(name: str, expected: Expectation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """What is said of whole numbers in a row once the signature is chosen, which looks at the first of them only."""
    for position, parameter in enumerate(expected.parameters):
        if not parameter.kind.startswith("tuple of ints"):
            continue
        given = args[position] if position < len(args) else kwargs.get(parameter.name)
        if expected.positional == 1 and position == 0 and args and not isinstance(given, list | tuple):
            given = args
        told = not_unpacked(name, parameter.name, given)
        if told is not None:
            return told
    return None


def not_unpacked(name: str, parameter: str, given: Any) -> str | None:
    """What is said of the first of several values that is no whole number; None if all are, or if there is a single one."""
    for place, value in enumerate(given if isinstance(given, list | tuple) else ()):
        if not is_index(value) and not isinstance(value, bool):
            words = f"{name}(): argument '{parameter}' failed to unpack the object at pos {place + 1}"
            return f'{words} with error "type must be tuple of ints,but got {kind_of(value)}"'
    return None


def wrong_sizes(name: str, parameter: str, position: int, value: Any) -> str | None:
    """Why one argument is neither a whole number nor several of them, for functions that no signature is recorded of.

    Args:
        position: where it stands, counted from one.
    """
    expected = Expected("tuple of ints[1]", parameter, optional=False, keyword_only=False, nullable=False)
    if fits(expected.kind, value, name):
        return not_unpacked(name, parameter, value)
    return wrong_kind(name, expected, value, position - 1, named=False)


def spellings(parameter: str) -> tuple[str, ...]:
    """The name and numpy's names for the same."""
    own = "self" if parameter == "input" else parameter
    return (parameter, *(other for other, name in RENAMED.items() if name == own and other != parameter))


def surplus(name: str, expected: Expectation, given: int) -> str:
    """Too many arguments without a name."""
    most = expected.positional
    least = sum(not p.optional and not p.keyword_only for p in expected.parameters)
    if least != most:
        return f"{name}() takes from {least} to {most} positional arguments but {given} were given"
    return f"{name}() takes {most} positional argument{'' if most == 1 else 's'} but {given} {'was' if given == 1 else 'were'} given"


def missing(name: str, expected: Expectation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Too few arguments; the plural is PyTorch's own."""
    names = [
        p.name
        for p in expected.parameters[len(args) :]
        if not p.optional and not any(spelled in kwargs for spelled in spellings(p.name))
    ]
    words = f"{len(names)} required positional argument{'s' if len(names) == 1 else ''}"
    listed = ", ".join(f'"{n}"' for n in names)
    return f"{name}() missing {words}: {listed}"


def no_combination(name: str, expected: tuple[Expectation, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Lists what was given and every signature; those that take as many arguments say which of them are wrong."""
    named = [f"{n}={kind_of(v)}" for n, v in reversed(kwargs.items())]  # as they come out of its hash map
    got = ", ".join([*map(kind_of, args), *named]) + (", " if named and not args else "")
    words = f"{name}() received an invalid combination of arguments - got ({got}), but expected"
    if len(expected) == 1:
        return f"{words} ({expected[0].shown})"
    lines = [f"{words} one of:"]
    for each in expected:
        lines.append(f" * ({each.shown})")
        parts = each.shown.split(", ") if each.shown else [""]
        if len(parts) == len(args) + len(kwargs):
            lines.append("      " + wrong_ones(parts, args, kwargs))
    return "\n".join(lines) + "\n"


def wrong_ones(parts: list[str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Which arguments do not match the parts of a signature, each taken as ``type name``, whatever else stands in it."""
    kinds = [part.rpartition(" ")[0] for part in parts]
    names = [part.rpartition(" ")[2] for part in parts]
    unknown = [n for n in reversed(kwargs) if n not in names[len(args) :]]
    if unknown:
        return f"didn't match because some of the keywords were incorrect: {', '.join(unknown)}"
    told = [marked(kind, v) for kind, v in zip(kinds, args, strict=False)]
    told += [f"{n}={marked(kinds[names.index(n)], v)}" for n, v in kwargs.items()]
    return f"didn't match because some of the arguments have invalid types: ({', '.join(told)})"


def marked(kind: str, value: Any) -> str:
    """The type, between exclamation marks if it is not the very one that is expected: a parameter is no plain tensor."""
    told = elements_named(value)
    known = kind in SIMPLE or kind in ("Tensor", "int", "Number", "float", "bool") or kind.startswith("tuple of")
    fitting = type(value) is Tensor if kind == "Tensor" else known and " = " not in f"{kind} " and fits(kind, value, "")
    return told if fitting else f"!{told}!"


def elements_named(value: Any) -> str:
    """A type, that of a list or tuple with those of its elements: ``tuple of (int, float)``."""
    if not isinstance(value, list | tuple):
        return kind_of(value)
    kinds = ", ".join(map(kind_of, value))
    if isinstance(value, list):
        return f"list of [{kinds}]"
    return f"tuple of ({kinds}{',' if len(value) == 1 else ''})"


def is_whole(value: Any) -> bool:
    """A whole number, or a tensor that holds one and asks for no gradient."""
    if isinstance(value, Tensor):
        return value._array.dtype.kind in "iu" and value.dim() == 0 and not value.requires_grad
    return isinstance(value, WHOLE) and not isinstance(value, bool)


def is_index(value: Any) -> bool:
    """What Python can use as an index, such as a tensor of one whole number; a bool is none to the parser."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        return False
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def is_scalar(value: Any) -> bool:
    """A tensor without dimensions and without gradient."""
    return isinstance(value, Tensor) and value.dim() == 0 and not value.requires_grad


def fits(kind: str, value: Any, name: str) -> bool:
    """Whether a value may stand for a parameter of this kind."""
    if kind == "Tensor":
        return isinstance(value, Tensor) or (
            name.removesuffix("_") in TAKES_NUMBERS and isinstance(value, (bool, *REAL, complex, np.bool_))
        )
    if kind == "int":
        return is_whole(value)
    if kind == "int[size]":
        return is_index(value)
    if kind == "Number":
        return isinstance(value, (bool, *REAL, complex, np.bool_, np.complexfloating)) or is_scalar(value)
    if kind == "float":
        return isinstance(value, (*REAL, np.bool_)) or is_scalar(value)
    if kind == "bool":
        return isinstance(value, bool)
    if kind.startswith("tuple of ints"):
        if isinstance(value, list | tuple):
            return not value or is_index(value[0])
        return kind.endswith("[1]") and is_index(value)
    if kind.startswith("tuple of"):
        element = Tensor if "Tensor" in kind else (bool, *REAL)
        return isinstance(value, list | tuple) and all(isinstance(v, element) for v in value)
    if kind == "torch.dtype" and isinstance(value, type):
        return value in dtypes.PYTHON_TYPES
    simple = SIMPLE.get(kind)
    return simple is None or isinstance(value, simple)


SIMPLE: dict[str, Any] = {
    "str": str,
    "torch.dtype": (dtypes.dtype, type),
    "name": str,
    "torch.layout": layout,
    "torch.device": (device, str, int),
    "torch.memory_format": memory_format,
    "torch.Generator": Generator,
}
"""Kinds for which a look at the type is enough. Others, such as ``object``, take anything here."""
