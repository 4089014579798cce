"""Laws of factorisations, inverses and what is solved with them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.engine.trace.explanations.calls import Call
from tests.engine.trace.explanations.laws import LAWS, back, gives, near, sends, sends_each, where
from tests.engine.trace.explanations.products import H, is_column


def mirrored(call: Call, array: Any) -> Any:
    """A symmetric matrix from the triangle that is read."""
    upper = call.arguments.get("upper", call.arguments.get("UPLO") == "U")
    read = np.triu(array) if upper else np.tril(array)
    return read + H(np.triu(read, 1) if upper else np.tril(read, -1))


def factors(call: Call, triangle: Any) -> Any:
    """What a Cholesky triangle is the factor of."""
    return H(np.triu(triangle)) @ np.triu(triangle) if call["upper"] else np.tril(triangle) @ H(np.tril(triangle))


def leading(call: Call) -> Any:
    """For each matrix 0, or the first size at which its upper left part is not positive-definite."""
    whole = np.reshape(mirrored(call, call.x), (-1, *np.shape(call.x)[-2:]))
    found = [next((n for n in range(1, len(a) + 1) if np.linalg.eigvalsh(a[:n, :n])[0] <= 0), 0) for a in whole]
    return np.reshape(found, np.shape(call.x)[:-2])


def triangles(call: Call) -> Any:
    """L and U out of the packed form."""
    packed = call["LU_data"] if "LU_data" in call.arguments else call.results[0]
    few = min(packed.shape[-2:])
    lower = np.tril(packed, -1)[..., :few] + np.eye(packed.shape[-2], few)
    return lower, np.triu(packed)[..., :few, :]


def permuted(call: Call, pivots: Any, rows: Any) -> Any:
    """Rows exchanged as LAPACK's pivots (from 1) say, undone: P·rows."""
    moved = np.array(rows)
    flat, swaps = moved.reshape(-1, *moved.shape[-2:]), np.reshape(pivots, (-1, np.shape(pivots)[-1]))
    for matrix, pairs in zip(flat, swaps, strict=True):
        for row in reversed(range(len(pairs))):
            other = int(pairs[row]) - 1
            matrix[[row, other]] = matrix[[other, row]]
    return flat.reshape(moved.shape)


def triangle(call: Call, name: str, upper: bool) -> Any:
    kept = np.triu(call[name]) if upper else np.tril(call[name])
    if call["unitriangular"]:
        kept = kept - kept * np.eye(kept.shape[-1]) + np.eye(kept.shape[-1])
    return kept


def outside(array: Any, upper: bool) -> Any:
    """What lies on the other side of the diagonal."""
    return np.tril(array, -1) if upper else np.triu(array, 1)


def solved(call: Call) -> bool:
    """A·X = B, with the packed factors multiplied out again."""
    if call.operator.name == "lu_solve":
        lower, upper = np.tril(call["LU"], -1) + np.eye(call["LU"].shape[-1]), np.triu(call["LU"])
        whole = permuted(call, call["pivots"], lower @ upper)
        whole = H(whole) if call["adjoint"] else whole
        return near(
            whole @ call.result if call["left"] else call.result @ whole, np.broadcast_to(call["B"], call.result.shape)
        )
    if np.any(np.asarray(call["pivots"]) < 0):
        return near(call.again(B=call["B"] * 2).result, 2 * call.result)
    lower = np.tril(call["LD"], -1) + np.eye(call["LD"].shape[-1])
    diagonal = np.einsum("...i,ij->...ij", np.diagonal(call["LD"], axis1=-2, axis2=-1), np.eye(call["LD"].shape[-1]))
    whole = lower @ diagonal @ H(lower)
    exchanged = np.all(np.asarray(call["pivots"]) == np.arange(1, whole.shape[-1] + 1))
    return near(whole @ call.result, np.broadcast_to(call["B"], call.result.shape)) if exchanged else True


def exponential(array: Any) -> Any:
    total = term = np.broadcast_to(np.eye(array.shape[-1]), array.shape).astype(array.dtype)
    for power in range(1, 80):
        term = term @ array / power
        total = total + term
    return total


def reflections(call: Call) -> Any:
    """The square Q of the reflections that `geqrf` leaves."""
    vectors, factors = list(call.arguments.values())[:2]
    rows = vectors.shape[-2]
    whole = np.broadcast_to(np.eye(rows), (*vectors.shape[:-2], rows, rows)).copy()
    for column in range(factors.shape[-1]):
        v = np.tril(vectors, -1)[..., column].copy()
        v[..., column] = 1
        whole = whole @ (np.eye(rows) - factors[..., column, None, None] * v[..., :, None] * np.conj(v[..., None, :]))
    return whole


def by_reflections(call: Call) -> Any:
    q = H(reflections(call)) if call["transpose"] else reflections(call)
    return q @ call["input3"] if call["left"] else call["input3"] @ q


def apart(call: Call, part: Any) -> bool:
    return near(
        H(part) @ part, np.broadcast_to(np.eye(part.shape[-1]), (*part.shape[:-2], part.shape[-1], part.shape[-1]))
    )


def svd(call: Call) -> bool:
    u, s, vh = call.results
    few = s.shape[-1]
    return (
        bool(
            near((u[..., :few] * s[..., None, :]) @ vh[..., :few, :], call.x)
            and np.all(np.diff(s) <= 1e-12)
            and apart(call, u)
            and apart(call, H(vh))
        )
        if u.size
        else near(s, np.linalg.svd(call.x, compute_uv=False))
    )


def qr(call: Call) -> bool:
    q, r = call.results
    if not q.size:
        return near(np.abs(r), np.abs(np.linalg.qr(call.x, mode="r")))
    return near(q @ r, call.x) and apart(call, q) and near(r, np.triu(r))


def eigen(call: Call) -> bool:
    values, vectors = call.results
    whole = mirrored(call, call.x) if "UPLO" in call.arguments else call.x
    if not vectors.size:
        return near(values, np.linalg.eigvalsh(whole))
    return near(whole @ vectors, vectors * values[..., None, :])


def closest(call: Call) -> bool:
    """No other X does better: what is left stands upright on all columns."""
    b = call["b"]
    left = call.x @ call.result - b
    return near(H(call.x) @ left, np.zeros((H(call.x) @ left).shape))


LAWS.update(
    {
        "B's gradient solves the transposed system, and A's is minus that times Xᵀ": where(
            lambda c: c["left"] and not is_column(c["A"], c["B"]),
            sends_each(
                B=lambda c: np.linalg.solve(H(c["A"]), c.g), A=lambda c: -np.linalg.solve(H(c["A"]), c.g) @ H(c.result)
            ),
        ),
        "The triangle L with L·Lᴴ = A, and 0 where A is positive-definite, else how far it came": lambda c: (
            near(factors(c, c.result), mirrored(c, c.x)) and near(c.results[1], leading(c))
        ),
        "The triangle L with L·Lᴴ = A, or U with Uᴴ·U = A": lambda c: near(factors(c, c.result), mirrored(c, c.x)),
        "Solves A·X = B with the triangle of a Cholesky factorisation of A": lambda c: near(
            factors(c, c["input2"]) @ c.result, np.broadcast_to(c["self"], c.result.shape)
        ),
        "B's gradient is solved for in the same way": sends_each(
            self=lambda c: np.linalg.solve(factors(c, c["input2"]), c.g)
        ),
        "The inverse of A from its Cholesky triangle": lambda c: near(
            factors(c, c.x) @ c.result, np.broadcast_to(np.eye(c.x.shape[-1]), c.x.shape)
        ),
        "Splits A into a lower and an upper triangle, after exchanging rows": lambda c: (
            near(
                (c.results[0] if c.results[0].size else np.eye(c.results[1].shape[-2])) @ c.results[1] @ c.results[2],
                c.x,
            )
            and near(np.triu(c.results[1], 1), 0 * c.results[1])
        ),
        "L and U in one matrix, and the row exchanges": lambda c: near(
            permuted(c, c.results[1], triangles(c)[0] @ triangles(c)[1]), c.x
        ),
        "The three factors out of the packed form": lambda c: (
            near(c.results[1], triangles(c)[0]) and near(c.results[2], triangles(c)[1])
        ),
        "the triangles get their parts of the gradient": lambda c: (
            near(np.tril(c.d, -1)[..., : c.incoming[0].shape[-1]], np.tril(c.incoming[0], -1))
            and near(np.triu(c.d)[..., : c.incoming[1].shape[-2], :], np.triu(c.incoming[1]))
        ),
        "Solves A·X = B with factors found before": solved,
        "How much the matrix stretches volumes, with its sign": gives(lambda c: np.linalg.det(c.x)),
        "the slope is the determinant times the transposed inverse": where(
            lambda c: np.all(np.abs(np.linalg.det(c.x)) > 1e-9),
            sends(lambda c: (c.g * np.linalg.det(c.x))[..., None, None] * H(np.linalg.inv(c.x))),
        ),
        "The determinant's sign and the logarithm of its size": lambda c: all(
            near(own, its) for own, its in zip(c.results, np.linalg.slogdet(c.x), strict=False)
        ),
        "the logarithm's slope is the transposed inverse": sends(
            lambda c: c.incoming[-1][..., None, None] * H(np.linalg.inv(c.x))
        ),
        "The directions that A only stretches, and by how much (always complex)": lambda c: (
            eigen(c) and all(np.iscomplexobj(result) for result in c.results)
        ),
        "The axes of a symmetric matrix, at right angles to each other, and its stretching along them": lambda c: (
            eigen(c) and (not c.results[1].size or apart(c, c.results[1]))
        ),
        "The exponential series with a matrix in it": gives(lambda c: exponential(c.x)),
        "The inverse of every matrix": lambda c: near(
            c.x @ c.result, np.broadcast_to(np.eye(c.x.shape[-1]), c.x.shape)
        ),
        "the gradient is multiplied by the transposed inverse from both sides, with its sign flipped": sends(
            lambda c: -H(c.result) @ c.g @ H(c.result)
        ),
        "The matrix that comes closest to undoing A": lambda c: (
            near(c.x @ c.result @ c.x, c.x) if c["rtol"] is None and c["atol"] is None else None
        ),
        "singular values below the tolerance count as zero": lambda c: (
            near(np.linalg.matrix_rank(c.again(atol=1e6).result), 0 * np.linalg.matrix_rank(c.result))
            and near(c.result, np.linalg.pinv(c.x, rcond=1e-12))
            if c["rtol"] is None and c["atol"] is None
            else None
        ),
        "L and the blocks of D in one matrix, with LAPACK's pivots": lambda c: (
            near(
                (np.tril(c.result, -1) + np.eye(c.x.shape[-1]))
                @ np.einsum("...i,ij->...ij", np.diagonal(c.result, axis1=-2, axis2=-1), np.eye(c.x.shape[-1]))
                @ H(np.tril(c.result, -1) + np.eye(c.x.shape[-1])),
                mirrored(c, c.x),
            )
            if np.all(c.results[1] == np.arange(1, c.x.shape[-1] + 1))
            else None
        ),
        "Finds X with A·X = B": lambda c: near(
            c.x @ c.result
            if c["left"] and not is_column(c.x, c["B"])
            else (c.x @ c.result[..., None])[..., 0]
            if c["left"]
            else c.result @ c.x,
            np.broadcast_to(c["B"], c.result.shape),
        ),
        "Finds X with T·X = B for a triangular T (or X·T = B)": lambda c: near(
            triangle(c, "self", c["upper"]) @ c.result if c["left"] else c.result @ triangle(c, "self", c["upper"]),
            np.broadcast_to(c["B"], c.result.shape),
        ),
        "outside of that triangle the gradient is zero": lambda c: not np.any(outside(c.sent["self"], c["upper"])),
        "Finds X with T·X = B for a triangular T, and returns a copy of T beside it": lambda c: (
            near(
                (H(triangle(c, "A", c["upper"])) if c["transpose"] else triangle(c, "A", c["upper"])) @ c.result,
                np.broadcast_to(c["self"], c.result.shape),
            )
            and near(c.results[1], np.broadcast_to(c["A"], c.results[1].shape))
        ),
        "outside of that triangle T's gradient is zero": lambda c: (
            near(outside(c.sent["A"], c["upper"]), back(outside(c.incoming[1], c["upper"]), c["A"].shape))
            if len(c.incoming) > 1
            else not np.any(outside(c.sent["A"], c["upper"]))
        ),
        "The X for which A·X comes closest to B": closest,
        "Splits A into a rotation, a stretching along the axes, and another rotation": svd,
        "Splits A into orthonormal columns and an upper triangle": qr,
        "QR as LAPACK leaves it, R on and above the diagonal": lambda c: near(
            np.abs(np.triu(c.result)[..., : min(c.x.shape[-2:]), :]), np.abs(np.linalg.qr(c.x, mode="r"))
        ),
        "The first columns of a product of reflections": gives(lambda c: reflections(c)[..., : c.result.shape[-1]]),
        "Multiplies by the square Q of a product of reflections": gives(by_reflections),
        "`input3`'s gradient is multiplied by Q the other way round": sends_each(
            input3=lambda c: (
                (reflections(c) if c["transpose"] else H(reflections(c))) @ c.g
                if c["left"]
                else c.g @ (reflections(c) if c["transpose"] else H(reflections(c)))
            )
        ),
    }
)
