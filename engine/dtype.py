"""PyTorch's dtypes over numpy's, and how they combine.

A `dtype` is one of a fixed set of singletons (``float32`` … ``complex128``); ``dtype.array`` is the numpy dtype that
carries it. ``bfloat16`` is the numpy extension type of ml_dtypes, imported when it is first asked for. `BY_ARRAY` leads back.

Promotion (``torch.result_type``) has three ranks: tensors with dimensions, 0-d tensors, Python numbers. A lower rank
changes the result only if its category (bool < integer < float < complex) is higher than everything above it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.spelled import Spelled


class dtype(Spelled):
    """One element type. Compare with ``is``; the repr is PyTorch's (``torch.float32``)."""

    __module__ = "torch"

    __slots__ = ("array", "category", "is_complex", "is_floating_point", "is_signed", "itemsize", "name")

    array: np.dtype[Any]

    def __init__(self, name: str = "", array: Any = None, category: int = -1, itemsize: int = 0) -> None:
        if category < 0:
            raise TypeError("cannot create 'torch.dtype' instances")
        self.name = name
        self.category = category
        self.is_floating_point = category == FLOAT
        self.is_complex = category == COMPLEX
        self.is_signed = name not in ("bool", "uint8", "uint16", "uint32", "uint64")
        if array is not None:
            self.array = np.dtype(array)
        self.itemsize: int = itemsize or self.array.itemsize

    def __getattr__(self, name: str) -> Any:
        """The element type that numpy does not have: imported here, since importing torch should be quick."""
        if name != "array":
            return super().__getattr__(name)
        import ml_dtypes

        self.array = np.dtype(ml_dtypes.bfloat16)
        BY_ARRAY[self.array] = self
        return self.array

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __dir__(self) -> list[str]:
        """Without what the engine alone knows of it."""
        return [name for name in super().__dir__() if name not in ("array", "category", "name")]

    def __reduce__(self) -> tuple[Any, ...]:
        return _by_name, (self.name,)

    @property
    def abbr(self) -> str:
        """``f32``: as PyTorch's logs abbreviate it."""
        letters = self.name.rstrip("0123456789")
        return ("bf" if letters == "bfloat" else letters[0]) + str(8 * self.itemsize)

    def to_complex(self) -> dtype:
        """The complex type of the same precision."""
        return complex128 if self is float64 else self if self.is_complex else complex64

    def to_real(self) -> dtype:
        """The real type of the same precision."""
        return {complex64: float32, complex128: float64}.get(self, self)


BOOL, INTEGER, FLOAT, COMPLEX = range(4)

bool_ = dtype("bool", np.bool_, BOOL)
uint8 = dtype("uint8", np.uint8, INTEGER)
int8 = dtype("int8", np.int8, INTEGER)
int16 = dtype("int16", np.int16, INTEGER)
int32 = dtype("int32", np.int32, INTEGER)
int64 = dtype("int64", np.int64, INTEGER)
uint16 = dtype("uint16", np.uint16, INTEGER)
uint32 = dtype("uint32", np.uint32, INTEGER)
uint64 = dtype("uint64", np.uint64, INTEGER)
float16 = dtype("float16", np.float16, FLOAT)
bfloat16 = dtype("bfloat16", None, FLOAT, itemsize=2)
float32 = dtype("float32", np.float32, FLOAT)
float64 = dtype("float64", np.float64, FLOAT)
complex64 = dtype("complex64", np.complex64, COMPLEX)
complex128 = dtype("complex128", np.complex128, COMPLEX)

ALL = (
    bool_, uint8, int8, int16, int32, int64, uint16, uint32, uint64,
    float16, bfloat16, float32, float64, complex64, complex128,
)  # fmt: skip
BY_ARRAY: dict[Any, dtype] = {d.array: d for d in ALL if d is not bfloat16}
BY_NAME: dict[str, dtype] = {d.name: d for d in ALL}
ALIASES = {
    "float": float32, "double": float64, "half": float16, "int": int32, "long": int64, "short": int16,
    "cfloat": complex64, "cdouble": complex128,
}  # fmt: skip

PYTHON_TYPES: dict[Any, dtype] = {float: float64, int: int64, bool: bool_, complex: complex128}
"""Python's types, which may stand wherever a dtype is asked for."""


def _by_name(name: str) -> dtype:
    return BY_NAME[name]


class Defaults:
    """``torch.set_default_dtype``; one object so that a read is one attribute."""

    __slots__ = ("floating",)

    def __init__(self) -> None:
        self.floating = float32


defaults = Defaults()

_promoted: dict[tuple[dtype, dtype], dtype] = {}


def promote(a: dtype, b: dtype) -> dtype:
    """``torch.promote_types``: the smallest type that holds both.

    Raises:
        RuntimeError: for uint16/32/64 against another integer type, which PyTorch does not promote.
    """
    if a is b:
        return a
    found = _promoted.get((a, b))
    if found is None:
        found = _promoted[a, b] = _promote(a, b)
    return found


def _promote(a: dtype, b: dtype) -> dtype:
    low, high = sorted((a, b), key=lambda d: d.category)
    if high.category != low.category:
        if high.category == COMPLEX and low.category == FLOAT:
            return complex128 if float64 in (low, high) or high is complex128 else complex64
        return high
    if low.category == INTEGER:
        return _promote_integers(low, high)
    if {a, b} == {float16, bfloat16}:
        return float32
    return max((a, b), key=lambda d: (d.itemsize, d is not bfloat16))


def _promote_integers(a: dtype, b: dtype) -> dtype:
    wide = {uint16, uint32, uint64} & {a, b}
    if wide:
        raise RuntimeError(
            f"Promotion for uint16, uint32, uint64 types is not supported, attempted to promote {a.name} and {b.name}"
        )
    if uint8 in (a, b):
        other = b if a is uint8 else a
        return int16 if other is int8 else other
    return max((a, b), key=lambda d: d.itemsize)


def of_scalar(value: Any) -> dtype:
    """The dtype ``torch.tensor`` gives a Python number: floats take the default floating type."""
    if isinstance(value, bool | np.bool_):
        return bool_
    if isinstance(value, int | np.integer):
        return int64
    if isinstance(value, complex | np.complexfloating) and not isinstance(value, float):
        return defaults.floating.to_complex()
    return defaults.floating


def combine(higher: dtype | None, lower: dtype | None) -> dtype | None:
    """Merges the promotions of two ranks: ``lower`` matters only by its category (PyTorch's combine_categories)."""
    if higher is None or lower is None:
        return higher or lower
    if higher.is_complex:
        return higher
    if higher.is_floating_point:
        return higher.to_complex() if lower.is_complex else higher
    if higher is bool_ or lower.category >= FLOAT:
        return promote(higher, lower)
    return higher
