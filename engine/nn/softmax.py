"""Softmax layers: shares that add up to one, and their logarithms."""

from __future__ import annotations

from typing import Any

from engine.nn import functional as F
from engine.nn.making import OwnNames
from engine.nn.module import Module


class _AlongDim(OwnNames, Module):
    """What these layers share: the dimension to normalise along."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def extra_repr(self) -> str:
        """Settings."""
        return f"dim={self.dim}"


class Softmax(_AlongDim):
    """Shares that add up to one along ``dim``."""

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.softmax(input, self.dim, _stacklevel=5)


class Softmin(_AlongDim):
    """Softmax of −x."""

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.softmin(input, self.dim, _stacklevel=5)


class LogSoftmax(_AlongDim):
    """Logarithm of softmax."""

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.log_softmax(input, self.dim, _stacklevel=5)


class Softmax2d(Module):
    """Softmax over the channels at each place."""

    def forward(self, input: Any) -> Any:
        """Same shape.

        Raises:
            ValueError: neither (N, C, H, W) nor (C, H, W).
        """
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3, _stacklevel=5)
