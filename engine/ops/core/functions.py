"""What a call does of a function that is no operator: one made of operators, or one that picks one of several.

Around the plain function stand PyTorch's freedoms: other spellings of keywords, ``out=``, sizes spelled out or in one piece; and its
refusals, in the words of its argument parser (`engine.ops.core.spelled_call`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.ops.core.inplace import InPlace, apply_in_place
from engine.ops.core.misuse import kind_of, no_overload, require_flags, require_tensor, taken_out
from engine.ops.core.operator import Operator
from engine.ops.core.outputs import write_out
from engine.ops.core.parameters import flat, parameters_of, standing_for
from engine.ops.core.signature import RENAMED, Signature, too_many
from engine.ops.core.spelled_call import (
    SUSPICIOUS,
    in_parsers_words,
    refuse,
    require_fit,
    require_room_for_out,
    settled,
)
from engine.ops.core.usual import Usual
from engine.tensor import Tensor


def picking(choose: Callable[..., Any], spelled: str, signature: Signature, needs_tensors: str) -> Callable[..., Any]:
    """The function that asks ``choose`` for an operator with its arguments, and runs it (see `engine.ops.core.declare.overloaded`)."""
    flat_choose, anyone = flat(choose), needs_tensors == "any"
    named = () if needs_tensors in ("first", "any") else needs_tensors.split()
    strict = tuple(signature.index[p] for p in named) or (0,)
    usual = Usual(parameters_of(choose))
    fitting: set[tuple[type, ...]] = set()
    """Types of calls without names that fitted: what `bound_to` asks goes by them."""

    def bound_to(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The arguments in order, looked at as PyTorch's argument parser does."""
        bound = signature.bind(spelled, args, kwargs)
        if anyone:
            if not isinstance(bound[0], Tensor) and not isinstance(bound[1], Tensor):
                raise no_overload(spelled, signature, bound[:2])
        elif not isinstance(bound[0], Tensor):
            require_tensor(spelled, signature, strict, bound, args, len(args) > 1)
        if signature.flags:
            require_flags(spelled, signature, bound)
        return bound

    def call(*args: Any, **kwargs: Any) -> Any:
        out, named = None, kwargs
        try:
            kinds = tuple(map(type, args))
            if kinds in fitting and not kwargs:
                bound = args + signature.defaults[len(args) :]
            else:
                if not usual.holds(args, kwargs):
                    require_fit(usual, call, args, kwargs)
                if "out" in kwargs:
                    require_room_for_out(call, args, kwargs)
                    named = dict(kwargs)
                    out = taken_out(spelled, named)
                bound = bound_to(args, named)
                if not kwargs and signature.gathers is None:
                    fitting.add(kinds)
            chosen, *arguments = flat_choose(*bound)
            if not isinstance(chosen, Operator):
                result = chosen(*arguments)
            elif len(arguments) <= chosen.signature.positional:
                result = chosen.short(*arguments)
            else:  # some of them can only be named in a call
                result = chosen.run(tuple(arguments))
            return result if out is None else write_out(result, out, chosen, arguments)
        except SUSPICIOUS as error:
            return settled(error, call, args, kwargs)

    call.__name__, call.__doc__ = spelled, choose.__doc__
    return call


def picking_in_place(choose: Callable[..., Any], spelled: str, signature: Signature) -> Callable[..., Any]:
    """Its ``_`` form, which picks in the same way and writes the result into ``self``."""
    pick = flat(choose)
    usual = Usual(parameters_of(pick))

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            if not usual.holds(args, kwargs):
                require_fit(usual, call, args, kwargs)
            chosen, *arguments = pick(*signature.bind(spelled, args, kwargs))
            return apply_in_place(chosen, tuple(arguments))
        except SUSPICIOUS as error:
            refuse(error, call, args, kwargs)

    call.__name__ = spelled
    call.__doc__ = f"Like ``{spelled[:-1]}``, writing the result into ``self``."
    return call


def in_place_on_demand(name: str, plain: Operator, twin: InPlace, before: int) -> Callable[..., Any]:
    """``F.<name>(…, inplace=False)``: the operator, or its ``_`` twin; ``inplace`` comes after ``before`` other parameters."""

    def call(*args: Any, **kwargs: Any) -> Any:
        given = args, kwargs
        try:
            writes = False
            if "inplace" in kwargs:
                kwargs = dict(kwargs)
                writes = kwargs.pop("inplace")
            if len(args) > before:
                if len(args) > before + 1:
                    raise TypeError(too_many(name, plain.signature.required, before + 1, len(args)))
                *front, writes = args
                args = tuple(front)
            return (twin if writes else plain)(*args, **kwargs)
        except SUSPICIOUS as error:
            refuse(error, call, *given)

    call.__name__, call.__doc__ = name, plain.__doc__
    return call


def flexible(function: Callable[..., Any], parsed: bool) -> Callable[..., Any]:
    """The function with PyTorch's other keyword spellings allowed (``input`` for ``self``, ``axis`` for ``dim``, …).

    ``parsed``: PyTorch's argument parser sees its calls, and has the word when one fails.
    """
    parameters = parameters_of(function)
    names = parameters.names
    others = {other: name for other, name in RENAMED.items() if name in names and other not in names}
    if parsed and names[:1] in (("input",), ("A",)):
        others |= {other: names[0] for other, name in RENAMED.items() if name == "self" and other not in names}
    gathers = names[parameters.gathers] if parameters.gathers is not None and len(names) > 1 else None
    takes_out = "out" not in names
    writes_out = getattr(function, "writes_out", False)  # on its own terms
    if not others and gathers is None and not parsed:
        return function
    usual = Usual(parameters) if parsed else None

    @standing_for(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        out, given = None, kwargs
        try:
            if usual is not None and not usual.holds(args, kwargs):
                require_fit(usual, call, args, kwargs)
            if kwargs:
                if takes_out and "out" in kwargs:
                    require_room_for_out(call, args, kwargs)
                    kwargs = dict(kwargs)
                    out = taken_out(function.__name__, kwargs)
                kwargs = {n if others.get(n, n) in kwargs else others.get(n, n): value for n, value in kwargs.items()}
                if gathers in kwargs:
                    rest = kwargs.pop(gathers)
                    if gathers == "size":
                        require_row(function.__name__, rest, len(args) > parameters.gathers)
                    args = (*args, *((kwargs.pop("self"),) if "self" in kwargs else ()), rest)
            if out is not None and writes_out:
                return function(*args, out=out, **kwargs)
            result = function(*args, **kwargs)
            return result if out is None else write_out(result, out, function, args)
        except SUSPICIOUS as error:
            return settled(error, call, args, given)

    return call


def require_row(name: str, size: Any, spelled_out: bool) -> None:
    """Refuses a ``size=`` that is one number (only without the name may sizes be spelled out), or that comes a second time.

    Raises:
        TypeError: in PyTorch's words.
    """
    if spelled_out:
        raise TypeError(f"{name}() got multiple values for argument 'size'")
    if not isinstance(size, list | tuple):
        raise TypeError(f"{name}(): argument 'size' must be tuple of ints, not {kind_of(size)}")


def in_one_piece(function: Callable[..., Any]) -> Callable[..., Any]:
    """``torch.reshape`` beside ``x.reshape``: only the method takes sizes that are spelled out."""

    @standing_for(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) > 2 or (len(args) == 2 and not isinstance(args[1], tuple | list)):
            raise in_parsers_words(
                TypeError(f"{function.__name__}(): sizes and dimensions must be a tuple of ints"), call, args, kwargs
            )
        return function(*args, **kwargs)

    return call
