"""Batch normalisation, and what instance normalisation shares with it: running statistics."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from engine.nn import functional as F
from engine.nn import init
from engine.nn.making import add_parameter, count, empty
from engine.nn.module import Module
from engine.nn.normalisation import reset_affine
from engine.tensor import wrap


class _NormBase(Module):
    """What batch and instance normalisation share: scale, shift, running statistics."""

    _version = 2
    _dims: ClassVar[tuple[int, ...]]
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
        if input.dim() not in self._dims:
            allowed = " or ".join(f"{d}D" for d in self._dims)
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

    _dims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Over (N, C, H, W)."""

    _dims = (4,)


class BatchNorm3d(_BatchNorm):
    """Over (N, C, D, H, W)."""

    _dims = (5,)


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
