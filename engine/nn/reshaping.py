"""Layers that only rearrange: flatten, fold, pad, shuffle pixels, resize."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from engine.nn import functional as F
from engine.nn.making import OwnNames, renamed, repeated
from engine.nn.module import Module


class Flatten(Module):
    """Joins dimensions ``start_dim`` to ``end_dim``."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Any) -> Any:
        """(N, …) → (N, product)."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """Settings."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Splits a dimension.

    Raises:
        TypeError: a size that is not a tuple of integers.
    """

    def __init__(self, dim: Any, unflattened_size: Any) -> None:
        super().__init__()
        if not isinstance(unflattened_size, tuple | list):
            raise TypeError(
                f"unflattened_size must be a tuple of ints, but found type {type(unflattened_size).__name__}"
            )
        for position, size in enumerate(unflattened_size):
            if not isinstance(size, int):
                raise TypeError(
                    f"unflattened_size must be tuple of ints, but found element of type {type(size).__name__} at pos "
                    f"{position}"
                )
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, input: Any) -> Any:
        """(…, product, …) → (…, *unflattened_size, …)."""
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        """Settings."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


class Fold(Module):
    """Adds columns up into an image."""

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__()
        self.output_size, self.kernel_size = output_size, kernel_size
        self.dilation, self.padding, self.stride = dilation, padding, stride

    def forward(self, input: Any) -> Any:
        """(N, C · K, L) → (N, C, H, W)."""
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """Settings."""
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, dilation={self.dilation}, "
            f"padding={self.padding}, stride={self.stride}"
        )


class Unfold(Module):
    """Sliding windows as columns."""

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self.kernel_size, self.dilation, self.padding, self.stride = kernel_size, dilation, padding, stride

    def forward(self, input: Any) -> Any:
        """(N, C, H, W) → (N, C · K, L)."""
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """Settings."""
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"


class PixelShuffle(Module):
    """Channels to pixels."""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Any) -> Any:
        """(…, C · r², H, W) → (…, C, H · r, W · r)."""
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        """Settings."""
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Pixels to channels."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Any) -> Any:
        """(…, C, H · r, W · r) → (…, C · r², H, W)."""
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        """Settings."""
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """Mixes the groups of channels."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        """Settings."""
        return f"groups={self.groups}"


class Upsample(Module):
    """Resizes (N, C, …)."""

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        self.scale_factor = (
            tuple(float(f) for f in scale_factor)
            if isinstance(scale_factor, tuple)
            else float(scale_factor)
            if scale_factor
            else None
        )
        self.mode, self.align_corners, self.recompute_scale_factor = mode, align_corners, recompute_scale_factor

    def forward(self, input: Any) -> Any:
        """(N, C, …) → (N, C, …)."""
        return F.interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            recompute_scale_factor=self.recompute_scale_factor,
        )

    def extra_repr(self) -> str:
        """Settings."""
        size = f"scale_factor={self.scale_factor!r}" if self.scale_factor is not None else f"size={self.size!r}"
        return f"{size}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Old spelling of `Upsample` with ``nearest``."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Old spelling of `Upsample` with ``bilinear`` and aligned corners."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)


class _Pad(OwnNames, Module):
    """Puts a margin around the last dimensions."""

    _dims: ClassVar[int]
    _mode: ClassVar[str]

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = repeated(padding, 2 * self._dims)

    def forward(self, input: Any) -> Any:
        """Larger by the margins."""
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        """The margins."""
        return f"{self.padding}"


class _ConstantPadNd(_Pad):
    """A margin of one value."""

    _mode = "constant"

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Any) -> Any:
        """Larger by the margins."""
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        """The margins and the value."""
        return f"padding={self.padding}, value={self.value}"


class _ZeroPad(_ConstantPadNd):
    """A margin of zeros."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """The margins."""
        return f"{self.padding}"


class _ReflectionPadNd(_Pad):
    """A margin of what is next to it, mirrored."""

    _mode = "reflect"
    forward = renamed(_Pad.forward, "_ReflectionPadNd.forward")


class _ReplicationPadNd(_Pad):
    """A margin of the outermost value."""

    _mode = "replicate"
    forward = renamed(_Pad.forward, "_ReplicationPadNd.forward")


class _CircularPadNd(_Pad):
    """A margin of what stands at the other end.

    Raises:
        ValueError: for an input of another number of dimensions.
    """

    _mode = "circular"

    def forward(self, input: Any) -> Any:
        """Larger by the margins."""
        if input.dim() not in (self._dims + 1, self._dims + 2):
            raise ValueError(f"expected {self._dims + 1}D or {self._dims + 2}D input (got {input.dim()}D input)")
        return F.pad(input, self.padding, self._mode)


def _by_dims(name: str, base: type[Any], others: Sequence[type[Any]] = ()) -> list[type[Any]]:
    """The classes ``<name>1d``, ``<name>2d`` and ``<name>3d``; each also one of ``others``, if there are any."""
    body = {"__module__": __name__}
    return [
        type(
            f"{name}{d}d",
            (base, *others[d - 1 : d]),
            {**body, "_dims": d, "__doc__": f"{base.__doc__} Over {d} dimensions."},
        )
        for d in (1, 2, 3)
    ]


ConstantPad1d, ConstantPad2d, ConstantPad3d = _by_dims("ConstantPad", _ConstantPadNd)
ZeroPad1d, ZeroPad2d, ZeroPad3d = _by_dims("ZeroPad", _ZeroPad, (ConstantPad1d, ConstantPad2d, ConstantPad3d))
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = _by_dims("ReflectionPad", _ReflectionPadNd)
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = _by_dims("ReplicationPad", _ReplicationPadNd)
CircularPad1d, CircularPad2d, CircularPad3d = _by_dims("CircularPad", _CircularPadNd)
