"""Names below ``torch.nn.functional`` that programs of PyTorch's early days call directly."""

from __future__ import annotations

from engine.ops.core.declare import composite
from engine.ops.neural.dropping import check_probability, drop
from engine.ops.neural.lookup import check_renormalised, renormalise
from engine.ops.neural.sampling import SAMPLERS
from engine.tensor import Tensor


@composite(at="torch")
def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """``grid_sample`` with its modes as numbers: bilinear, nearest, bicubic; zeros, border, reflection."""
    result: Tensor = SAMPLERS[input.ndim](input, grid, interpolation_mode, padding_mode, align_corners)
    return result


@composite(at="torch")
def feature_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Dropout of whole channels."""
    check_probability(p)
    return drop(input, p, train, False, by_channel=True)


@composite(at="torch")
def feature_dropout_(self: Tensor, p: float, train: bool) -> Tensor:
    """`feature_dropout` in place."""
    check_probability(p)
    return drop(self, p, train, True, by_channel=True)


@composite(at="torch")
def alpha_dropout_(self: Tensor, p: float, train: bool) -> Tensor:
    """``alpha_dropout`` in place."""
    check_probability(p)
    return drop(self, p, train, True, alpha=True)


@composite(at="torch")
def feature_alpha_dropout_(self: Tensor, p: float, train: bool) -> Tensor:
    """``feature_alpha_dropout`` in place."""
    check_probability(p)
    return drop(self, p, train, True, by_channel=True, alpha=True)


@composite(at="torch")
def embedding_renorm_(self: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
    """Shortens the rows at ``indices`` that are longer than ``max_norm``."""
    check_renormalised(indices._array, self._array.shape)
    renormalise(self, indices, max_norm, norm_type)
    return self
