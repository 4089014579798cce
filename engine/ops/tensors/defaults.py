"""``torch.set_default_dtype`` and what depends on it; the limits of types; devices by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine import dtype as dtypes
from engine import placement
from engine.autograd.modes import state as modes
from engine.late import Late
from engine.ops.core.catalogue import publish
from engine.ops.core.declare import composite
from engine.placement import CPU, META, default, placed
from engine.tensor import Tensor
from engine.type_info import finfo, iinfo

if TYPE_CHECKING:
    from engine.ops.meta import arrays as meta_arrays
else:
    meta_arrays = Late("engine.ops.meta.arrays")


@composite(at="torch")
def set_default_dtype(d: Any) -> None:
    """The type that Python floats become.

    Raises:
        TypeError: not a floating type.
    """
    if not isinstance(d, dtypes.dtype):
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    if not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    dtypes.defaults.floating = d


@composite(at="torch")
def get_default_dtype() -> dtypes.dtype:
    """The type that Python floats become; float32 unless set."""
    return dtypes.defaults.floating


@composite(at="torch")
def set_default_device(device: Any) -> None:
    """Where new tensors are made: the CPU, or (without elements) the meta device. None is the CPU again."""
    default.where = CPU if device is None else placed(device)


@composite(at="torch")
def get_default_device() -> placement.device:
    """Where new tensors are made; the CPU unless set."""
    return default.where


def where(self: Tensor) -> placement.device:
    """The CPU, or the meta device for a tensor without elements."""
    return META if modes.meta_met and meta_arrays.is_meta(self) else CPU


Tensor.device = property(where)
Tensor.layout = property(lambda self: placement.strided, doc="Strided: all elements are there.")

for _name in ("finfo", "iinfo"):
    publish("torch", _name, {"finfo": finfo, "iinfo": iinfo}[_name])
for _name in (
    "device", "layout", "memory_format", "strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc",
    "contiguous_format", "preserve_format", "channels_last", "channels_last_3d",
):  # fmt: skip
    publish("torch", _name, getattr(placement, _name))
