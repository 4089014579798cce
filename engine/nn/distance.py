"""Distances as layers."""

from __future__ import annotations

from typing import Any

from engine.nn import functional as F
from engine.nn.module import Module


class PairwiseDistance(Module):
    """p-norm of the difference."""

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1: Any, x2: Any) -> Any:
        """(N, D) and (N, D) → (N,)."""
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """Cosine of the angle between vectors along ``dim``."""

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps

    def forward(self, x1: Any, x2: Any) -> Any:
        """Without ``dim``."""
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
