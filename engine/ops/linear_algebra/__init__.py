"""Linear algebra beyond products: ``torch.linalg``, ``einsum``, and the older spellings of both."""

from engine.ops.linear_algebra import (
    chains,
    cholesky,
    contraction,
    determinants,
    eigen,
    exponential,
    inverses,
    ldl,
    least_squares,
    low_rank,
    lu,
    matrix_norms,
    orthogonal,
    removed,
    singular_values,
    solving,
    statistics,
    tensor_products,
    vectors,
)
