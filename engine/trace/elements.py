"""What is known of elements: whether their dtype can carry gradients; of a `Value`'s, if all are 0, the largest, the only one."""

from __future__ import annotations

from engine.trace.parts import Number, Value


def carries_gradients(dtype: str) -> bool:
    """Whether elements of this dtype have a slope: real and complex numbers do, whole ones and truth values don't."""
    return dtype.startswith(("float", "bfloat", "complex"))


def is_zero(value: Value) -> bool:
    """Whether every element is known to be 0: of a large tensor from its smallest and its largest."""
    if value.data is None:
        return value.low == 0 == value.high and not value.nonfinite
    return all(element == 0 for element in value.data)


def sample(value: Value) -> list[Number | bool]:
    """The elements, of a large tensor those that were kept: the same places for the same shape."""
    return value.data if value.data is not None else [element for row in value.thumbnail or [] for element in row]


def largest(value: Value | None) -> float:
    """The largest absolute element; 0 where there is none."""
    if value is None:
        return 0.0
    if value.data is not None:
        return max((abs(complex(element)) for element in value.data), default=0.0)
    return max(abs(float(value.low or 0)), abs(float(value.high or 0)))


def zeros_like(value: Value | None) -> Value | None:
    """The same shape, all zeros; None stays None."""
    if value is None:
        return None
    data: list[float | int | str | bool] | None = None if value.data is None else [0.0] * len(value.data)
    text = "0" if not value.shape else value.text
    if data is not None and len(value.shape) == 1 and value.text.startswith("["):
        text = "[" + ", ".join("0" * len(data)) + "]"
    return Value(value.shape, value.dtype, text, data)


def single(value: Value | None) -> float | None:
    """The number of a one-element value; None for a complex one, which no float holds."""
    if value is None or value.data is None or len(value.data) != 1 or "complex" in value.dtype:
        return None
    return float(value.data[0])
