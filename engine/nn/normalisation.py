"""Normalisation layers."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np

from engine.nn import functional as F
from engine.nn import init
from engine.nn.making import OwnInit, add_parameter, count, empty
from engine.nn.module import Module
from engine.tensor import wrap


def reset_affine(module: Module) -> None:
    """Scale 1, shift 0, of a layer that may lack them."""
    if module.weight is not None:
        init.ones_(module.weight)
    if module.bias is not None:
        init.zeros_(module.bias)


class _NormBase(Module):
    """What batch and instance normalisation share: scale, shift, running statistics."""

    _version = 2
    dims: ClassVar[tuple[int, ...]]
    """Numbers of input dimensions that are allowed."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        add_parameter(self, "weight", (num_features,) if affine else None, dtype, device)
        add_parameter(self, "bias", (num_features,) if affine and bias else None, dtype, device)
        for name in ("running_mean", "running_var"):
            made = empty(num_features, dtype=dtype, device=device) if track_running_stats else None
            self.register_buffer(name, made)
        self.register_buffer("num_batches_tracked", count(device) if track_running_stats else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Mean 0, variance 1, no batches seen."""
        if self.track_running_stats:
            init.zeros_(self.running_mean)
            init.ones_(self.running_var)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Scale 1, shift 0."""
        self.reset_running_stats()
        reset_affine(self)

    def _check_input_dim(self, input: Any) -> None:
        """Raises ValueError: a wrong number of dimensions."""
        if input.dim() not in self.dims:
            allowed = " or ".join(f"{d}D" for d in self.dims)
            raise ValueError(f"expected {allowed} input (got {input.dim()}D input)")

    def extra_repr(self) -> str:
        """Settings."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


_NormBase.__init__.__qualname__ = "_BatchNorm.__init__"  # Python's errors say it, and only those classes inherit it


class _BatchNorm(_NormBase):
    """Each channel by its mean and variance over the batch."""

    def forward(self, input: Any) -> Any:
        """Same shape."""
        self._check_input_dim(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                momentum = 1.0 / float(self.num_batches_tracked)
        uses_batch = self.training or (self.running_mean is None and self.running_var is None)
        keeps = not self.training or self.track_running_stats
        return F.batch_norm(
            input,
            self.running_mean if keeps else None,
            self.running_var if keeps else None,
            self.weight,
            self.bias,
            uses_batch,
            momentum,
            self.eps,
        )

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: Any, *rest: Any) -> None:
        """States saved before batches were counted lack the count."""
        version = local_metadata.get("version")
        key = prefix + "num_batches_tracked"
        if (version is None or version < 2) and self.track_running_stats and key not in state_dict:
            state_dict[key] = (
                wrap(np.array(0, np.int64)) if self.num_batches_tracked is None else self.num_batches_tracked
            )
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)


class BatchNorm1d(_BatchNorm):
    """Over (N, C) or (N, C, L)."""

    dims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Over (N, C, H, W)."""

    dims = (4,)


class BatchNorm3d(_BatchNorm):
    """Over (N, C, D, H, W)."""

    dims = (5,)


class SyncBatchNorm(_BatchNorm):
    """Batch normalisation across processes: here there is one."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input: Any) -> None:
        """Raises ValueError: a wrong number of dimensions, or no channel."""
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")
        if input.size(1) == 0:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """The module with every batch normalisation in it replaced by one of this class that holds the same tensors."""
        converted = module
        if isinstance(module, _BatchNorm):
            converted = SyncBatchNorm(
                module.num_features,
                module.eps,
                module.momentum,
                module.affine,
                module.track_running_stats,
                process_group,
                bias=module.bias is not None,
            )
            if module.affine:
                converted.weight, converted.bias = module.weight, module.bias
            converted.running_mean, converted.running_var = module.running_mean, module.running_var
            converted.num_batches_tracked, converted.training = module.num_batches_tracked, module.training
        for name, child in module.named_children():
            converted.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return converted


class _InstanceNorm(_NormBase):
    """Each channel of each sample by its own mean and variance."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _normalise(self, input: Any) -> Any:
        return F.instance_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )

    def forward(self, input: Any) -> Any:
        """Same shape; a single sample needs no batch dimension."""
        self._check_input_dim(input)
        self._check_channels(input)
        if input.dim() == self.dims[0]:
            return self._normalise(input.unsqueeze(0)).squeeze(0)
        return self._normalise(input)

    def _check_channels(self, input: Any) -> None:
        """Raises ValueError: another number of channels than the layer learns for; warns where it learns nothing."""
        place = input.dim() - self.dims[0]
        channels = input.size(place)
        if channels == self.num_features:
            return
        if self.affine:
            raise ValueError(
                f"expected input's size at dim={place} to match num_features ({self.num_features}), but got: {channels}."
            )
        warnings.warn(f"input's size at dim={place} does not match num_features ({self.num_features}).", stacklevel=3)


class InstanceNorm1d(_InstanceNorm):
    """Over (N, C, L) or (C, L)."""

    dims = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Over (N, C, H, W) or (C, H, W)."""

    dims = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Over (N, C, D, H, W) or (C, D, H, W)."""

    dims = (4, 5)


class LayerNorm(Module):
    """Each sample by mean and variance over its last dimensions."""

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        add_parameter(self, "weight", self.normalized_shape if elementwise_affine else None, dtype, device)
        add_parameter(self, "bias", self.normalized_shape if elementwise_affine and bias else None, dtype, device)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Scale 1, shift 0."""
        reset_affine(self)

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Settings."""
        affine, bias = self.elementwise_affine, self.bias is not None
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={affine}, bias={bias}"


class RMSNorm(Module):
    """Each sample by the root mean square over its last dimensions."""

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        add_parameter(self, "weight", self.normalized_shape if elementwise_affine else None, dtype, device)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Scale 1."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, x: Any) -> Any:
        """Same shape."""
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """Settings."""
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(Module):
    """Each sample by mean and variance over groups of channels.

    Raises:
        ValueError: the groups do not divide the channels.
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        add_parameter(self, "weight", (num_channels,) if affine else None, dtype, device)
        add_parameter(self, "bias", (num_channels,) if affine and bias else None, dtype, device)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Scale 1, shift 0."""
        reset_affine(self)

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Settings."""
        bias = self.bias is not None
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, bias={bias}"


class _ResponseNorm(OwnInit, Module):
    """Each channel by the energy of its neighbours."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        """Settings."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class LocalResponseNorm(_ResponseNorm):
    """Over (N, C, …)."""


class CrossMapLRN2d(_ResponseNorm):
    """Old spelling of `LocalResponseNorm`."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__(size, alpha, beta, k)
