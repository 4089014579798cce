"""Norms of matrices, and how much they can magnify an error: the condition number."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite, operator
from engine.ops.core.dimension import wrapped
from engine.ops.linear_algebra.matrices import require_floating, require_matrix
from engine.ops.linear_algebra.singular_values import values_of
from engine.ops.reduction.dims import as_tuple, wrap_dims
from engine.ops.reduction.norms import norm_backward, norm_rounded, vector_norm_operator
from engine.tensor import Tensor


def two_dims(matrix: Tensor, dim: Any) -> tuple[int, int]:
    """Both dimensions, counted from the front.

    Raises:
        RuntimeError: not two, or twice the same.
    """
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    if len(dims) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dims))}")
    one, two = wrapped(dims[0], matrix.ndim), wrapped(dims[1], matrix.ndim)
    if one == two:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({dims[0]}, {dims[1]})")
    return one, two


@composite(at="linalg")
def matrix_norm(
    A: Tensor,
    ord: Any = "fro",
    dim: Any = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: Any = None,
) -> Tensor:
    """The size of a matrix: of all elements (``"fro"``), of singular values (``"nuc"``, ±2), of columns (±1) or rows
    (±inf).

    Raises:
        RuntimeError: no matrix, or an unknown order.
    """
    require_matrix("linalg.matrix_norm", A._array)
    require_floating("linalg.matrix_norm", A._array)
    one, two = two_dims(A, dim)
    if isinstance(ord, str):
        if ord not in ("fro", "nuc"):
            raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    elif abs(ord) not in (1, 2, math.inf):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    if ord == "fro":
        return vector_norm_operator(A, 2, (one, two), keepdim, dtype)
    if dtype is not None:
        A = A.to(dtype)
    if ord == "nuc" or abs(ord) == 2:
        return by_singular_values(A, ord, one, two, keepdim)
    if abs(ord) == math.inf:
        one, two = two, one
    sums = vector_norm_operator(A, 1.0, (one,), keepdim, None)
    if two > one and not keepdim:
        two -= 1
    return sums.amax((two,), keepdim) if ord > 0 else sums.amin((two,), keepdim)


def by_singular_values(matrix: Tensor, ord: Any, one: int, two: int, keepdim: bool) -> Tensor:
    """Their sum, the largest or the smallest."""
    order = [d for d in range(matrix.ndim) if d not in (one, two)] + [one, two]
    values = values_of(matrix.permute(order))
    if ord == "nuc":
        result = values.sum(-1, keepdim)
    else:
        result = values.amax((-1,), keepdim) if ord > 0 else values.amin((-1,), keepdim)
    if not keepdim:
        return result
    back = [0] * matrix.ndim
    for place, d in enumerate(order):
        back[d] = place
    return result.unsqueeze(-1).permute(back)


@composite(at="linalg")
def norm(
    A: Tensor,
    ord: Any = None,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
) -> Tensor:
    """A vector's or a matrix's norm, by the number of dimensions.

    Raises:
        RuntimeError: an order for something that is neither.
    """
    dims = None if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    if isinstance(ord, str) and (A.ndim < 2 if dims is None else len(dims) != 2):
        return matrix_norm(A, ord, (-2, -1) if dims is None else dims, keepdim, dtype=dtype)
    if dims is not None and ord is not None and len(dims) not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dims)}")
    if dims is None and ord is not None and A.ndim not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {A.ndim}D."
        )
    if ord is not None and ((dims is not None and len(dims) == 2) or (dims is None and A.ndim == 2)):
        return matrix_norm(A, ord, (0, 1) if dims is None else dims, keepdim, dtype=dtype)
    return vector_norm_operator(A, 2.0 if ord is None else ord, dims, keepdim, dtype)


@composite(at="torch")
def nuclear_norm(self: Tensor, dim: Any = (-2, -1), keepdim: bool = False) -> Tensor:
    """The sum of singular values."""
    return matrix_norm(self, "nuc", dim, keepdim)


@composite(at="linalg")
def cond(A: Tensor, p: Any = None) -> Tensor:
    """How much A can magnify a relative error: its norm times that of its inverse; infinite where there is no inverse.

    Raises:
        RuntimeError: no matrix, an unknown norm, or one that needs a square matrix and does not get one.
    """
    if A.ndim < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if p is None or (not isinstance(p, str) and abs(p) == 2):
        values = values_of(A)
        largest, smallest = values.narrow(-1, 0, 1), values.narrow(-1, values.shape[-1] - 1, 1)
        ratio = smallest / largest if p is not None and p < 0 else largest / smallest
        return ratio.squeeze(-1)
    if A.shape[-1] != A.shape[-2]:
        raise RuntimeError(
            f"linalg.cond(ord={p}): A must be batches of square matrices, but they are {A.shape[-2]} by "
            f"{A.shape[-1]} matrices"
        )
    known = p in ("fro", "nuc") if isinstance(p, str) else abs(p) in (1, math.inf)
    if not known:
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    if p == "nuc":
        values = values_of(A)
        return values.sum(-1) * values.reciprocal().sum(-1)
    size = norm(A, p, (-2, -1)) if not isinstance(p, str) else matrix_norm(A, p)
    inverse, info = TABLES["internal"]["linalg_inv_ex"](A)
    inverse.masked_fill_((info > 0)[..., None, None], math.inf)
    other = norm(inverse, p, (-2, -1)) if not isinstance(p, str) else matrix_norm(inverse, p)
    return (size * other).nan_to_num_(math.inf, math.inf, -math.inf)


@operator(
    formula="(Σ |x|ᵖ)^(1/p)",
    at="internal",
    name="norm",
    grad_fn="NormBackward1",
    saves="dim keepdim p result self",
    self=lambda grad, self, p, result, dim, keepdim: norm_backward(grad, self, p, result, dim, keepdim),
)
def norm_along(self: Any, p: Any, dim: Any, keepdim: bool = False) -> Any:
    """The p-norm along dimensions; of a 2-norm, each element's slope is its part of the direction."""
    return np.asarray(norm_rounded(self, float(p), wrap_dims(dim, self.ndim), keepdim, np.abs(self).dtype))


@operator(
    formula="(Σ |x|ᵖ)^(1/p)",
    at="internal",
    name="norm",
    grad_fn="NormBackward0",
    saves="p result self",
    self=lambda grad, self, p, result: norm_backward(grad, self, p, result, None, False),
)
def norm_of_all(self: Any, p: Any) -> Any:
    """The p-norm of all elements; of a 2-norm, each element's slope is its part of the direction."""
    return np.asarray(norm_rounded(self, float(p), tuple(range(self.ndim)), False, np.abs(self).dtype))


@composite(at="torch")
def frobenius_norm(self: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """The length of the elements along ``dim``: an older spelling of ``linalg.vector_norm``."""
    return norm_along(self, 2.0, as_tuple(dim), keepdim)


@composite(at="torch")
def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """The norm over all dimensions but one, which keeps its place: what ``weight_norm`` divides by."""
    if dim == -1:
        return norm_of_all(v, pow)
    if dim == 0:
        return norm_along(v.contiguous().view(v.shape[0], -1), pow, (1,)).view([v.shape[0], *[1] * (v.ndim - 1)])
    if dim == v.ndim - 1:
        return norm_along(v.contiguous().view(-1, v.shape[-1]), pow, (0,)).view([*[1] * (v.ndim - 1), v.shape[-1]])
    return norm_except_dim(v.transpose(0, dim), pow, 0).transpose(0, dim)
