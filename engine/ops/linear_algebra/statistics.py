"""How variables vary together: covariance and correlation."""

from __future__ import annotations

import warnings
from typing import Any

from engine.dtype_names import scalar_type
from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite
from engine.ops.pointwise.arithmetic import mul_number
from engine.tensor import Tensor


@composite()
def cov(self: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
    """How the rows (variables) of a matrix vary together, over its columns (observations).

    Args:
        correction: subtracted from the number of observations.
        fweights: how often each observation was made.
        aweights: how much each observation counts.

    Raises:
        RuntimeError: more than two dimensions, or weights that fit neither in shape nor in kind.
    """
    if self.ndim > 2:
        raise RuntimeError(
            f"cov(): expected input to have two or fewer dimensions but got an input with {self.ndim} dimensions"
        )
    if self._array.dtype.kind == "b":
        raise RuntimeError("cov(): bool dtype is not supported for input")
    table = self.view(1, -1) if self.ndim < 2 else self
    weights = combined_weights(table.shape[1], fweights, aweights)
    tensor = TABLES["torch"]["tensor"]
    total = tensor(table.shape[1]) if weights is None else weights.sum()
    if weights is not None and total.item() == 0:
        raise RuntimeError("cov(): weights sum to zero, can't be normalized")
    mean = (table if weights is None else table * weights).sum(1) / total
    if correction == 0:
        freedom = total
    elif aweights is None:
        freedom = total - correction
    else:
        freedom = total - mul_number((weights * aweights).sum(), correction) / total
    if freedom.item() <= 0:
        warnings.warn(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.",
            stacklevel=3,
        )
        freedom = freedom.new_zeros(())
    centred = table - mean.unsqueeze(1)
    weighted = centred if weights is None else centred * weights
    return (centred.mm(weighted.t().conj()) / freedom).squeeze()


def combined_weights(observations: int, fweights: Tensor | None, aweights: Tensor | None) -> Tensor | None:
    """The product of both kinds of weights.

    Raises:
        RuntimeError: of the wrong shape or kind, or negative.
    """
    for name, weights, kinds, called in (
        ("fweights", fweights, "iu", "integral"),
        ("aweights", aweights, "fV", "floating point"),
    ):
        if weights is None:
            continue
        if weights.ndim > 1:
            raise RuntimeError(
                f"cov(): expected {name} to have one or fewer dimensions but got {name} with {weights.ndim} dimensions"
            )
        if weights._array.dtype.kind not in kinds:
            raise RuntimeError(
                f"cov(): expected {name} to have {called} dtype but got {name} with {scalar_type(weights._array)} dtype"
            )
        if weights.numel() != observations:
            raise RuntimeError(
                f"cov(): expected {name} to have the same numel as there are observations in the input but got "
                f"{weights.numel()} != {observations}"
            )
        if observations and (weights < 0).any().item():
            raise RuntimeError(f"cov(): {name} cannot be negative")
    if fweights is None or aweights is None:
        return aweights if fweights is None else fweights
    return fweights * aweights


@composite()
def corrcoef(self: Tensor) -> Tensor:
    """Covariances divided by both variables' deviations, so that they lie between −1 and 1.

    Raises:
        RuntimeError: more than two dimensions.
    """
    if self.ndim > 2:
        raise RuntimeError(
            f"corrcoef(): expected input to have two or fewer dimensions but got an input with {self.ndim} dimensions"
        )
    together: Any = cov(self)
    if not together.ndim:
        return together / together
    variances = together.diagonal()
    deviations = (variances.real if together.dtype.is_complex else variances).sqrt()
    together = together / deviations.view(-1, 1)
    together = together / deviations.view(1, -1)
    if together.dtype.is_complex:
        complex_ = TABLES["torch"]["complex"]
        return complex_(together.real.clip(-1, 1), together.imag.clip(-1, 1))
    return together.clip(-1, 1)
