"""``A = L·D·Lᴴ`` of a symmetric matrix that need not be positive-definite."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.declare import composite, operator
from engine.ops.core.dimension import common_shape
from engine.ops.core.results import result_type
from engine.ops.core.unimplemented import unimplemented
from engine.ops.linear_algebra.matrices import (
    LinAlgError,
    column_major,
    each_matrix,
    require_floating,
    require_kernel,
    require_solvable,
    require_square,
    wide,
)
from engine.ops.linear_algebra.pivoting import eliminate, solved
from engine.tensor import Tensor


@operator(
    formula="L·D·Lᴴ = A",
    at="internal",
    name="linalg_ldl_factor_ex",
    outputs="LD pivots info",
    nondifferentiable=(1, 2),
    grad_fn="NotImplemented",
    **unimplemented("linalg_ldl_factor_ex", "self"),
)
def ldl_factor_operator(self: Any, *, hermitian: bool = False, check_errors: bool = False) -> Any:
    """L and the blocks of D in one matrix, with LAPACK's pivots. PyTorch gives it no derivative."""
    require_square("torch.linalg.ldl_factor_ex", self)
    require_floating("torch.linalg.ldl_factor_ex", self)
    require_kernel("ldl_factor_kernel_cpu", self)
    stack = each_matrix(wide(self))
    packed, pivots, infos = np.array(stack), np.zeros(stack.shape[:2], np.int32), np.zeros(len(stack), np.int32)
    for b, matrix in enumerate(stack):
        packed[b], pivots[b], infos[b] = eliminate(matrix, hermitian and self.dtype.kind == "c")
    batch = self.shape[:-2]
    return (
        column_major(packed.reshape(self.shape).astype(self.dtype)),
        pivots.reshape(*batch, self.shape[-1]),
        infos.reshape(batch),
    )


@composite(at="linalg")
def ldl_factor_ex(self: Tensor, *, hermitian: bool = False, check_errors: bool = False) -> Any:
    """The packed factors, the pivots, and per matrix 0 or the block of D that is singular."""
    return ldl_factor_operator(self, hermitian=hermitian, check_errors=check_errors)


LDL_FACTOR: Any = result_type("linalg_ldl_factor", ("LD", "pivots"))


@composite(at="linalg")
def ldl_factor(self: Tensor, *, hermitian: bool = False) -> Any:
    """The packed factors and the pivots.

    Raises:
        LinAlgError: a block of D is singular.
    """
    packed, pivots, info = ldl_factor_operator(self, hermitian=hermitian)
    if np.any(info._array):
        raise LinAlgError(f"torch.linalg.ldl_factor: the block of D at {int(np.max(info._array))} is singular")
    return LDL_FACTOR((packed, pivots))


@operator(
    formula="X with A·X = B",
    at="linalg",
    name="ldl_solve",
    grad_fn="NotImplemented",
    **unimplemented("linalg_ldl_solve", "LD B"),
)
def ldl_solve(LD: Any, pivots: Any, B: Any, *, hermitian: bool = False) -> Any:
    """Solves A·X = B with factors found before."""
    require_solvable("torch.linalg.ldl_solve", LD, B, True)
    require_kernel("ldl_solve_kernel_cpu", LD)
    batch = common_shape(LD.shape[:-2], B.shape[:-2])
    packed = each_matrix(np.broadcast_to(wide(LD), (*batch, *LD.shape[-2:])))
    places = np.broadcast_to(pivots, (*batch, LD.shape[-1])).reshape(len(packed), LD.shape[-1])
    right = each_matrix(np.broadcast_to(wide(B), (*batch, *B.shape[-2:])))
    result = np.array(right)
    for b, (one, place, two) in enumerate(zip(packed, places, right, strict=True)):
        result[b] = solved(one, place, two, hermitian and LD.dtype.kind == "c")
    return column_major(result.reshape(*batch, *B.shape[-2:]).astype(LD.dtype))
