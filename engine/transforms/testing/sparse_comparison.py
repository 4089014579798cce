"""`assert_close` for sparse tensors: as many values, at the same places, and close to each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.tensor import Tensor

KINDS = {"torch.sparse_coo": "COO", "torch.sparse_csr": "CSR", "torch.sparse_csc": "CSC"}
Comparison = Callable[[Tensor, Tensor], str]


def parts(tensor: Tensor) -> Iterator[tuple[str, Tensor]]:
    """Its tensors by name, the values last."""
    kind = KINDS[str(tensor.layout)]
    if kind == "COO":
        yield "indices", tensor._indices()
    else:
        first, second = ("crow_indices", "col_indices") if kind == "CSR" else ("ccol_indices", "row_indices")
        yield first, getattr(tensor, first)()
        yield second, getattr(tensor, second)()
    yield "values", tensor._values()


def sparse_difference(actual: Tensor, expected: Tensor, compare: Comparison) -> str:
    """What is wrong with two sparse tensors of one layout; nothing if they agree. ``compare`` does it for dense ones."""
    kind = KINDS[str(actual.layout)]
    if actual._nnz() != expected._nnz():
        return f"The number of specified values in sparse {kind} tensors does not match: {actual._nnz()} != {expected._nnz()}"
    for (name, one), (_, other) in zip(parts(actual), parts(expected), strict=True):
        found = compare(one, other)
        if found:
            return found.replace("Tensor-likes", f"Sparse {kind} {name}", 1)
    return ""
