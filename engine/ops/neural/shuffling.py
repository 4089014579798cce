"""Moving elements between channels and pixels, and channels among themselves."""

from __future__ import annotations

from typing import Any

from engine.ops.core.declare import operator


@operator(
    at="torch functional",
    order="images",
    formula="channels to pixels",
    self=lambda grad, upscale_factor: pixel_unshuffle(grad, upscale_factor),
    saves="upscale_factor",
)
def pixel_shuffle(self: Any, upscale_factor: int) -> Any:
    """Moves channels into an r times finer grid; each gradient goes back to where its element was.

    Raises:
        RuntimeError: no image, or channels that the factor's square does not divide.
    """
    r = upscale_factor
    if self.ndim < 3:
        raise RuntimeError(
            f"pixel_shuffle expects input to have at least 3 dimensions, but got input with {self.ndim} dimension(s)"
        )
    if r <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {r}")
    *lead, channels, height, width = self.shape
    if channels % (r * r):
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={channels} is not divisible by {r * r}"
        )
    n = len(lead)
    split = self.reshape(*lead, channels // (r * r), r, r, height, width)
    order = (*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return split.transpose(order).reshape(*lead, channels // (r * r), height * r, width * r)


@operator(
    at="torch functional",
    formula="pixels to channels",
    self=lambda grad, downscale_factor: pixel_shuffle(grad, downscale_factor),
    saves="downscale_factor",
)
def pixel_unshuffle(self: Any, downscale_factor: int) -> Any:
    """Moves each r × r block into channels; each gradient goes back to where its element was.

    Raises:
        RuntimeError: no image, or sizes that the factor does not divide.
    """
    r = downscale_factor
    if self.ndim < 3:
        raise RuntimeError(
            f"pixel_unshuffle expects input to have at least 3 dimensions, but got input with {self.ndim} dimension(s)"
        )
    if r <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
    *lead, channels, height, width = self.shape
    for name, size, index in (("height", height, -2), ("width", width, -1)):
        if size % r:
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({index})={size} "
                f"is not divisible by {r}"
            )
    n = len(lead)
    split = self.reshape(*lead, channels, height // r, r, width // r, r)
    order = (*range(n), n, n + 2, n + 4, n + 1, n + 3)
    return split.transpose(order).reshape(*lead, channels * r * r, height // r, width // r)


@operator(
    at="torch functional",
    formula="groups of channels, mixed",
    saves="groups",
    self=lambda grad, self_shape, groups: channel_shuffle(grad, self_shape[1] // groups),
    aliases="native_channel_shuffle",
)
def channel_shuffle(self: Any, groups: int) -> Any:
    """Deals the channels of each group out in turn; each gradient goes back to where its element was.

    Raises:
        RuntimeError: no image, or channels that the groups do not divide.
    """
    if self.ndim < 3:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(self.shape)}")
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if self.shape[1] % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {self.shape[1]} channels and {groups} groups."
        )
    split = self.reshape(self.shape[0], groups, self.shape[1] // groups, *self.shape[2:])
    return split.swapaxes(1, 2).reshape(self.shape)
