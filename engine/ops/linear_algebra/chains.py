"""Products of more than two matrices: in the cheapest order, or of one with itself."""

from __future__ import annotations

from collections.abc import Sequence

from engine.dtype_names import c_type
from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite
from engine.ops.core.misuse import only_tensors
from engine.ops.linear_algebra.matrices import require_square
from engine.tensor import Tensor
from engine.warned import warn_once


@composite(at="linalg")
def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """The product of several matrices in the order that takes the fewest multiplications.

    The first and the last may be vectors. The order is found by dynamic programming (Cormen et al., *Introduction to
    Algorithms*, matrix-chain multiplication).

    Raises:
        RuntimeError: fewer than two, or shapes and dtypes that do not go together.
        TypeError: one tensor instead of several.
    """
    if isinstance(tensors, Tensor):
        raise TypeError("linalg_multi_dot(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor")
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    first, last = tensors[0].ndim, tensors[-1].ndim
    for which, ndim in (("first", first), ("last", last)):
        if ndim not in (1, 2):
            raise RuntimeError(f"multi_dot(): the {which} tensor must be 1D or 2D but got {ndim}D")
    chain = list(tensors)
    shape = [*(tensors[0].shape[:1] if first == 2 else ()), *(tensors[-1].shape[1:] if last == 2 else ())]
    if first == 1:
        chain[0] = chain[0].unsqueeze(0)
    if last == 1:
        chain[-1] = chain[-1].unsqueeze(-1)
    check_chain(tensors, chain)
    if len(chain) == 2:
        product = chain[0].mm(chain[1])
    else:
        product = multiplied(chain, cheapest([chain[0].shape[0], *(t.shape[1] for t in chain)]), 0, len(chain) - 1)
    return product.view(shape)


def check_chain(given: Sequence[Tensor], chain: Sequence[Tensor]) -> None:
    """Raises RuntimeError: neighbours that cannot be multiplied, another dtype, or a stack in the middle."""
    for i, tensor in enumerate(chain):
        if tensor.ndim != 2:
            raise RuntimeError(f"multi_dot(): tensor {i} must be 2D but got {tensor.ndim}D")
        if tensor.dtype != chain[0].dtype:
            names = c_type(chain[0]), c_type(tensor)
            raise RuntimeError(
                f"multi_dot(): all tensors must have be the same dtype but tensor 0 is {names[0]} and tensor {i} "
                f"{names[1]}"
            )
    for i in range(len(chain) - 1):
        if chain[i].shape[1] != chain[i + 1].shape[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {i} and {i + 1} with shapes {list(given[i].shape)} and "
                f"{list(given[i + 1].shape)} cannot be multiplied"
            )


def cheapest(lengths: Sequence[int]) -> dict[tuple[int, int], int]:
    """Where to split each stretch of the chain; matrix i has ``lengths[i]`` rows and ``lengths[i + 1]`` columns."""
    count = len(lengths) - 1
    cost = {(i, i): 0 for i in range(count)}
    split: dict[tuple[int, int], int] = {}
    for reach in range(1, count):
        for i in range(count - reach):
            j = i + reach
            choices = [
                (cost[i, k] + cost[k + 1, j] + lengths[i] * lengths[k + 1] * lengths[j + 1], k) for k in range(i, j)
            ]
            # Among equals PyTorch takes the first split, but of three matrices it multiplies the left two first.
            cost[i, j], split[i, j] = min(choices, key=lambda c: (c[0], -c[1] if count == 3 else c[1]))
    return split


def multiplied(chain: Sequence[Tensor], split: dict[tuple[int, int], int], i: int, j: int) -> Tensor:
    """The product of matrices i to j."""
    if i == j:
        return chain[i]
    k = split[i, j]
    return multiplied(chain, split, i, k).mm(multiplied(chain, split, k + 1, j))


@composite(at="torch")
def chain_matmul(*matrices: Tensor) -> Tensor:
    """The older spelling of ``linalg.multi_dot``, for matrices only.

    Raises:
        RuntimeError: none given, or something that is no matrix.
    """
    warn_once(
        "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use torch.linalg.multi_dot instead, "
        "which accepts a list of two or more tensors rather than multiple parameters.",
        stacklevel=3,
    )
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    for i, matrix in enumerate(only_tensors(matrices)):
        if matrix.ndim != 2:
            raise RuntimeError(f"Tensor dimension is {matrix.ndim}, expected 2 instead. (matrix {i} of chain_matmul)")
    return matrices[0].clone() if len(matrices) == 1 else multi_dot(matrices)


@composite(aliases="linalg.matrix_power")
def matrix_power(self: Tensor, n: int) -> Tensor:
    """A square matrix times itself, n times, by repeated squaring; a negative n takes the inverse first.

    Raises:
        RuntimeError: not square.
    """
    require_square("linalg.matrix_power", self._array)
    if n == 0:
        eye = TABLES["torch"]["eye"](self.shape[-1], dtype=self.dtype)
        return self.clone(memory_format="contiguous_format").copy_(eye.expand(self.shape))
    if n == 1:
        return self.clone(memory_format="contiguous_format")
    if n == -1:
        return TABLES["linalg"]["inv"](self)
    base = TABLES["linalg"]["inv"](self) if n < 0 else self
    n = abs(n)
    if n == 2:
        return base @ base
    if n == 3:
        return (base @ base) @ base
    result: Tensor | None = None
    square = base
    while n > 0:
        if n & 1:
            result = square if result is None else result @ square
        n >>= 1
        if n:
            square = square @ square
    assert result is not None
    return result
