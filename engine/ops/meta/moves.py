"""To the meta device: the form stays, the elements are forgotten. There is no way back."""

from __future__ import annotations

from engine import dtype as dtypes
from engine.autograd.modes import state as modes
from engine.observe import state as observing
from engine.ops.meta.arrays import meta_array
from engine.ops.tensors.conversion import to_copy
from engine.tensor import Tensor, wrap


def to_meta(tensor: Tensor, dtype: dtypes.dtype) -> Tensor:
    """Shape and strides without elements; to the graph it is a copy like any other."""
    array = tensor._array
    result = wrap(meta_array(array.shape, dtype.array, None, getattr(array, "strides", None)))
    arguments = (tensor, dtype, None)
    recording = modes.grad_enabled and not modes.inference
    node = to_copy.record(arguments, [result]) if recording and tensor.requires_grad else None
    if observing.listener is not None:
        observing.listener.operation(to_copy, arguments, [result], node)
    return result
