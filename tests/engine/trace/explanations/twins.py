"""Laws of statements that name another operator, and of what PyTorch refuses."""

from __future__ import annotations

import re

import numpy as np

from engine import torch
from engine.ops.core import catalogue
from tests.engine.trace.explanations.calls import Call, calls
from tests.engine.trace.explanations.laws import (
    LAWS,
    PATTERNS,
    near,
)


def of(name: str) -> list[Call]:
    """All calls of the operators of that name."""
    return [call for operator, held in calls().items() if operator.name == name for call in held]


def like(call: Call, name: str) -> bool:
    """The result and the gradient are those of another operator that takes the same arguments."""
    nodes = call.operator.class_name.removesuffix("_copy")
    twin = Call(
        next(each for each in catalogue.operators() if each.name == name and each.class_name == nodes), call.given
    )
    return all(near(own, its) for own, its in zip(call.results, twin.results, strict=True)) and near(call.d, twin.d)


def is_copied(call: Call, name: str) -> bool:
    """`like`, in memory of its own."""
    source = torch.tensor(call.x)
    made = call.operator.run((source, *call.given[1:]))
    shares = any(
        np.shares_memory(source.numpy(), part.numpy()) for part in (made if isinstance(made, tuple) else [made])
    )
    return like(call, name) and not shares


def is_derivative(call: Call, name: str) -> bool:
    """The operator computes a gradient in a call of the one named, and doubles when what arrives doubles."""
    given = next(iter(call.arguments))
    doubled = call.again(**{given: np.asarray(call[given]) * 2})
    made = any(call.operator in other.makers for other in of(name))
    return made and all(near(twice, 2 * once) for once, twice in zip(call.results, doubled.results, strict=True))


def is_sent(call: Call, argument: str) -> bool:
    """The gradient that a convolution sends to one of its two factors, zero there."""
    operator = next(each for each in catalogue.operators() if each.name == "convolution")
    arrived, other, shape, stride, padding, dilation, groups = call.arguments.values()
    factor = torch.zeros(shape, dtype=torch.float64, requires_grad=True)
    beside = torch.tensor(other)
    pair = (factor, beside) if argument == "input" else (beside, factor)
    made = operator.run((*pair, None, stride, padding, dilation, False, (0,) * len(stride), groups))
    made.backward(torch.tensor(arrived))
    return near(call.result, factor.grad.numpy())


def is_put(call: Call, name: str) -> bool:
    """The given gradient, put where another operator picked, and zeros elsewhere: that one's own gradient."""
    operator = next(each for each in catalogue.operators() if each.name == name)
    rest = [call[each] for each in list(call.arguments)[2:]]
    picked = Call(operator, [np.zeros(call["input_sizes"]), *rest])
    grad = torch.tensor(call["grad"])
    x = torch.zeros(call["input_sizes"], dtype=grad.dtype, requires_grad=True)
    operator.run((x, *rest)).backward(grad)
    return near(call.result, x.grad.numpy()) and picked.result.shape == np.shape(call["grad"])


def doubles(call: Call) -> bool:
    """The derivative of the function that the operator's name begins with."""
    name = call.operator.name.removesuffix("_backward")
    names = [n for n in (name, f"{name}_windows", f"{name}_with_indices", f"{name}_forward") if of(n)]
    return any(is_derivative(call, found) for found in names)


LAWS.update(
    {
        "The derivative of the function that its name begins with, as an operation of its own": doubles,
        "PyTorch gives it no derivative": lambda c: "not implemented" in c.refused or "derivative" in c.refused,
        "PyTorch has no derivative for its first argument": lambda c: (
            "not implemented" in c.refused or "derivative" in c.refused
        ),
    }
)
PATTERNS[re.compile(r"Like `(\w+)`, copied")] = is_copied
PATTERNS[re.compile(r"`(\w+)`'s derivative as an operation of its own")] = is_derivative
PATTERNS[re.compile(r"What `convolution` sends to its (input|weight), alone")] = is_sent
PATTERNS[re.compile(r"Zeros, with the given gradient put where `(\w+)` picked")] = is_put
