"""Normalisation by length: root mean square, neighbours' energy, p-norm; composed, as PyTorch composes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.dtype_names import scalar_type
from engine.ops.core.catalogue import torch_function
from engine.ops.core.declare import composite
from engine.ops.core.handed_on import require_kind, require_whole_row
from engine.ops.neural.average_pooling import avg_pool2d, avg_pool3d
from engine.ops.neural.layer_norm import check_normalized_shape
from engine.ops.neural.padding import pad
from engine.ops.pointwise.arithmetic import add_number
from engine.tensor import Tensor


@composite(at="torch functional")
def rms_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """Divides by the root mean square over the last dimensions (Zhang & Sennrich 2019).

    Raises:
        TypeError: a shape or an ε of another type.
        NotImplementedError: whole numbers.
        RuntimeError: an input that does not end in the normalised shape, or a weight of another shape.
    """
    require_whole_row(normalized_shape, "rms_norm", "normalized_shape", 2)
    if eps is not None:
        require_kind(eps, "float", "rms_norm", "eps", 4)
    shape = tuple(normalized_shape)
    check_normalized_shape(shape)
    if tuple(input.shape[input.ndim - len(shape) :]) != shape or len(shape) > input.ndim:
        wanted = "*" + ", ".join(map(str, shape))  # PyTorch leaves the first comma out
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [{wanted}], but got input of "
            f"size{list(input.shape)}"
        )
    if weight is not None and tuple(weight.shape) != shape:
        raise RuntimeError(
            f"Expected weight to be of same shape as normalized_shape, but got weight of shape {list(weight.shape)} "
            f"and normalized_shape = {list(shape)}"
        )
    if not (input.dtype.is_floating_point or input.dtype.is_complex):
        raise NotImplementedError(f"\"rms_norm\" not implemented for '{scalar_type(input)}'")
    dims = [input.ndim - d - 1 for d in range(len(shape))]
    if eps is None:
        eps = {dtypes.float64: float(np.finfo(np.float64).eps)}.get(input.dtype, float(np.finfo(np.float32).eps))
    wide = input.to(dtypes.float32) if input.dtype in (dtypes.float16, dtypes.bfloat16) else input
    result = wide * add_number(wide.pow(2).mean(dims, keepdim=True), eps).rsqrt()
    result = result if weight is None else result * weight
    return (result.type_as(input) if result.dtype is not input.dtype else result).contiguous()


@composite(at="functional")
def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """Divides each channel by the energy of its neighbouring channels (Krizhevsky et al. 2012).

    Raises:
        ValueError: fewer than three dimensions.
    """
    dim = input.ndim
    if dim < 3:
        raise ValueError(f"Expected 3D or higher dimensionality                          input (got {dim} dimensions)")
    if input.numel() == 0:
        return input
    energy = input.mul(input)
    if dim == 3:
        energy = pad(energy.unsqueeze(1), (0, 0, size // 2, (size - 1) // 2))
        energy = avg_pool2d(energy, (size, 1), stride=1).squeeze(1)
    else:
        sizes = input.shape
        energy = energy.view(sizes[0], 1, sizes[1], sizes[2], -1)
        energy = pad(energy, (0, 0, 0, 0, size // 2, (size - 1) // 2))
        energy = avg_pool3d(energy, (size, 1, 1), stride=1).squeeze(1)
        energy = energy.view(sizes)
    return input / energy.mul(alpha).add(k).pow(beta)


@composite(at="functional")
def normalize(input: Tensor, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """Divides by the p-norm along ``dim`` (by ``eps`` at least)."""
    length = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return torch_function("div")(input, length) if out is None else torch_function("div")(input, length, out=out)
