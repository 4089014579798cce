"""What the operators on matrices share: checks in PyTorch's words, column-major results, batches, and the error for
singular matrices.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.dtype_names import scalar_type
from engine.ops.core.dimension import common_shape


class LinAlgError(RuntimeError):
    """A matrix for which there is no answer: singular, not positive-definite, or not converging."""


LinAlgError.__module__, LinAlgError.__name__ = "torch._C", "_LinAlgError"  # what PyTorch's tracebacks say


def singular_values_of(matrix: Any, *options: Any, **more: Any) -> Any:
    """``numpy.linalg.svd``.

    Raises:
        LinAlgError: numbers that are not finite, in PyTorch's words.
    """
    if not np.isfinite(matrix).all():
        which = "" if matrix.ndim < 3 else f"(Batch element {first_unfinite(matrix)}): "
        why = "The algorithm failed to converge because the input matrix contained non-finite values."
        raise LinAlgError(f"linalg.svd: {which}{why}")
    return np.linalg.svd(matrix, *options, **more)


def first_unfinite(batch: Any) -> int:
    """Which matrix of a batch is the first with a number that is not finite."""
    finite = np.isfinite(batch).all((-2, -1)).reshape(-1)
    return int(np.argmin(finite))


def require_matrix(name: str, array: Any, argument: str = "A") -> None:
    """Raises RuntimeError: fewer than two dimensions; TypeError: a number, a list or anything else that is no tensor."""
    if not hasattr(array, "ndim"):
        raise TypeError(f"{name}(): argument '{argument}' (position 1) must be Tensor, not {type(array).__name__}")
    if np.ndim(array) < 2:
        raise RuntimeError(f"{name}: The input tensor {argument} must have at least 2 dimensions.")


def require_square(name: str, array: Any, argument: str = "A") -> None:
    """Raises RuntimeError: not a matrix, or not a square one."""
    require_matrix(name, array, argument)
    rows, columns = array.shape[-2:]
    if rows != columns:
        raise RuntimeError(
            f"{name}{': ' if name else ''}{argument} must be batches of square matrices, but they are {rows} by {columns} matrices"
        )


def require_floating(name: str, array: Any, half: bool = True) -> None:
    """Raises RuntimeError: whole numbers; half precision too, unless it is allowed."""
    if array.dtype.kind not in "fcV":
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {scalar_type(array)}")
    if not half and array.dtype.itemsize < 4:
        raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {scalar_type(array)}")


def require_kernel(kernel: str, array: Any) -> None:
    """Raises NotImplementedError: a dtype that the kernel was not written for."""
    if array.dtype.kind not in "fc" or array.dtype.itemsize < 4:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_type(array)}'")


def require_solvable(name: str, a: Any, b: Any, left: bool) -> None:
    """Whether ``A·X = B`` (or ``X·A = B``) has shapes and dtypes that go together.

    Raises:
        RuntimeError: they do not.
    """
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"{name}: Expected A and B to have the same dtype, but found A of type {scalar_type(a)} and B of type "
            f"{scalar_type(b)} instead"
        )
    require_square(name, a)
    require_matrix(name, b, "B")
    if a.shape[-2] != b.shape[-2 if left else -1]:
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} "
            f"({a.shape[-2]}x{a.shape[-1]} and {b.shape[-2]}x{b.shape[-1]})"
        )


def check_infos(name: str, infos: Any, words: str, kind: type[Exception] | None = None) -> None:
    """Raises what LAPACK's ``info`` reports of the first matrix that failed.

    Args:
        name: the function that is to blame.
        infos: one integer per matrix, 0 for success.
        words: the message, with ``{}`` where the integer goes.
        kind: another type of error, where PyTorch has one.

    Raises:
        LinAlgError: any is not zero.
    """
    if type(infos) is not np.ndarray and not isinstance(infos, np.generic):
        return  # a meta tensor's: it has no numbers that could tell of a failure
    flat = np.ravel(infos)
    bad = np.flatnonzero(flat)
    if bad.size:
        where = f"(Batch element {bad[0]}): " if np.ndim(infos) else ""
        raise (kind or LinAlgError)(f"{name}: {where}{words.format(int(flat[bad[0]]))}")


def column_major(array: Any) -> Any:
    """A copy whose matrices lie column after column, as LAPACK leaves them."""
    return np.array(np.swapaxes(array, -1, -2), order="C").swapaxes(-1, -2)


def size_of(numbers: Any) -> Any:
    """LAPACK's measure of size: |Re| + |Im|."""
    return np.abs(numbers.real) + np.abs(numbers.imag) if np.iscomplexobj(numbers) else np.abs(numbers)


def wide(array: Any) -> Any:
    """The array in double precision: the answers are rounded once, at the end."""
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def adjoint(array: Any) -> Any:
    """``Aᴴ`` of arrays."""
    return np.conj(np.swapaxes(array, -1, -2))


def each_matrix(array: Any) -> Any:
    """The batch flattened: (…, m, n) to (batch, m, n)."""
    return array.reshape(math.prod(array.shape[:-2]), *array.shape[-2:])


def batched(a: Any, b: Any) -> tuple[Any, Any]:
    """Both with the common batch dimensions."""
    batch = common_shape(a.shape[:-2], b.shape[:-2])
    return np.broadcast_to(a, (*batch, *a.shape[-2:])), np.broadcast_to(b, (*batch, *b.shape[-2:]))
