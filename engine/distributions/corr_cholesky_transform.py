"""`CorrCholeskyTransform`: any numbers to the Cholesky factor of a correlation matrix (Lewandowski, Kurowicka, Joe 2009)."""

from __future__ import annotations

import math
from typing import Any

from engine.distributions import constraints
from engine.distributions.parameters import function_of, functional, tril_matrix_to_vec, vec_to_tril_matrix
from engine.distributions.transform import Transform
from engine.type_info import finfo


def shifted(x: Any) -> Any:
    """One column to the right, with ones in the first."""
    return functional("pad")(x[..., :-1], [1, 0], value=1)


class CorrCholeskyTransform(Transform):
    """n (n − 1) / 2 numbers become canonical partial correlations by tanh; each breaks what is left of its row's length 1."""

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Any) -> Any:
        x = x.tanh()
        eps = finfo(x.dtype).eps
        partial = vec_to_tril_matrix(x.clamp(min=-1 + eps, max=1 - eps), diag=-1)
        left = (1 - partial**2).sqrt().cumprod(-1)
        return (partial + function_of("torch", "eye")(partial.shape[-1], dtype=x.dtype, device=x.device)) * shifted(
            left
        )

    def _inverse(self, y: Any) -> Any:
        left = shifted(1 - (y * y).cumsum(-1))
        partial = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(left, diag=-1).sqrt()
        return (partial.log1p() - partial.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """From the breaking of each row, and from tanh."""
        left = tril_matrix_to_vec(1 - (y * y).cumsum(-1), diag=-2)
        breaking = 0.5 * left.log().sum(-1)
        squeezing = -2 * (x + functional("softplus")(-2 * x) - math.log(2.0)).sum(-1)
        return breaking + squeezing

    def forward_shape(self, shape: Any) -> Any:
        """A matrix for every vector.

        Raises:
            ValueError: no vector, or one that fills no matrix.
        """
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        n = round((0.25 + 2 * shape[-1]) ** 0.5 + 0.5)
        if n * (n - 1) // 2 != shape[-1]:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return (*shape[:-1], n, n)

    def inverse_shape(self, shape: Any) -> Any:
        """A vector for every matrix.

        Raises:
            ValueError: no square matrix.
        """
        if len(shape) < 2:
            raise ValueError("Too few dimensions on input")
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return (*shape[:-2], shape[-1] * (shape[-1] - 1) // 2)
