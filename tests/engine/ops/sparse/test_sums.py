"""Sums of sparse tensors that PyTorch 2.13.0 refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engine import torch

WITH_BLOCKS: dict[str, Callable[[Any, Any], Any]] = {
    "dense first": lambda dense, blocks: dense + blocks,
    "blocks first": lambda dense, blocks: blocks + dense,
    "in place": lambda dense, blocks: dense.add_(blocks),
    "scaled": lambda dense, blocks: torch.add(dense, blocks, alpha=2),
}


@pytest.mark.parametrize("way", WITH_BLOCKS)
@pytest.mark.parametrize("layout", ["bsr", "bsc"])
def test_a_dense_matrix_and_one_of_blocks_are_not_added(layout: str, way: str) -> None:
    dense = torch.eye(4)
    blocks = getattr(torch.eye(4), f"to_sparse_{layout}")((2, 2))
    with pytest.raises(RuntimeError, match=r"src\.layout\(\) == kSparseCsr .* INTERNAL ASSERT FAILED"):
        WITH_BLOCKS[way](dense, blocks)
