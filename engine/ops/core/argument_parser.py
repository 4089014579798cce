"""What PyTorch's argument parser says about a call that fits no signature.

Our operators look at hardly anything before the arithmetic. When a call fails that was spelled ``torch.max(…)`` or
``x.max(…)``, `complaint` goes through PyTorch's own signatures (`engine.ops.core.known_signatures`) as its parser does
(``torch/csrc/utils/python_arg_parser.cpp``) and says what it says.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from engine.ops.core.kinds import SIMPLE, fits, is_index
from engine.ops.core.known_signatures import Expectation, Expected, as_shown, expectations, signatures, spellings
from engine.ops.core.misuse import kind_of
from engine.ops.core.signature import too_many
from engine.tensor import Tensor

UNPREFIXED = frozenset({"torch", "tensor", "functional"})
"""Places whose functions the parser calls by their bare name."""
AMONG_TENSORS = "expected Tensor as element"
"""What is said of something else in a row of tensors."""
HIDING = frozenset(
    f"{name}{mark}"
    for name in "add sub subtract addcmul addcdiv addmm addmv addr addbmm baddbmm".split()
    for mark in ("", "_")
) | {"copy_", "type"}
"""Functions and methods with a second, old signature that PyTorch does not show."""


def prepare() -> None:
    """Reads now what is else read when a call first fails: for a process that may open no file later."""
    signatures()


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
    among_tensors = next((each for each in told if each is not None and each.startswith(AMONG_TENSORS)), None)
    if among_tensors is not None:  # at which the parser stops at once, whatever other signatures there are
        return among_tensors
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


def hides_another(spelled: str, place: str) -> bool:
    """Whether the function has one of the old signatures that PyTorch does not show."""
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
            return wrong_kind(name, parameter, value, parameters.index(parameter) if named else position, named)
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
        return f"{AMONG_TENSORS} {wrong} in argument {position}, but got {kind_of(value[wrong])}"
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


def surplus(name: str, expected: Expectation, given: int) -> str:
    """Too many arguments without a name. What must be given counts even if it can be given by its name only, as PyTorch counts."""
    return too_many(name, expected.required, expected.positional, given)


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
    refused = f"{name}() received an invalid combination of arguments - got"
    words = f"{refused} ({got}), but expected"
    if len(expected) == 1:
        names = {parameter.name for parameter in expected[0].parameters[len(args) :]}
        unknown = [keyword for keyword in reversed(kwargs) if keyword not in names]
        return (
            f"{refused} unrecognized keyword arguments: {', '.join(unknown)}"
            if unknown
            else f"{words} ({expected[0].shown})"
        )
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
    """The type, between exclamation marks if it is not the very one that is expected.

    A parameter is no plain tensor, and no type of Python's is called ``Number``.
    """
    told = elements_named(value)
    known = kind in SIMPLE or kind in ("Tensor", "int", "float", "bool") or kind.startswith("tuple of")
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
