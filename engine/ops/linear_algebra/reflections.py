"""Q as a product of reflections, as LAPACK leaves it: its columns, and products with it."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import operator
from engine.ops.linear_algebra.matrices import adjoint, column_major, wide
from engine.tensor import Tensor


def reflections(packed: Any, tau: Any) -> list[tuple[Any, Any]]:
    """The vectors (one on the diagonal, zero above) and factors of ``H = I − τ·v·vᴴ``, in order; arrays or tensors
    alike.
    """
    found = []
    rows = packed.shape[-2]
    for i in range(tau.shape[-1]):
        column = packed[..., :, i]
        mask = np.arange(rows) > i
        one = (np.arange(rows) == i).astype(packed.dtype if isinstance(packed, np.ndarray) else packed._array.dtype)
        if isinstance(packed, np.ndarray):
            found.append((column * mask + one, tau[..., i]))
        else:
            wrap = TABLES["torch"]["from_numpy"]
            found.append((column * wrap(mask.astype(one.dtype)) + wrap(one), tau[..., i]))
    return found


def reflected(vector: Any, factor: Any, matrix: Any) -> Any:
    """``H·M``."""
    conjugate = vector.conj()
    return matrix - factor[..., None, None] * (vector[..., :, None] * (conjugate[..., None, :] @ matrix))


def householder_backward(grad: Tensor, packed: Tensor, tau: Tensor) -> tuple[Tensor, Tensor]:
    """Derivatives by every reflection: with ``Q = H₁…Hₖ·I``, what stands before and after it is held fixed."""
    torch = TABLES["torch"]
    rows, columns, count = packed.shape[-2], grad.shape[-1], tau.shape[-1]
    found = reflections(packed, tau)
    eye = torch["eye"](rows, columns, dtype=packed.dtype).expand(*packed.shape[:-2], rows, columns)
    after = [eye]
    for vector, factor in reversed(found):
        after.append(reflected(vector, factor, after[-1]))
    after.reverse()
    for_columns, for_tau = [], []
    before = grad
    for i, (vector, factor) in enumerate(found):
        outer = before @ after[i + 1].mH
        forward, backward = (outer @ vector[..., None])[..., 0], (outer.mH @ vector[..., None])[..., 0]
        for_tau.append(-(vector.conj() * forward).sum(-1))
        whole = -(factor.conj()[..., None] * forward + factor[..., None] * backward)
        below = torch["from_numpy"]((np.arange(rows) > i).astype(packed._array.dtype))
        for_columns.append(whole * below)
        before = reflected(vector, factor.conj(), before)
    zeros = [for_columns[0].new_zeros(for_columns[0].shape)] * (packed.shape[-1] - count)
    return torch["stack"]([*for_columns, *zeros], -1), torch["stack"](for_tau, -1)


def check_reflections(name: str, packed: Any, tau: Any) -> None:
    """Raises RuntimeError: shapes or dtypes that describe no product of reflections."""
    if packed.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if packed.shape[-2] < packed.shape[-1] and "house" in name:
        raise RuntimeError(f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]")
    if packed.shape[-1] < tau.shape[-1]:
        raise RuntimeError(f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    if packed.ndim - tau.ndim != 1:
        raise RuntimeError(
            f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to {tau.ndim} "
            f"and input.ndim is equal to {packed.ndim}"
        )
    if packed.dtype != tau.dtype:
        raise RuntimeError(f"{name}: tau dtype {tau.dtype} does not match input dtype {packed.dtype}")


def none_if_empty(function: Any, grad: Tensor, packed: Tensor, tau: Tensor) -> Any:
    """No gradient where there is nothing to reflect."""
    return (None, None) if not tau.shape[-1] or not packed._array.size else function(grad, packed, tau)


@operator(
    formula="Q = H₁·H₂·…·Hₖ",
    at="linalg",
    name="householder_product",
    grad_fn="LinalgHouseholderProductBackward0",
    saves="input result tau",
    aliases="torch.orgqr tensor.orgqr",
    differentiable="input tau",
    joint=lambda grad, input, tau: none_if_empty(householder_backward, grad, input, tau),
)
def householder_product(input: Any, tau: Any) -> Any:
    """The first columns of a product of reflections.

    Raises:
        RuntimeError: shapes or dtypes that describe none.
    """
    check_reflections("torch.linalg.householder_product", input, tau)
    packed, factors = wide(input), wide(tau)
    result = np.broadcast_to(np.eye(*packed.shape[-2:], dtype=packed.dtype), packed.shape)
    for vector, factor in reversed(reflections(packed, factors)):
        result = reflected(vector, factor, result)
    return column_major(result.astype(input.dtype))


def whole_reflection(packed: Any, tau: Any) -> Any:
    """The square Q."""
    rows = packed.shape[-2]
    result = np.broadcast_to(np.eye(rows, dtype=packed.dtype), (*packed.shape[:-2], rows, rows))
    for vector, factor in reversed(reflections(packed, tau)):
        result = reflected(vector, factor, result)
    return result


def ormqr_backward(
    grad: Tensor, packed: Tensor, tau: Tensor, other: Tensor, left: bool, transpose: bool, needs: Any
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    """Q's gradient goes to the reflections, the other factor's is multiplied by Q's adjoint."""
    for_other = ormqr(packed, tau, grad, left, not transpose) if needs[2] else None
    if not (needs[0] or needs[1]):
        return None, None, for_other
    if left:
        for_q = other @ grad.mH if transpose else grad @ other.mH
    else:
        for_q = grad.mH @ other if transpose else other.mH @ grad
    for_packed, for_tau = none_if_empty(householder_backward, for_q, packed, tau)
    return for_packed, for_tau, for_other


@operator(
    formula="Q·C",
    saves="input2 input3 left result self transpose",
    differentiable="self input2 input3",
    joint=lambda grad, self, input2, input3, left, transpose, needs: ormqr_backward(
        grad, self, input2, input3, left, transpose, needs
    ),
)
def ormqr(self: Any, input2: Any, input3: Any, left: bool = True, transpose: bool = False) -> Any:
    """Multiplies by the square Q of a product of reflections; ``input3``'s gradient is multiplied by Q the other way
    round.

    Raises:
        RuntimeError: shapes or dtypes that do not go together.
    """
    check_reflections("torch.ormqr", self, input2)
    if input3.ndim < 2:
        raise RuntimeError("torch.ormqr: other must have at least 2 dimensions.")
    side = -2 if left else -1
    if input2.shape[-1] != min(input3.shape[side], self.shape[-1]):
        raise RuntimeError(f"torch.ormqr: tau.shape[-1] must be equal to min(other.shape[{side}], input.shape[-1])")
    if input3.shape[side] != self.shape[-2]:
        raise RuntimeError(f"torch.ormqr: other.shape[{side}] must be equal to input.shape[-2]")
    q = whole_reflection(wide(self), wide(input2))
    q = adjoint(q) if transpose else q
    return column_major((q @ wide(input3) if left else wide(input3) @ q).astype(self.dtype))
