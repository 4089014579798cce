"""Functions of one number that leave 0 where it is: they act on the stored values alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.errors import Explained
from engine.ops.core import catalogue
from engine.ops.core.operator import Operator
from engine.ops.pointwise.powers import pow_number
from engine.ops.sparse.arrays import SparseArray
from engine.ops.sparse.compressed import NO_LINES
from engine.ops.sparse.coordinates import Coordinates
from engine.ops.sparse.kernels import KERNELS, sparse_kernel
from engine.ops.sparse.scaling import at_places
from engine.ops.tensors.conversion import to_copy as conversion

ADDS_UP_FIRST = (
    "abs asin asinh atan atanh ceil deg2rad erf erfinv expm1 floor frac isinf isnan isneginf isposinf log1p rad2deg "
    "relu round sgn sign signbit sin sinh sqrt tan tanh trunc"
).split()
"""f(a + b) is not f(a) + f(b): values at one place are added up before."""


def on_values(operator: Operator) -> Callable[..., Any]:
    """The operator's kernel on the values."""

    def kernel(self: SparseArray, *rest: Any) -> Any:
        if isinstance(self, Coordinates):
            self = self.coalesce()
        return self.with_values(operator.kernel(self.values, *rest))

    return kernel


for _operator in catalogue.operators():
    if _operator.name in ADDS_UP_FIRST:
        KERNELS[_operator.name] = on_values(_operator)


@sparse_kernel("threshold_backward")
def threshold_backward(grad: Any, result: Any, threshold: Any) -> Any:
    """``relu``'s derivative: the gradient where the result is above the threshold.

    Raises:
        NotImplementedError: a compressed layout.
    """
    if not isinstance(grad, Coordinates) or not isinstance(result, Coordinates):
        raise NotImplementedError(
            Explained(
                "Could not run 'aten::_nnz' with arguments from the 'CPU' backend.",
                "The gradient of relu of a sparse tensor must be sparse: end with torch.sparse.sum(…) or .to_dense(), not with .sum().",
            )
        )
    arrived = at_places(grad, result.places())
    return result.with_values(np.where(result.values > threshold, arrived, 0).astype(result.dtype))


@sparse_kernel("neg")
def neg(self: SparseArray) -> Any:
    """Flips the sign of every stored value."""
    return self.with_values(-self.values)


@sparse_kernel("conj")
def conj(self: SparseArray) -> Any:
    """Conjugates every stored value."""
    return self.with_values(self.values.conj())


@sparse_kernel("clone")
def clone(self: SparseArray, memory_format: Any = None) -> Any:
    """Copies places and values."""
    return self.copy()


@sparse_kernel("_to_copy")
def to_copy(self: SparseArray, dtype: Any, memory_format: Any = None) -> Any:
    """The values in another type."""
    return self.with_values(conversion.kernel(self.values, dtype))


@sparse_kernel("pow")
def power(self: Any, exponent: Any) -> Any:
    """The values' power.

    Raises:
        NotImplementedError: an exponent of many numbers.
        RuntimeError: an exponent that makes something of nothing, or compressed rows.
    """
    if not isinstance(self, SparseArray) or isinstance(exponent, SparseArray) or getattr(exponent, "ndim", 0):
        raise NotImplementedError(
            "Could not run 'aten::pow.Tensor_Tensor' with arguments from the 'SparseCPU' backend. A sparse tensor can be "
            "raised to a number, not to a tensor."
        )
    if exponent == 0:
        raise RuntimeError("pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor dense")
    if not isinstance(self, Coordinates):
        raise RuntimeError(NO_LINES)
    self = self.coalesce()
    return self.with_values(pow_number.kernel(self.values, exponent))
