"""Tensors to print, made from a number each; both sides make the same ones, so this needs numpy alone."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

DTYPES = (
    "float32", "float32", "float32", "float64", "float16", "bfloat16", "int64", "int64", "int32", "uint8", "bool",
    "complex64", "complex128",
)  # fmt: skip
SHAPES = (
    (), (1,), (2,), (3,), (5,), (7,), (12,), (30,), (0,), (0, 3), (2, 0, 3), (1, 1), (2, 3), (3, 3), (4, 1), (2, 20),
    (3, 30), (2, 2, 2), (2, 3, 4), (1, 2, 1, 3), (2, 2, 2, 2), (1001,), (1000,), (40, 40), (7, 200), (11, 11, 11),
)  # fmt: skip
MAKERS = ("CloneBackward0", "ViewBackward0", "ExpandBackward0", "AliasBackward0", "PermuteBackward0")
SPECIAL = (0.0, -0.0, math.nan, math.inf, -math.inf)


@dataclass
class PrintingCase:
    """``flat`` are the elements in order, as Python numbers; the rest as in `engine.printing.description.describe`."""

    shape: tuple[int, ...]
    dtype: str
    flat: list[Any]
    options: dict[str, Any] = field(default_factory=dict)
    default_dtype: str = "float32"
    requires_grad: bool = False
    grad_fn: str | None = None


def printing_case(number: int) -> PrintingCase:
    """The case with this number; always the same one (numpy's legacy stream never changes)."""
    draw = np.random.RandomState(number)
    dtype = DTYPES[draw.randint(len(DTYPES))]
    shape = SHAPES[draw.randint(len(SHAPES))]
    count = math.prod(shape)
    case = PrintingCase(shape, dtype, _elements(draw, dtype, count))
    if draw.rand() < 0.3:
        case.options = _options(draw)
    if draw.rand() < 0.15:
        case.default_dtype = "float64"
    if dtype.startswith(("float", "bfloat", "complex")):
        kind = draw.rand()
        if kind < 0.2:
            case.requires_grad = True
        elif kind < 0.5:
            case.requires_grad, case.grad_fn = True, MAKERS[draw.randint(len(MAKERS))]
    return case


def _elements(draw: np.random.RandomState, dtype: str, count: int) -> list[Any]:
    if dtype == "bool":
        return [bool(each) for each in draw.rand(count) < draw.rand()]
    if dtype == "uint8":
        return [int(each) for each in draw.randint(0, 256, count)]
    if dtype.startswith("int"):
        limit = 10 ** draw.randint(1, 10)
        return [int(each) for each in draw.randint(-limit, limit, count)]
    if dtype.startswith("complex"):
        return [complex(a, b) for a, b in zip(_reals(draw, count), _reals(draw, count), strict=True)]
    return _reals(draw, count)


def _reals(draw: np.random.RandomState, count: int) -> list[float]:
    style = draw.randint(8)
    if style == 0:
        values = draw.randint(-12, 13, count).astype(float)
    elif style == 1:
        values = draw.randint(-4000, 4000, count) / 8.0
    elif style == 2:
        values = draw.randn(count) * 10.0 ** draw.randint(-8, 12)
    elif style == 3:
        values = draw.randn(count) * 10.0 ** draw.uniform(-3, 3, count)
    elif style == 4:
        values = np.round(draw.rand(count), 4) + 0.00005
    elif style == 5:
        values = draw.randint(0, 3, count) * 10.0 ** draw.randint(0, 10)
    elif style == 6:
        values = np.zeros(count)
    else:
        values = draw.randn(count)
    if draw.rand() < 0.3:
        for place in range(count):
            if draw.rand() < 0.3:
                values[place] = SPECIAL[draw.randint(len(SPECIAL))]
    return [float(each) for each in values]


def _options(draw: np.random.RandomState) -> dict[str, Any]:
    chosen: dict[str, Any] = {}
    if draw.rand() < 0.4:
        chosen["precision"] = int(draw.randint(0, 10))
    if draw.rand() < 0.4:
        chosen["threshold"] = int(draw.choice([0, 1, 5, 20, 2000]))
    if draw.rand() < 0.4:
        chosen["edgeitems"] = int(draw.choice([0, 1, 2, 4]))
    if draw.rand() < 0.4:
        chosen["linewidth"] = int(draw.choice([10, 40, 60, 120, 200]))
    if draw.rand() < 0.4:
        chosen["sci_mode"] = bool(draw.rand() < 0.5)
    if draw.rand() < 0.2:
        chosen["profile"] = str(draw.choice(["default", "short", "full"]))
    return chosen
