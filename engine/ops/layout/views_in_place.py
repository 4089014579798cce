"""``squeeze_``, ``t_`` and kin: the tensor itself takes another shape on its storage, and a new node in the graph."""

from __future__ import annotations

from typing import Any

from engine.autograd.forward_switch import _set_fwd_grad_enabled
from engine.autograd.modes import state as modes
from engine.observe import state as observing
from engine.ops.core.declare import composite, operator
from engine.ops.core.inplace import raise_version, value_of
from engine.ops.core.operator import Operator
from engine.ops.core.tangents import tangent_of
from engine.ops.core.writable import check_writable
from engine.ops.layout import axes, strided
from engine.storage import materialise
from engine.tensor import Tensor


def twin(view: Operator, grad_fn: str) -> Operator:
    """A view operator under the node name of its in-place form."""
    derivatives: dict[str, Any] = view.sources
    named = operator(at="internal", name=f"{view.name}_", grad_fn=grad_fn, formula=view.formula, **derivatives)
    return named(view.definition)


def reshaped_in_place(twin: Operator, *arguments: Any) -> Tensor:
    """Gives the first argument the shape that the view would have.

    Raises:
        RuntimeError: for a leaf that requires grad; for an inference tensor outside inference mode.
    """
    target: Tensor = arguments[0]
    check_writable(target, arguments)
    materialise(target)
    seen = value_of(twin, arguments)
    placeholder = Tensor._output_again(seen, target._counter, None, 0)
    node = twin.record(arguments, [placeholder]) if modes.grad_enabled else None
    tangent = tangent_of(target) if modes.forward_level else None
    target._array = seen
    before = raise_version(target)
    if node is not None:
        target._node, target._output_nr, target._requires_grad = node, 0, True
        target._view_version = before + 1
    if tangent is not None:
        with _set_fwd_grad_enabled(False), observing.silent():
            reshaped_in_place(twin, tangent, *arguments[1:])
    if observing.listener is not None:
        observing.listener.written(target, twin.name, before, before + 1, node)
    return target


squeeze_all = twin(axes.squeeze_all, "SqueezeBackward3")
squeeze_dim = twin(axes.squeeze_dim, "SqueezeBackward4")
squeeze_dims = twin(axes.squeeze_dims, "SqueezeBackward5")
unsqueezing = twin(axes.unsqueeze, "UnsqueezeBackward1")
transposing = twin(axes.t, "TBackward1")
swapping = twin(axes.transpose, "TransposeBackward1")
striding = twin(strided.as_strided, "AsStridedBackward1")


@composite(at="tensor")
def squeeze_(self: Tensor, dim: Any = None) -> Tensor:
    """Drops dimensions of length one of this very tensor."""
    if dim is None:
        return reshaped_in_place(squeeze_all, self)
    if isinstance(dim, list | tuple):
        return reshaped_in_place(squeeze_dims, self, tuple(dim))
    return reshaped_in_place(squeeze_dim, self, dim)


@composite(at="tensor")
def unsqueeze_(self: Tensor, dim: int) -> Tensor:
    """Adds a dimension of length one to this very tensor."""
    return reshaped_in_place(unsqueezing, self, dim)


@composite(at="tensor")
def t_(self: Tensor) -> Tensor:
    """Swaps rows and columns of this very tensor.

    Raises:
        RuntimeError: for more than two dimensions.
    """
    check_writable(self)
    if self._array.ndim > 2:
        raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {self._array.ndim}D")
    return reshaped_in_place(transposing, self)


@composite(at="tensor", aliases="swapaxes_ swapdims_")
def transpose_(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """Swaps two dimensions of this very tensor."""
    return reshaped_in_place(swapping, self, dim0, dim1)


@composite(at="torch tensor")
def as_strided_(self: Tensor, size: Any, stride: Any, storage_offset: Any = None) -> Tensor:
    """Makes this very tensor another window on its storage."""
    return reshaped_in_place(striding, self, size, stride, storage_offset)
