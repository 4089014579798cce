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
from engine.ops.core.operator import Operator
from engine.ops.core.parameters import MISSING
from engine.storage import ARRAYS
from engine.tensor import Parameter, Tensor, new, wrap

VALUES = frozenset({int, float, bool, type(None), tuple, str})
"""Arguments that a kernel takes as they are."""


def short_way(operator: Operator) -> Callable[..., Any]:
    """The operator as a plain function (which Python also binds as a method)."""
    signature = operator.signature
    if signature.gathers is not None or operator.outputs:
        call = general_way(operator)
    else:
        call = lane(operator)
    call.__name__, call.__doc__ = operator.name, operator.__doc__
    return call


def general_way(operator: Operator) -> Callable[..., Any]:
    """`Operator.call` as a function, which Python binds as a method."""
    general = operator.call

    def call(*args: Any, **kwargs: Any) -> Any:
        return general(*args, **kwargs)

    return call


def usual_in_lane(operator: Operator) -> tuple[frozenset[type], ...]:
    """By position, the usual types of what a kernel takes as it is beside tensors, and that of the default."""
    signature, by_name = operator.signature, operator.usual.by_name
    kinds = []
    for position, name in enumerate(signature.names):
        usual = by_name[name] & (frozenset() if position in operator.tensors else VALUES)
        kinds.append(usual if signature.defaults[position] is MISSING else usual | {type(signature.defaults[position])})
    return tuple(kinds)


def lane(operator: Operator) -> Callable[..., Any]:
    """The operator for plain tensors and Python values, with a single result."""
    general, signature = operator.call, operator.signature
    required, positional, count, defaults = (
        signature.required,
        signature.positional,
        signature.count,
        signature.defaults,
    )
    is_view, usual = operator.is_view, usual_in_lane(operator)
    records, order, link = bool(operator.differentiable), operator.order, operator.link

    def call(*args: Any, **kwargs: Any) -> Any:
        given = len(args)
        if kwargs or not required <= given <= positional or modes.special:
            return general(*args, **kwargs)
        arguments, arrays = args, []
        wanted = False
        for argument, kinds in zip(args, usual):  # noqa: B905 (as many as are given; strict costs)
            kind = type(argument)
            if kind is Tensor or kind is Parameter:
                arrays.append(argument._array)
                wanted = wanted or argument._requires_grad or (argument._base is not None and argument.requires_grad)
            elif kind in kinds:
                arrays.append(argument)
            else:
                return general(*args)
        if given < count:
            arguments += defaults[given:]
            arrays += defaults[given:]
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
