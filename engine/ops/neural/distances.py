"""Distances and similarities between vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.autograd.modes import no_grad
from engine.dtype_names import SCALAR_TYPE, scalar_type
from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite, operator
from engine.ops.core.dimension import common_shape
from engine.ops.core.refused_dtypes import require_one_dtype
from engine.ops.core.unimplemented import unimplemented
from engine.ops.pointwise.arithmetic import add_number
from engine.ops.pointwise.powers import roots
from engine.ops.pointwise.precision import in_float
from engine.ops.products.rounding import batched_product, matrix_product
from engine.ops.reduction.dims import wrap_dims
from engine.ops.reduction.norms import norm_backward, norm_rounded
from engine.summation import summed
from engine.tensor import Tensor

QUICK_FROM = 25
"""Above this many rows PyTorch computes Euclidean distances by a matrix product."""


@composite(at="torch functional")
def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The p-norm of the difference along the last dimension (``eps`` added to it)."""
    dim = max(x1.ndim, x2.ndim) - 1
    return norm_along(add_number(x1 - x2, eps), float(p), (dim,), keepdim)


@operator(
    order="rows",
    at="internal",
    name="norm",
    grad_fn="NormBackward1",
    formula="(Σ |x|ᵖ)^(1/p)",
    saves="dim keepdim p result self",
    self=lambda grad, self, p, result, dim, keepdim: norm_backward(grad, self, p, result, dim, keepdim),
)
def norm_along(self: Any, p: float, dim: Any, keepdim: bool) -> Any:
    """The p-norm along a dimension; of a 2-norm, each element's slope is its part of the direction."""
    return norm_rounded(self, p, wrap_dims(dim, self.ndim), keepdim, self.real.dtype)


@composite(at="torch functional")
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle along ``dim``: both are brought to length one, then multiplied.

    Raises:
        RuntimeError: whole numbers alone, or complex ones; a negative ε.
    """
    if not eps >= 0:
        raise RuntimeError(f"eps must be non-negative, got: {eps:g}")
    common = TABLES["torch"]["result_type"](x1, x2)
    if not common.is_floating_point:
        raise RuntimeError(
            f"expected common dtype to be floating point, yet common dtype is {SCALAR_TYPE[common.name]}"
        )
    x1, x2 = (x if x.dtype.is_floating_point else x.to(common) for x in (x1, x2))
    shape = common_shape(x1._array.shape, x2._array.shape)
    alike = x1._array.shape == x2._array.shape
    first, second = (x1, x2) if alike else (x1.expand(shape), x2.expand(shape))  # the wider one too, as PyTorch has it
    lengths = [TABLES["linalg"]["vector_norm"](x, 2, [dim], True).clone() for x in (first, second)]
    for length in lengths:
        clamp_quietly(length, eps)
    right = second / lengths[1]  # first, as PyTorch's compiler has it
    return (first / lengths[0] * right).sum(dim)


def clamp_quietly(length: Tensor, eps: float) -> None:
    """Lengths of at least ``eps``; as in PyTorch the clamp is not recorded."""
    with no_grad():
        length.clamp_(eps)


def spans(x1: Any, x2: Any) -> Any:
    """All differences (…, n, m, d)."""
    return x1[..., :, None, :] - x2[..., None, :, :]


def p_norm(differences: Any, p: float) -> Any:
    """The p-norm along the last dimension."""
    size = np.abs(differences)
    if p == 0:
        return (size != 0).sum(-1).astype(size.dtype)
    if np.isinf(p):
        return size.max(-1) if size.shape[-1] else np.zeros(size.shape[:-1], size.dtype)
    if p == 1:
        return size.sum(-1)
    if p == 2:
        return np.sqrt(np.square(size).sum(-1))
    return ((size**p).sum(-1) ** (1 / p)).astype(size.dtype)


def norm_slope(differences: Any, norms: Any, p: float) -> Any:
    """∂ norm / ∂ difference, zero where the norm is zero."""
    size = np.abs(differences)
    if p == 0:
        return np.zeros_like(differences)
    if p == 1:
        return np.sign(differences)
    length = norms[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        if np.isinf(p):
            return np.sign(differences) * (size == length)
        slope = differences / length if p == 2 else np.sign(differences) * (size / length) ** (p - 1)
    steep = (length == 0) | (size == 0) if p < 1 else length == 0  # below 1 the slope at no difference is infinite
    return np.where(steep, 0, slope).astype(differences.dtype)


@operator(
    order="rows",
    at="internal",
    name="_cdist_forward",
    grad_fn="CdistBackward0",
    formula="‖xᵢ − yⱼ‖ₚ",
    saves="p result x1 x2",
    x1=lambda grad, x1, x2, p, result: cdist_backward(grad, x1, x2, p, result),
    x2=lambda grad, x1, x2, p, result: cdist_backward(grad.mT, x2, x1, p, result.mT),
)
def cdist_forward(x1: Any, x2: Any, p: float = 2.0) -> Any:
    """The distance of every row to every other row; each pair pulls along its difference."""
    require_one_dtype(x1, x2)
    return p_norm(spans(x1, x2), p)


@operator(
    at="internal",
    name="_cdist_backward",
    **unimplemented("_cdist_backward", "grad x1 x2 cdist", ""),
)
def cdist_backward(grad: Any, x1: Any, x2: Any, p: float, cdist: Any) -> Any:
    """``_cdist_forward``'s derivative as an operation of its own. PyTorch gives it no derivative."""
    return (norm_slope(spans(x1, x2), cdist, p) * grad[..., None]).sum(-2)


@operator(
    order="rows",
    at="internal",
    name="_euclidean_dist",
    formula="‖xᵢ − yⱼ‖",
    saves="result x1 x2",
    x1=lambda grad, x1, x2, result: euclidean_slope(grad, x1, x2, result),
    x2=lambda grad, x1, x2, result: euclidean_slope(grad.mT, x2, x1, result.mT),
)
def euclidean_dist(x1: Any, x2: Any) -> Any:
    """The distance of every row to every other row; each pair pulls along its difference."""
    sizes = [summed(np.square(x), (x.ndim - 1,), True) for x in (x1, x2)]
    ones = [np.ones_like(size) for size in sizes]
    first = np.concatenate([-2 * x1, sizes[0], ones[0]], -1)
    second = np.concatenate([x2, ones[1], sizes[1]], -1)
    return in_float(roots.vector_sqrt, np.maximum(multiplied(first, second), 0))


def multiplied(first: Any, second: Any) -> Any:
    """``first @ second.T`` in the order of PyTorch's BLAS, where squares of close points cancel."""
    turned = np.swapaxes(second, -1, -2)
    if first.dtype != np.float32 or not first.size or not second.size:
        return first @ turned
    if first.ndim == 2:
        return matrix_product(first, turned)
    flat = batched_product(first.reshape(-1, *first.shape[-2:]), turned.reshape(-1, *turned.shape[-2:]))
    return flat.reshape(*first.shape[:-1], turned.shape[-1])


def euclidean_slope(grad: Tensor, x1: Tensor, x2: Tensor, result: Tensor) -> Tensor:
    """Each row's pull along its differences, in differentiable operators."""
    ratio = (grad / result).masked_fill(result == 0, 0)
    return x1 * ratio.sum(-1, keepdim=True) - ratio.matmul(x2)


@composite(at="torch")
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> Tensor:
    """Distances between all rows: (…, n, d) and (…, m, d) → (…, n, m).

    Raises:
        RuntimeError: dimensions or dtypes that do not fit, or a negative p.
        ValueError: an unknown compute mode.
    """
    if compute_mode not in (
        "use_mm_for_euclid_dist_if_necessary",
        "use_mm_for_euclid_dist",
        "donot_use_mm_for_euclid_dist",
    ):
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    for name, x in (("X1", x1), ("X2", x2)):
        if x.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {x.ndim}D")
        if not x.is_floating_point():
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: {scalar_type(x)}")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    batch = common_shape(x1._array.shape[:-2], x2._array.shape[:-2])
    rows1, rows2 = x1.shape[-2], x2.shape[-2]
    large = rows1 > QUICK_FROM or rows2 > QUICK_FROM
    product = compute_mode == "use_mm_for_euclid_dist" or (compute_mode.endswith("necessary") and large)
    if p == 2 and product and rows1 and rows2 and x1.shape[-1]:
        first, second = (x if x._array.shape[:-2] == batch else x.expand(*batch, *x.shape[-2:]) for x in (x1, x2))
        return euclidean_dist(first, second).view(*batch, rows1, rows2)
    return cdist_forward(x1, x2, float(p))


def upper(rows: int) -> tuple[Any, Any]:
    """Pairs (i, j) with i < j, row by row."""
    return np.triu_indices(rows, 1)


@operator(
    order="rows",
    at="internal",
    name="_pdist_forward",
    grad_fn="PdistBackward0",
    formula="‖xᵢ − xⱼ‖ₚ, i < j",
    saves="p result self",
    self=lambda grad, self, p, result: pdist_backward(grad, self, p, result),
)
def pdist_forward(self: Any, p: float = 2.0) -> Any:
    """The distance of every pair of rows; each pair pulls along its difference."""
    i, j = upper(self.shape[0])
    return p_norm(self[i] - self[j], p)


@operator(
    at="internal",
    name="_pdist_backward",
    **unimplemented("_pdist_backward", "grad self pdist", ""),
)
def pdist_backward(grad: Any, self: Any, p: float, pdist: Any) -> Any:
    """``_pdist_forward``'s derivative as an operation of its own. PyTorch gives it no derivative."""
    i, j = upper(self.shape[0])
    pull = norm_slope(self[i] - self[j], pdist, p) * grad[:, None]
    total = np.zeros_like(self)
    np.add.at(total, i, pull)
    np.subtract.at(total, j, pull)
    return total


@composite(at="torch functional")
def pdist(self: Tensor, p: float = 2.0) -> Tensor:
    """Distances between all pairs of rows of a matrix, as one row.

    Raises:
        RuntimeError: no matrix of floats, or a negative power.
    """
    if self.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {self.ndim}D")
    if not self.dtype.is_floating_point:
        raise RuntimeError("pdist only supports floating-point dtypes")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    return pdist_forward(self.contiguous(), float(p))
