"""Instance normalisation: statistics per channel and sample."""

from __future__ import annotations

import math

from engine.dtype_names import SCALAR_TYPE
from engine.ops.core.declare import composite
from engine.ops.neural.batch_norm import normalise_batch
from engine.storage import materialise
from engine.tensor import Tensor


@composite(at="functional")
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """(N, C, …) normalised per channel and sample: batch norm of one batch with N · C channels.

    Raises:
        ValueError: one spatial element, or one of the two running statistics.
        RuntimeError: neither statistics of the input nor running ones, or variances of another dtype than input and means.
    """
    if use_input_stats and math.prod(input.shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.shape}")
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    if (running_mean is None) is not (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    if (
        running_mean is not None
        and running_var is not None
        and running_mean.dtype is input.dtype is not running_var.dtype
    ):
        named = (SCALAR_TYPE[tensor.dtype.name] for tensor in (input, running_var))
        raise RuntimeError("expected scalar type {} but found {}".format(*named))
    batch, channels = input.shape[:2]

    def repeated(tensor: Tensor | None) -> Tensor | None:
        return None if tensor is None else tensor.repeat(batch)

    means, variances = (
        None if running is None else repeated(running.to(input.dtype)) for running in (running_mean, running_var)
    )
    seen = input.contiguous().view(1, batch * channels, *input.shape[2:])
    result = normalise_batch(seen, repeated(weight), repeated(bias), means, variances, use_input_stats, momentum, eps)
    if use_input_stats:
        for running, values in ((running_mean, means), (running_var, variances)):
            if running is not None and values is not None:
                materialise(running)[...] = values._array.reshape(batch, channels).mean(0)
    return result.view(input.shape)


@composite(at="torch", name="instance_norm")
def torch_instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool = False,
) -> Tensor:
    """Instance normalisation with the arguments in ATen's order."""
    return instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)
