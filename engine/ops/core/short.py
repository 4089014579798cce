"""The short way through an operator: one function per operator, for calls with nothing unusual about them.

It does what `Operator.call` does, with everything decided beforehand that can be: plain tensors and Python values in signature order,
one result, no mode on. Whatever it does not recognise, and whatever fails, goes the general way, which
knows what to say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.autograd.modes import state as modes
from engine.observe import state as observing
from engine.ops.core.operator import NUMBERS, Operator
from engine.storage import ARRAYS
from engine.tensor import Parameter, Tensor, new, wrap

VALUES = frozenset({int, float, bool, type(None), tuple, str})
"""Arguments that a kernel takes as they are."""
FLAGS = frozenset({bool})


def short_way(operator: Operator) -> Callable[..., Any]:
    """The operator as a plain function (which Python also binds as a method)."""
    signature = operator.signature
    if signature.gathers is not None or operator.outputs:
        call = general_way(operator)
    else:
        call = lane(operator)
        if positions := tuple(position for position in signature.numbers if position < signature.positional):
            call = guarded(call, operator, positions, NUMBERS)
        if positions := tuple(position for position in signature.flags if position < signature.positional):
            call = guarded(call, operator, positions, FLAGS)
    call.__name__, call.__doc__ = operator.name, operator.__doc__
    return call


def general_way(operator: Operator) -> Callable[..., Any]:
    """`Operator.call` as a function, which Python binds as a method."""
    general = operator.call

    def call(*args: Any, **kwargs: Any) -> Any:
        return general(*args, **kwargs)

    return call


def guarded(
    way: Callable[..., Any], operator: Operator, positions: tuple[int, ...], kinds: frozenset[type]
) -> Callable[..., Any]:
    """The way, for calls whose arguments at ``positions`` are of those types; the general way for others."""
    general = operator.call

    def call(*args: Any, **kwargs: Any) -> Any:
        for position in positions:
            if position < len(args) and type(args[position]) not in kinds:
                return general(*args, **kwargs)
        return way(*args, **kwargs)

    return call


def lane(operator: Operator) -> Callable[..., Any]:
    """The operator for plain tensors and Python values, with a single result."""
    general, signature = operator.call, operator.signature
    required, positional, count, defaults = (
        signature.required,
        signature.positional,
        signature.count,
        signature.defaults,
    )
    is_view, tensors = operator.is_view, frozenset(operator.tensors)
    records, order, link = bool(operator.differentiable), operator.order, operator.link

    def call(*args: Any, **kwargs: Any) -> Any:
        given = len(args)
        if kwargs or not required <= given <= positional or modes.special:
            return general(*args, **kwargs)
        arguments = args if given == count else args + defaults[given:]
        arrays = []
        wanted = False
        for position, argument in enumerate(arguments):
            kind = type(argument)
            if kind is Tensor or kind is Parameter:
                arrays.append(argument._array)
                wanted = wanted or argument._requires_grad or (argument._base is not None and argument.requires_grad)
            elif kind in VALUES and position not in tensors:
                arrays.append(argument)
            else:
                return general(*args)
        first = arguments[0]
        if is_view and isinstance(arrays[0], np.generic):
            first._array = arrays[0] = np.array(arrays[0])
        try:
            if operator.promotion is not None:  # asked now: some get another one after they are declared
                operator.promotion.apply(arrays)
            value = operator.kernel(*arrays)
        except Exception:  # noqa: BLE001 (the general way says what is wrong)
            return general(*args)
        result: Tensor = new(Tensor)
        if isinstance(value, ARRAYS):
            result._array = value if order is None or value.ndim < 2 else order(value, arrays)
        elif type(value) in (tuple, list):
            return general(*args)
        else:
            result = wrap(value)
        if is_view:
            link(first, [result], False)
        node = operator.record(arguments, [result]) if wanted and records and modes.grad_enabled else None
        if observing.listener is not None:
            observing.listener.operation(operator, arguments, (result,), node)
        return result

    return call
