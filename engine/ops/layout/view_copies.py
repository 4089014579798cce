"""The ``…_copy`` twin of every view: the same elements, in storage of their own; their nodes end in ``_copy``."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from engine.ops.core.declare import composite, operator
from engine.ops.core.dimension import wrapped
from engine.ops.core.operator import Operator
from engine.ops.layout import axes, expansion, shape, slicing, splitting, strided
from engine.tensor import Tensor


def copying(view: Operator, at: str = "torch") -> Operator:
    """Declares the twin of one view operator: its kernel's result copied, its derivative unchanged."""
    kernel = view.definition

    @functools.wraps(kernel)
    def copy(*args: Any, **kwargs: Any) -> Any:
        value = kernel(np.asarray(args[0]), *args[1:], **kwargs)
        return tuple(np.array(v, order="C") for v in value) if isinstance(value, tuple) else np.array(value, order="C")

    copy.__doc__ = f"Like ``{view.name}``, copied."
    derivatives: dict[str, Any] = view.sources
    made = operator(
        at=at,
        name=f"{view.name}_copy",
        grad_fn=f"{view.class_name}_copy",
        formula=view.formula,
        saves=" ".join(view.shown),
        outputs="tuple" if view.outputs else "",
        **derivatives,
    )(copy)
    made.recorded = view.recorded
    return made


alias_copy = copying(axes.alias)
as_strided_copy = copying(strided.as_strided)
diagonal_copy = copying(slicing.diagonal)
expand_copy = copying(expansion.expand)
permute_copy = copying(axes.permute_dims)
select_copy = copying(slicing.select)
slice_copy = copying(slicing.slice_)
split_copy = copying(splitting.split_equal)
split_with_sizes_copy = copying(splitting.split_sized)
t_copy = copying(axes.t)
transpose_copy = copying(axes.transpose)
unbind_copy = copying(splitting.unbind_views)
unfold_copy = copying(slicing.unfold)
unsqueeze_copy = copying(axes.unsqueeze)
view_copy = copying(shape.view_as_shape)
squeeze_all_copy = copying(axes.squeeze_all, "internal")
squeeze_dim_copy = copying(axes.squeeze_dim, "internal")
squeeze_dims_copy = copying(axes.squeeze_dims, "internal")


@composite(at="torch")
def squeeze_copy(self: Tensor, dim: Any = None) -> Tensor:
    """Like ``squeeze``, copied."""
    if dim is None:
        return squeeze_all_copy(self)
    if isinstance(dim, list | tuple):
        return squeeze_dims_copy(self, tuple(dim))
    return squeeze_dim_copy(self, dim)


@operator(
    at="torch tensor",
    formula="x[start:start+length]",
    saves="dim length self_sym_sizes start",
    self=lambda grad, self_sym_sizes, dim, start, length: slicing.slice_backward(
        grad, self_sym_sizes, dim, start, start + length, 1
    ),
)
def narrow_copy(self: Any, dim: int, start: int, length: int) -> Any:
    """Copies ``length`` elements from ``start`` on; going back, everything outside gets zero.

    Raises:
        RuntimeError: no such dimension, or a negative length.
    """
    if not np.ndim(self):
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if dim >= np.ndim(self):
        raise RuntimeError(
            "Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got false.  "
            "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
        )
    place = wrapped(dim, np.ndim(self))
    if length < 0:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({self.shape[place]}).")
    first = slicing.narrow_start(self.shape[place], start, length)
    return self[slicing.key_along(place, slice(first, first + length))].copy("C")
