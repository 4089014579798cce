"""What matrix products refuse, in PyTorch's words: they neither promote dtypes nor guess shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.dtype_names import c_type, scalar_type
from engine.ops.core.dimension import wrapped
from engine.ops.core.refused_dtypes import forbid_bool, require_one_dtype
from engine.ops.layout.expansion import expanded_geometry


def fitting(mat1: Any, mat2: Any) -> None:
    """Raises RuntimeError: inner lengths that differ."""
    if mat1.shape[1] != mat2.shape[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({mat1.shape[0]}x{mat1.shape[1]} and "
            f"{mat2.shape[0]}x{mat2.shape[1]})"
        )


def check_mm(mat1: Any, mat2: Any) -> None:
    """Raises RuntimeError: no two matrices that can be multiplied."""
    if mat1.ndim != 2 or mat2.ndim != 2:
        raise RuntimeError("self must be a matrix" if mat1.ndim != 2 else "mat2 must be a matrix")
    fitting(mat1, mat2)
    if mat1.dtype != mat2.dtype:
        one, two = c_type(mat1), c_type(mat2)
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {one} != {two}")
    forbid_bool(mat1, "addmm_impl_cpu_")


def check_bmm(one: Any, two: Any) -> None:
    """Raises RuntimeError: no two stacks of matrices that can be multiplied."""
    for name, batch in (("batch1", one), ("batch2", two)):
        if batch.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    expected = [one.shape[0], one.shape[2]]
    if list(two.shape[:2]) != expected:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: {expected} but got: {list(two.shape[:2])}."
        )
    require_one_dtype(one, two)
    forbid_bool(one, "bmm")


def check_addmm(bias: Any, mat1: Any, mat2: Any) -> None:
    """Raises RuntimeError: matrices that cannot be multiplied, or something that cannot be added to their product."""
    for name, matrix in (("mat1", mat1), ("mat2", mat2)):
        if matrix.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {matrix.ndim}-D tensor")
    fits = mat1.shape[1] == mat2.shape[0]
    shape = (mat1.shape[0], mat2.shape[1])
    if fits and bias.shape != shape and bias.shape != shape[1:]:
        expanded_geometry(np.asarray(bias), shape)
    fitting(mat1, mat2)
    check_three_dtypes(bias, mat1, mat2)
    forbid_bool(mat1, "addmm_impl_cpu_")


def check_three_dtypes(bias: Any, mat1: Any, mat2: Any) -> None:
    """Raises RuntimeError: not all of one dtype; the second matrix is what the other two are held against."""
    for name, other in (("self", bias), ("mat1", mat1)):
        if other.dtype != mat2.dtype:
            raise RuntimeError(
                f"{name} and mat2 must have the same dtype, but got {scalar_type(other)} and {scalar_type(mat2)}"
            )


def check_addmv(bias: Any, mat: Any, vec: Any) -> None:
    """Raises RuntimeError: shapes or dtypes that do not go together."""
    if mat.ndim != 2 or vec.ndim != 1 or bias.ndim > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {bias.ndim}, {mat.ndim}, {vec.ndim}")
    if mat.shape[1] != vec.shape[0] or (bias.ndim and bias.shape[0] not in (1, mat.shape[0])):
        length = bias.shape[0] if bias.ndim else 1
        raise RuntimeError(
            f"size mismatch, got input ({length}), mat ({mat.shape[0]}x{mat.shape[1]}), vec ({vec.shape[0]})"
        )
    if not bias.dtype == mat.dtype == vec.dtype:
        shown = [scalar_type(each) for each in (bias, mat, vec)]
        raise RuntimeError(
            f"addmv input tensors must have the same dtype, but got {shown[0]}, {shown[1]}, and {shown[2]}"
        )
    forbid_bool(mat, "addmv_impl_cpu")


def check_mv(mat: Any, vec: Any) -> None:
    """Raises RuntimeError: in the words of ``addmv``, which it is to PyTorch."""
    if mat.dtype is vec.dtype and mat.dtype.kind == "f" and mat.ndim == 2 and vec.shape == mat.shape[1:]:
        return
    check_addmv(np.empty(mat.shape[0] if mat.ndim == 2 else 0, vec.dtype), mat, vec)


def check_baddbmm(bias: Any, one: Any, two: Any) -> None:
    """Raises RuntimeError: shapes or dtypes that do not go together; IndexError: no stacks of matrices."""
    expanded_geometry(
        np.asarray(bias), (one.shape[0], one.shape[wrapped(1, one.ndim)], two.shape[wrapped(2, two.ndim)])
    )
    if bias.dtype == one.dtype != two.dtype:
        raise RuntimeError(f"expected scalar type {scalar_type(one)} but found {scalar_type(two)}")
    if not bias.dtype == one.dtype == two.dtype:
        shown = [c_type(each) for each in (bias, one, two)]
        raise RuntimeError(
            f"Input dtypes must be the same, got: input {shown[0]}, batch1: {shown[1]}, batch2: {shown[2]}"
        )
    check_bmm(one, two)


def check_addbmm(bias: Any, one: Any, two: Any) -> None:
    """Raises RuntimeError: shapes or dtypes that do not go together; IndexError: no stacks of matrices."""
    expanded_geometry(np.asarray(bias), (one.shape[wrapped(1, one.ndim)], two.shape[wrapped(2, two.ndim)]))
    for name, batch in (("batch1", one), ("batch2", two)):
        if batch.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    if one.shape[0] != two.shape[0]:
        raise RuntimeError(f"batch1 and batch2 must have same number of batches, got {one.shape[0]} and {two.shape[0]}")
    if one.shape[2] != two.shape[1]:
        raise RuntimeError(
            f"Incompatible matrix sizes for bmm ({one.shape[1]}x{one.shape[2]} and {two.shape[1]}x{two.shape[2]})"
        )
    check_three_dtypes(bias, one, two)


def check_addr(bias: Any, one: Any, two: Any) -> None:
    """Raises RuntimeError: no two vectors, or something that cannot be added to their table."""
    for name, vector in (("vec1", one), ("vec2", two)):
        if vector.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {vector.ndim}-D")
    expanded_geometry(np.asarray(bias), (one.shape[0], two.shape[0]))


def check_vectors(a: Any, b: Any) -> None:
    """Two vectors of one length and dtype.

    Raises:
        RuntimeError: in PyTorch's words.
    """
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"dot : expected both vectors to have same dtype, but found {scalar_type(a)} and {scalar_type(b)}"
        )
    if a.shape != b.shape:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{a.size}] and src [{b.size}] to have the same number of "
            f"elements, but got {a.size} and {b.size} elements respectively"
        )
    forbid_bool(a, "dot")
