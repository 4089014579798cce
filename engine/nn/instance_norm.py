"""Instance normalisation: each sample alone, with or without a batch dimension."""

from __future__ import annotations

import warnings
from typing import Any

from engine.nn import functional as F
from engine.nn.batch_norm import _NormBase


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
        if input.dim() == self._dims[0]:
            return self._normalise(input.unsqueeze(0)).squeeze(0)
        return self._normalise(input)

    def _check_channels(self, input: Any) -> None:
        """Raises ValueError: another number of channels than the layer learns for; warns where it learns nothing."""
        place = input.dim() - self._dims[0]
        channels = input.size(place)
        if channels == self.num_features:
            return
        if self.affine:
            raise ValueError(
                f"expected input's size at dim={place} to match num_features ({self.num_features}), but got: {channels}."
            )
        warnings.warn(
            f"input's size at dim={place} does not match num_features. You can silence this warning by not passing in num_features, "
            "which is not used because affine=False",
            stacklevel=3,
        )


class InstanceNorm1d(_InstanceNorm):
    """Over (N, C, L) or (C, L)."""

    _dims = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Over (N, C, H, W) or (C, H, W)."""

    _dims = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Over (N, C, D, H, W) or (C, D, H, W)."""

    _dims = (4, 5)
