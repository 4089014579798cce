"""Ways out of the graph: ``detach``, ``data``, and values that become Python's or numpy's."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.autograd.modes import state as modes
from engine.late import Late
from engine.observe import state as observing
from engine.ops.core.batching import refuse_batch, refuse_branching, refuse_pointer
from engine.ops.core.conjugates import require_resolved
from engine.ops.core.declare import composite
from engine.placement import META, NO_COPY
from engine.storage import materialise, shared_counter
from engine.tensor import Tensor, new, wrap

dispatch = Late("engine.ops.core.dispatch")


def report_leaving(how: str, source: Tensor, result: Tensor | None) -> None:
    """Tells the listener that a tracked value left the graph (under no_grad too, where it leaves the tensors as well), or that
    another tensor sees the storage of one that nothing tracks.
    """
    if observing.listener is None:
        return
    if source.requires_grad and (modes.grad_enabled or result is None):
        observing.listener.left_graph(how, source, result, how)
    elif result is not None:
        observing.listener.aliased(source, result)


def sharing(source: Tensor, array: np.ndarray, counter: bool) -> Tensor:
    """An untracked tensor on the same storage, seen as ``array``."""
    result: Tensor
    if source._strided:
        result = new(Tensor)
        result._array = array
    else:
        result = wrap(source._array.alias())
    if counter:
        result._counter = shared_counter(source)
    if source._inference:
        result._inference = True
    if source._batched:
        result._batched = True
    if modes.layers:
        result._layer = modes.layers[-1].number
    return result


@composite(at="torch tensor")
def detach(self: Tensor) -> Tensor:
    """The same storage, outside the graph: no gradient passes, but in-place writes are noticed."""
    if modes.dispatching:
        made: Tensor = dispatch.asked("detach", detach, (self,), {})
        return made
    result = sharing(self, materialise(self), counter=True)
    report_leaving("detach", self, result)
    return result


@composite(at="torch tensor", name="detach_")
def detach_(self: Tensor) -> Tensor:
    """Takes this very tensor out of the graph: it becomes a leaf that requires no grad.

    Raises:
        RuntimeError: a view.
    """
    if self._base is not None:
        raise RuntimeError(
            "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
            "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence "
            "detach_() cannot be called on these gradients. To fix this error, please refer to the "
            "Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
        )
    report_leaving("detach", self, self)
    if self._node is not None:
        self._detached = True
        shared_counter(self)
    self._node, self._output_nr, self._requires_grad, self._tangent = None, 0, False, None
    return self


def read_data(self: Tensor) -> Tensor:
    """``.data``: the same storage, outside the graph and outside version counting."""
    refuse_batch("data", self)
    result = sharing(self, materialise(self), counter=False)
    report_leaving("data", self, result)
    return result


def is_same_memory(before: Any, after: Any) -> bool:
    """Whether two arrays are the same numbers at the same place: ``t.data -= …`` puts back what it has written into."""
    where = before.__array_interface__["data"] == after.__array_interface__["data"]
    return where and (before.shape, before.strides, before.dtype) == (after.shape, after.strides, after.dtype)


def write_data(self: Tensor, value: Tensor) -> None:
    """``t.data = value``: this tensor now looks at ``value``'s storage; the graph does not notice, and goes on taking gradients of the
    old shape.

    Raises:
        TypeError: no tensor.
        RuntimeError: another layout, device or kind of dtype.
    """
    if not isinstance(value, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
    if value._strided != self._strided or (modes.meta_met and value.device is not self.device):
        raise RuntimeError(
            "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor type."
        )
    if self.requires_grad and value._array.dtype.kind not in "fcV":
        raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
    if value._array.dtype != self._array.dtype:
        self._accumulator = None  # graphs keep the old one, which takes gradients of the old type
    before, self._array = self._array, materialise(value)
    if observing.listener is not None and not is_same_memory(before, self._array):
        version = 0 if self._counter is None else self._counter.value
        observing.listener.written(self, ".data", version, version, None)


@composite(at="tensor")
def item(self: Tensor) -> Any:
    """The one element as a Python number; it leaves the graph.

    Raises:
        RuntimeError: not exactly one element.
    """
    if modes.dispatching:
        return dispatch.asked("_local_scalar_dense", item, (self,), {})
    refuse_branching(self)
    array = self._array
    if array.size != 1:
        raise RuntimeError(f"a Tensor with {array.size} elements cannot be converted to Scalar")
    report_leaving("item", self, None)
    return array.item() if array.dtype.kind != "V" else float(array.reshape(())[()])


@composite(at="tensor")
def tolist(self: Tensor) -> Any:
    """All elements as nested Python lists; they leave the graph."""
    if self._batched:
        refuse_pointer(self)
    report_leaving("tolist", self, None)
    return (self._array if self._array.dtype.kind != "V" else self._array.astype(np.float64)).tolist()


@composite(at="tensor")
def numpy(self: Tensor, *, force: bool = False) -> np.ndarray:
    """The storage as a numpy array.

    Raises:
        RuntimeError: for a tensor that requires grad, unless ``force`` or under no_grad; for a conjugate, unless ``force``.
        TypeError: for bfloat16, which numpy has not, and for a tensor without elements (NotImplementedError if they are forced).
    """
    if modes.meta_met and self.device is META:
        if force:
            raise NotImplementedError(NO_COPY)
        raise TypeError(
            "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
        )
    if self.requires_grad and not force and modes.grad_enabled:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    refuse_pointer(self)
    if self._array.dtype.kind == "V":
        raise TypeError("Got unsupported ScalarType BFloat16")
    if not force:
        require_resolved(self)
    report_leaving("numpy", self, None)
    return materialise(self).view()  # an array of its own: who changes its shape does not change the tensor's


def delete_data(self: Tensor) -> None:
    """Raises RuntimeError: always."""
    raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")


Tensor.data = property(read_data, write_data, delete_data)
