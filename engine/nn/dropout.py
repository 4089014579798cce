"""Dropout layers."""

from __future__ import annotations

from typing import Any

from engine.nn import functional as F
from engine.nn.module import Module


class _DropoutNd(Module):
    """Zeroes at random while training.

    Raises:
        ValueError: ``p`` is no probability.
    """

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def extra_repr(self) -> str:
        """Settings."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Single elements."""

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """Whole channels of (N, C, L)."""

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """Whole channels of (N, C, H, W)."""

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """Whole channels of (N, C, D, H, W)."""

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Single elements, keeping mean and variance."""

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """Whole channels, keeping mean and variance."""

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.feature_alpha_dropout(input, self.p, self.training)
