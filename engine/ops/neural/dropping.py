"""Dropout in all its forms: noise is drawn, and multiplied with."""

from __future__ import annotations

import math
import warnings

from engine.ops.core.catalogue import torch_function
from engine.ops.core.declare import composite
from engine.ops.core.handed_on import require_kind
from engine.tensor import Tensor

SELU_SATURATION = -1.7580993408473766
"""Where SELU ends on the left: alpha dropout drops to this value, so that mean and variance stay."""


def check_probability(p: float) -> None:
    """Raises ValueError: ``p`` is no probability."""
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def probability(name: str, input: Tensor, p: float, training: bool) -> float:
    """``p`` as a number, out of a tensor too.

    Raises:
        TypeError: in the words of PyTorch's argument parser, which meets these arguments only here.
    """
    require_kind(input, "Tensor", name, "input", 1)
    require_kind(p, "float", name, "p", 2)
    require_kind(training, "bool", name, "train", 3)
    return float(p)


def drop(
    input: Tensor, p: float, training: bool, inplace: bool, by_channel: bool = False, alpha: bool = False
) -> Tensor:
    """One noise element per element (or per channel), zero with probability ``p``, scaled to keep the mean.

    Raises:
        RuntimeError: ``p`` is no probability, or there are no channels to drop.
        TypeError: no tensor, number or flag where one must stand.
    """
    if type(p) is not float or (training is not True and training is not False) or not isinstance(input, Tensor):
        name = f"{'feature_' if by_channel else ''}{'alpha_' if alpha else ''}dropout{'_' if inplace else ''}"
        p = probability(name, input, p, training)
    if not 0.0 <= p <= 1.0:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")
    if p == 0 or not training or not input.numel():
        return input
    multiply = input.mul_ if inplace else input.mul
    if p == 1:
        return multiply(torch_function("zeros")((), dtype=input.dtype))
    if by_channel:
        if input.ndim < 2:
            raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
        noise = input.new_empty((*input.shape[:2], *(1,) * (input.ndim - 2)))
    else:
        noise = torch_function("empty_like")(input)
    noise.bernoulli_(1 - p)
    if not alpha:
        noise.div_(1 - p)
        return multiply(noise)
    scale = 1.0 / math.sqrt((SELU_SATURATION**2 * p + 1) * (1 - p))
    shift = noise.add(-1).mul_(-SELU_SATURATION * scale).add_(-SELU_SATURATION * scale * p)
    noise.mul_(scale)
    product = multiply(noise)
    return product.add_(shift) if inplace else product.add(shift)


@composite(at="functional")
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes elements at random while training, and scales the rest up by 1 / (1 − p)."""
    check_probability(p)
    return drop(input, p, training, inplace)


@composite(at="functional")
def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout that keeps mean and variance of SELU networks (Klambauer et al. 2017)."""
    check_probability(p)
    return drop(input, p, training, inplace, alpha=True)


@composite(at="functional")
def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """`alpha_dropout` of whole channels."""
    check_probability(p)
    return drop(input, p, training, inplace, by_channel=True, alpha=True)


def drop_channels(input: Tensor, p: float, training: bool, inplace: bool, single: int | None = None) -> Tensor:
    """Dropout of whole channels; a single sample, which has ``single`` dimensions, is given a batch dimension."""
    check_probability(p)
    if input.ndim == single:
        wide = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
        dropped = drop(wide, p, training, inplace, by_channel=True)
        return dropped.squeeze_(0) if inplace else dropped.squeeze(0)
    return drop(input, p, training, inplace, by_channel=True)


def warn_of_dimensions(function: str, given: int, spatial: int) -> None:
    """Says that an input has too few or too many dimensions for dropping whole channels."""
    if given not in (spatial + 1, spatial + 2):
        warnings.warn(
            f"{function}: Received a {given}-D input to {function}, which is deprecated and will result in an error in a "
            f"future release. It drops whole channels of {spatial}-D images; dropout drops single elements of any shape.",
            stacklevel=4,
        )


@composite(at="functional")
def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes whole channels of (N, C, L) at random.

    Raises:
        RuntimeError: neither (N, C, L) nor (C, L).
    """
    check_probability(p)
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.ndim}D input. Note that dropout1d exists to "
            "provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional "
            "batch dimension (i.e. 2D or 3D inputs)."
        )
    return drop_channels(input, p, training, inplace, single=2)


@composite(at="functional")
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes whole channels of (N, C, H, W) at random."""
    warn_of_dimensions("dropout2d", input.ndim, 2)
    if input.ndim == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired "
            "- input is interpreted as shape (N, C, L). Use dropout1d to say so, or give a single sample a batch dimension.",
            stacklevel=3,
        )
    return drop_channels(input, p, training, inplace)


@composite(at="functional")
def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes whole channels of (N, C, D, H, W) at random."""
    warn_of_dimensions("dropout3d", input.ndim, 3)
    return drop_channels(input, p, training, inplace, single=4)


@composite(at="torch", name="dropout")
def torch_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """``torch.dropout``: `dropout` with the arguments in ATen's order."""
    return drop(input, p, train, False)


@composite(at="torch", name="dropout_")
def torch_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """`torch_dropout` written into its input."""
    return drop(input, p, train, True)


for function in (alpha_dropout, feature_alpha_dropout):
    composite(at="torch")(function)
