"""`sparse_mask`: of one tensor, what stands at another's places."""

from __future__ import annotations

from typing import Any

from engine.errors import Explained
from engine.ops.core.declare import operator
from engine.ops.sparse.arrays import SparseArray
from engine.ops.sparse.blocks import Blocks
from engine.ops.sparse.compressed import Compressed, compress
from engine.ops.sparse.coordinates import Coordinates, from_dense
from engine.ops.sparse.kernels import FAMILY
from engine.ops.sparse.scaling import at_places
from engine.placement import strided
from engine.tensor import Tensor


@operator(
    at="tensor",
    family=FAMILY,
    formula="x at the mask's places",
    saves="mask",
    self=lambda grad, mask, self_layout: masked_back(grad, mask, self_layout),
    needs_tensors="mask",
)
def sparse_mask(self: Any, mask: Any) -> Any:
    """Keeps what stands at the places of a sparse mask; the gradient arrives at these places, and is 0 at all others.

    Raises:
        NotImplementedError: a mask that is not sparse.
        RuntimeError: another shape.
    """
    if not isinstance(mask, SparseArray):
        raise NotImplementedError(
            "Could not run 'aten::sparse_mask' with arguments from the 'CPU' backend. The mask must be sparse: mask.to_sparse()."
        )
    if self.shape != mask.shape:
        raise RuntimeError(
            f"sparse_mask(): operands have incompatible sizes; self has size {list(self.shape)} but mask has size "
            f"{list(mask.shape)}"
        )
    if isinstance(mask, Blocks):
        places = mask.coordinates()
        return mask.with_values(taken(self, places).values.reshape(mask.values.shape))
    if isinstance(mask, Compressed):
        return compress(taken(self, mask.coordinates()), mask.by_row)
    assert isinstance(mask, Coordinates)
    return taken(self, mask)


def taken(source: Any, mask: Coordinates) -> Coordinates:
    """The source's elements at the mask's places, in the mask's order."""
    if isinstance(source, SparseArray):
        source = source.coordinates()
        if source.sparse_dim != mask.sparse_dim:
            source = from_dense(source.dense(), mask.sparse_dim)
        return mask.with_values(at_places(source, mask.places()))
    return mask.with_values(source[tuple(mask.indices)].copy().reshape(mask.nnz, *mask.dense_shape))


def masked_back(grad: Tensor, mask: Tensor, layout: Any) -> Tensor:
    """What the source gets: the gradient at the mask's places, dense if the source was.

    Raises:
        RuntimeError: a dense gradient.
    """
    if grad._strided:
        raise RuntimeError(
            Explained(
                "is_coalesced expected sparse coordinate tensor layout but got Strided",
                "The gradient of sparse_mask must be sparse: end with torch.sparse.sum(…) or .to_dense(), not with .sum().",
            )
        )
    kept = sparse_mask(grad, mask)
    return kept.to_dense() if layout is strided else kept
