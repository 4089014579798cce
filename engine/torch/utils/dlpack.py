"""``torch.utils.dlpack``: tensors and arrays that share memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.autograd.modes import no_grad
from engine.dtype import BY_ARRAY
from engine.ops.core.misuse import kind_of
from engine.ops.tensors.numpy_interop import require_exportable
from engine.storage import materialise
from engine.tensor import Tensor, wrap

CONSUMED = (
    "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so you might have "
    "already constructed a tensor from it once."
)


class PyCapsule:
    """What `to_dlpack` gives: the memory of a tensor, to be taken once."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __repr__(self) -> str:
        return f'<capsule object "{"used_dltensor" if self.array is None else "dltensor"}" at {id(self):#x}>'

    def taken(self) -> Any:
        """The array, which is given only once.

        Raises:
            RuntimeError: it was taken already.
        """
        array, self.array = self.array, None
        if array is None:
            raise RuntimeError(CONSUMED)
        return array


PyCapsule.__module__ = "builtins"


def to_dlpack(data: Tensor) -> PyCapsule:
    """A capsule with the tensor's memory.

    Raises:
        TypeError: it is no tensor.
        BufferError: it requires grad.
    """
    if not isinstance(data, Tensor):
        raise TypeError(f"_to_dlpack(): argument 'data' (position 1) must be Tensor, not {kind_of(data)}")
    return PyCapsule(materialise(data))


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor over the memory of a tensor, an array, or a capsule of `to_dlpack`.

    Raises:
        BufferError: a tensor that requires grad.
        RuntimeError: nothing that has such memory, or a capsule used before.
    """
    made: Tensor
    if isinstance(ext_tensor, Tensor):
        require_exportable(ext_tensor)
        with no_grad():
            made = ext_tensor.detach()
    elif isinstance(ext_tensor, PyCapsule):
        made = wrap(ext_tensor.taken())
    elif isinstance(ext_tensor, np.ndarray):
        made = wrap(ext_tensor)
    elif hasattr(ext_tensor, "__dlpack__"):
        made = wrap(np.from_dlpack(ext_tensor))
    else:
        raise RuntimeError(CONSUMED)
    if made._array.dtype not in BY_ARRAY:
        raise RuntimeError(f"Unsupported dtype in DLTensor: {made._array.dtype}")
    if copy:
        made = made.clone()
    return made


__all__ = ["from_dlpack", "to_dlpack"]
