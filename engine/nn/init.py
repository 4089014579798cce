"""``torch.nn.init``: how parameters get their first values, drawing PyTorch's numbers in PyTorch's order.

Every function writes into its tensor with recording off and returns it.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

from engine.autograd.modes import no_grad
from engine.ops.core.catalogue import TABLES
from engine.ops.factories.filled import empty_like
from engine.ops.linear_algebra.orthogonal import linalg_qr
from engine.tensor import Tensor

GAINS = {
    "linear": 1, "conv1d": 1, "conv2d": 1, "conv3d": 1, "conv_transpose1d": 1, "conv_transpose2d": 1,
    "conv_transpose3d": 1, "sigmoid": 1, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4,
}  # fmt: skip


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """How much a nonlinearity shrinks the spread of its input, to be made up for by larger weights.

    Raises:
        ValueError: an unknown nonlinearity, or a slope that is not a number.
    """
    if nonlinearity == "leaky_relu":
        if param is None:
            slope = 0.01
        elif isinstance(param, bool) or not isinstance(param, int | float):
            raise ValueError(f"negative_slope {param} not a valid number")
        else:
            slope = param
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity not in GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return GAINS[nonlinearity]


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """Inputs per output and outputs per input of a weight.

    Raises:
        ValueError: fewer than two dimensions.
    """
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    receptive = math.prod(tensor.shape[2:])
    return tensor.shape[1] * receptive, tensor.shape[0] * receptive


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _calculate_fan_in_and_fan_out(tensor)[mode == "fan_out"]


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Uniform in [a, b)."""
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Normal around ``mean``."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Any = None
) -> Tensor:
    """Normal around ``mean``, cut off at ``a`` and ``b``: values outside are drawn again.

    If less than 0.3 of the density lies inside, PyTorch draws uniform candidates and accepts each with the probability
    of the density at it; so do we.
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
            "incorrect.",
            stacklevel=2,
        )
    low, high = (0.5 * (1 + math.erf((bound - mean) / std / math.sqrt(2.0))) for bound in (a, b))
    if tensor.is_meta:
        return tensor  # no candidate could be looked at
    with no_grad():
        if high - low > 0.3:
            return _redrawn_normal(tensor, mean, std, a, b, generator)
        return _accepted_uniform(tensor, mean, std, a, b, generator)


def _redrawn_normal(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any) -> Tensor:
    """Every round draws a whole tensor; only what was outside takes its new value."""
    low, high = (tensor.new_tensor(bound).item() for bound in (a, b))
    tensor.normal_(mean, std, generator=generator)
    while True:
        outside = (tensor < low) | (tensor > high)
        if not outside.any():
            return tensor
        drawn = empty_like(tensor).normal_(mean, std, generator=generator)
        tensor.copy_(drawn.where(outside, tensor))


def _accepted_uniform(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any) -> Tensor:
    """Candidates until each was accepted once, with probability density / highest density inside."""
    highest = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    pending = None
    while pending is None or pending.any():
        candidates = empty_like(tensor).uniform_(a, b, generator=generator)
        tensor.copy_(candidates if pending is None else candidates.where(pending, tensor))
        log_density = ((candidates - mean) / std).pow(2) * -0.5 - highest
        rejected = empty_like(tensor).uniform_(generator=generator).log() > log_density
        pending = rejected if pending is None else pending & rejected
    return tensor


def constant_(tensor: Tensor, val: float) -> Tensor:
    """``val`` everywhere."""
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Ones everywhere."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Zeros everywhere."""
    with no_grad():
        return tensor.zero_()


def eye_(tensor: Tensor) -> Tensor:
    """Ones on the diagonal of a matrix.

    Raises:
        ValueError: not a matrix.
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    zeros_(tensor)
    with no_grad():
        for i in range(min(tensor.shape)):
            tensor[i, i] = 1
    return tensor


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """A convolution weight that passes as many channels on unchanged as it can.

    Raises:
        ValueError: not 3 to 5 dimensions, or ``groups`` does not divide the output channels.
    """
    if tensor.ndimension() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.shape[0] % groups:
        raise ValueError("dim 0 must be divisible by groups")
    per_group = tensor.shape[0] // groups
    centre = tuple(n // 2 for n in tensor.shape[2:])
    zeros_(tensor)
    with no_grad():
        for group in range(groups):
            for d in range(min(per_group, tensor.shape[1])):
                tensor[(group * per_group + d, d, *centre)] = 1
    return tensor


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Uniform, with variance 2 / (fan in + fan out) (Glorot & Bengio 2010)."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    bound = math.sqrt(3.0) * (gain * math.sqrt(2.0 / float(fan_in + fan_out)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Normal, with variance 2 / (fan in + fan out) (Glorot & Bengio 2010)."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(fan_in + fan_out)), generator)


def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Uniform, with variance gain² / fan (He et al. 2015)."""
    if _is_empty(tensor):
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Normal, with variance gain² / fan (He et al. 2015)."""
    if _is_empty(tensor):
        return tensor
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def _is_empty(tensor: Tensor) -> bool:
    """Whether there is nothing to initialise, of which the caller's caller is warned."""
    empty = 0 in tensor.shape
    if empty:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
    return empty


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    """gain / √fan; ``a`` is the slope below zero of a leaky relu."""
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    """Orthonormal rows or columns (Saxe et al. 2013), from the QR decomposition of normal numbers.

    Raises:
        ValueError: fewer than two dimensions.
    """
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if not tensor.numel():
        return tensor
    rows = tensor.shape[0]
    columns = tensor.numel() // rows
    with no_grad():
        flat = normal_(tensor.new_empty((rows, columns)), 0, 1, generator)
        if rows < columns:
            flat = flat.t()
        q, r = linalg_qr(flat)
        q = q * r.diagonal().sign()
        if rows < columns:
            q = q.t()
        tensor.copy_(q.reshape(tensor.shape))
        tensor.mul_(gain)
    return tensor


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Any = None) -> Tensor:
    """Normal numbers, with a share ``sparsity`` of each column set to zero (Martens 2010).

    Raises:
        ValueError: not a matrix.
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    normal_(tensor, 0, std, generator)
    with no_grad():
        for column in range(columns):
            chosen = TABLES["torch"]["randperm"](rows)[:zeros]
            tensor[chosen, column] = 0
    return tensor


def _deprecated(function: Any) -> Any:
    """The old spelling without underscore."""
    old, new = function.__name__[:-1], function.__name__

    def call(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(f"`nn.init.{old}` is now deprecated in favor of `nn.init.{new}`.", FutureWarning, stacklevel=2)
        return function(*args, **kwargs)

    call.__name__, call.__doc__ = old, f"Deprecated: use `{new}`."
    return call


uniform, normal, constant, eye, dirac = map(_deprecated, (uniform_, normal_, constant_, eye_, dirac_))
xavier_uniform, xavier_normal = _deprecated(xavier_uniform_), _deprecated(xavier_normal_)
kaiming_uniform, kaiming_normal = _deprecated(kaiming_uniform_), _deprecated(kaiming_normal_)
orthogonal, sparse = _deprecated(orthogonal_), _deprecated(sparse_)
