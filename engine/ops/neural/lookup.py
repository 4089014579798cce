"""Looking rows up in a table: embedding; and the rows of an identity: one-hot vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from engine.autograd.modes import state as modes
from engine.dtype_names import options_type
from engine.late import Late
from engine.ops.core.declare import composite, operator
from engine.ops.core.handed_on import require_kind
from engine.ops.core.inplace import store
from engine.storage import materialise
from engine.tensor import Tensor

if TYPE_CHECKING:
    from engine.ops.sparse import rows as sparse_rows
else:
    sparse_rows = Late("engine.ops.sparse.rows")


def check_whole(indices: Any, function: str, argument: int) -> None:
    """Raises RuntimeError: indices that are not integers."""
    if indices.dtype.name not in ("int64", "int32"):
        raise RuntimeError(
            f"Expected tensor for argument #{argument} 'indices' to have one of the following scalar types: Long, Int; but got "
            f"{options_type(indices)} instead (while checking arguments for {function})"
        )


def check_indices(indices: Any, rows: int, function: str = "embedding") -> None:
    """Raises IndexError: an index outside the table; RuntimeError: indices that are not integers."""
    check_whole(indices, function, argument=1)
    if np.any((indices < 0) | (indices >= rows)):
        raise IndexError("index out of range in self")


@operator(
    at="internal",
    formula="W[indices]",
    saves="indices padding_idx scale_grad_by_freq sparse weight_sym_argsize_0",
    weight=lambda grad, indices, weight_sym_argsize_0, padding_idx, scale_grad_by_freq, sparse: table_gradient(
        grad, indices, weight_sym_argsize_0, padding_idx, scale_grad_by_freq, sparse
    ),
)
def embedding(
    weight: Any, indices: Any, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Any:
    """Takes rows out of a table; a row's gradient adds up over all the places where it was taken.

    Raises:
        RuntimeError: a table that is no matrix.
    """
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    check_indices(indices, weight.shape[0])
    return weight[indices]


def table_gradient(
    grad: Tensor, indices: Tensor, rows: int, padding_idx: int, scale_grad_by_freq: bool, sparse: bool
) -> Tensor:
    """What the table gets: a whole table, or (``sparse``) the rows that were taken."""
    gradient = sparse_rows.taken_rows if sparse else embedding_backward
    return gradient(grad, indices, rows, padding_idx, scale_grad_by_freq)


@operator(
    at="internal",
    grad_fn="EmbeddingDenseBackwardBackward0",
    grad_output=lambda grad, indices, padding_idx: embedding_again(grad, indices, padding_idx),
)
def embedding_backward(grad_output: Any, indices: Any, rows: int, padding_idx: int, scale_grad_by_freq: bool) -> Any:
    """``embedding``'s derivative as an operation of its own."""
    flat, slopes = indices.reshape(-1), grad_output.reshape(-1, grad_output.shape[-1])
    if scale_grad_by_freq:
        slopes = slopes / np.bincount(flat, minlength=rows)[flat][:, None].astype(slopes.dtype)
    table = np.zeros((rows, slopes.shape[1]), slopes.dtype)
    keep = flat != padding_idx if padding_idx >= 0 else slice(None)
    np.add.at(table, flat[keep], slopes[keep])
    return table


def embedding_again(grad: Tensor, indices: Tensor, padding_idx: int) -> Tensor:
    """The gradient's gradient: the same rows, zero at the padding."""
    rows = embedding(grad, indices)
    return rows if padding_idx < 0 else rows * (indices != padding_idx).unsqueeze(-1).to(grad.dtype)


def check_renormalised(indices: Any, table: tuple[int, ...]) -> None:
    """`check_indices` as the shortening of rows says it, which looks first.

    Raises:
        IndexError, RuntimeError: as there.
    """
    check_whole(indices, "embedding_renorm_", argument=2)
    outside = (indices < -table[0]) | (indices >= table[0])
    if np.any(outside):
        raise IndexError(
            f"select(): index {indices[outside].flat[0]} out of range for tensor of size {list(table)} at dimension 0"
        )


def renormalise(weight: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> None:
    """Shortens the looked-up rows that are longer than ``max_norm``, in the table itself.

    Raises:
        TypeError: in the words of PyTorch's argument parser, which meets these numbers only here.
    """
    require_kind(max_norm, "float", "embedding_renorm_", "max_norm", 3)
    require_kind(norm_type, "float", "embedding_renorm_", "norm_type", 4)
    max_norm, norm_type = float(max_norm), float(norm_type)
    table = materialise(weight).copy()
    rows = np.unique(indices._array)
    lengths = np.linalg.norm(table[rows].astype(np.float64), norm_type, axis=1)
    too_long = lengths > max_norm
    table[rows[too_long]] = (table[rows[too_long]] * (max_norm / (lengths[too_long] + 1e-7))[:, None]).astype(
        table.dtype
    )
    store(weight, table, "embedding_renorm_")


@composite(at="functional", name="embedding")
def embedding_rows(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Rows of ``weight`` (V, D) at ``input`` (…) → (…, D).

    Raises:
        AssertionError: ``padding_idx`` outside the table.
        IndexError: an index outside the table.
        RuntimeError: a table that is no matrix.
    """
    if not weight.ndim and weight.requires_grad and modes.grad_enabled:  # which asks how many rows there are first
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    rows = weight.shape[0]
    if padding_idx is None:
        padding_idx = -1
    elif padding_idx >= rows or padding_idx < -rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    elif padding_idx < 0:
        padding_idx += rows
    if max_norm is not None:
        check_renormalised(input._array, weight._array.shape)
        renormalise(weight, input, max_norm, norm_type)
    if sparse:
        sparse_rows.expect()
    return embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


@composite(at="torch", name="embedding")
def torch_embedding(
    weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Tensor:
    """``torch.embedding``, table first."""
    if sparse:
        sparse_rows.expect()
    return embedding(weight, indices, padding_idx, scale_grad_by_freq, sparse)


@composite(at="functional", parsed=True)
def one_hot(self: Tensor, num_classes: int = -1) -> Tensor:
    """A one at each class number, zeros elsewhere; whole numbers have no slope."""
    result: Tensor = ones_at(self, num_classes)
    result._touch()  # PyTorch fills zeros, then writes the ones
    result._touch()
    return result


@operator(order="rows", at="internal", name="one_hot")
def ones_at(self: Any, num_classes: int = -1) -> Any:
    """A one at each class number, zeros elsewhere; whole numbers have no slope.

    Raises:
        RuntimeError: negative or too large class numbers.
    """
    if self.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if self.size == 0:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return np.zeros((*self.shape, num_classes), np.int64)
    if np.min(self) < 0:
        raise RuntimeError("Class values must be non-negative.")
    largest = int(np.max(self))
    if num_classes == -1:
        num_classes = largest + 1
    elif num_classes <= largest:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return (np.asarray(self)[..., None] == np.arange(num_classes)).astype(np.int64)
