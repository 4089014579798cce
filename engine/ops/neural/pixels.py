"""Places in an image and the pixels around them: what is read for a place between pixels, and with which weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.neural.resampling import CUBIC

BILINEAR, NEAREST, BICUBIC = range(3)
MODES = {"bilinear": BILINEAR, "nearest": NEAREST, "bicubic": BICUBIC}
ZEROS, BORDER, REFLECTION = range(3)
PADDINGS = {"zeros": ZEROS, "border": BORDER, "reflection": REFLECTION}


def in_pixels(places: Any, size: int, align_corners: bool) -> tuple[Any, float]:
    """From −1 … 1 to pixels, and the factor between them."""
    factor = (size - 1) / 2 if align_corners else size / 2
    return ((places + 1) * factor if align_corners else ((places + 1) * size - 1) / 2), factor


def brought_inside(pixels: Any, size: int, padding: int, align_corners: bool) -> tuple[Any, Any]:
    """Pixels after border or reflection, and the slope of that."""
    slope = np.ones_like(pixels)
    if padding == REFLECTION:
        low, high = (0.0, 2.0 * (size - 1)) if align_corners else (-1.0, 2.0 * size - 1)
        low, span = low / 2, (high - low) / 2
        if span == 0:
            return np.zeros_like(pixels), np.zeros_like(pixels)
        shifted = pixels - low
        slope = np.where(shifted < 0, -1.0, 1.0)
        shifted = np.abs(shifted)
        extra, flips = np.fmod(shifted, span), np.floor(shifted / span).astype(np.int64)
        even = flips % 2 == 0
        pixels = np.where(even, extra + low, span - extra + low)
        slope = np.where(even, slope, -slope)
    if padding in (BORDER, REFLECTION):
        slope = np.where((pixels <= 0) | (pixels >= size - 1), 0, slope)
        pixels = np.clip(pixels, 0, size - 1)
    return pixels, slope


OFFSETS = (-1, 0, 1, 2)
"""Where the four nearest pixels stand, seen from the one below a place."""


def cubic_weights(part: Any) -> list[Any]:
    """Weights of the four nearest pixels at distance ``part`` from the second; of arrays or in recorded operators."""
    weights = []
    for offset in OFFSETS:
        x = abs(part - offset)
        if offset in (0, 1):
            weights.append(((CUBIC + 2) * x - (CUBIC + 3)) * x * x + 1)
        else:
            weights.append(((CUBIC * x - 5 * CUBIC) * x + 8 * CUBIC) * x - 4 * CUBIC)
    return weights


def cubic_slopes(part: Any) -> list[Any]:
    """The slopes of `cubic_weights`, of arrays."""
    slopes = []
    for offset in OFFSETS:
        x, sign = np.abs(part - offset), np.where(part - offset < 0, -1.0, 1.0)
        if offset in (0, 1):
            slopes.append((3 * (CUBIC + 2) * x - 2 * (CUBIC + 3)) * x * sign)
        else:
            slopes.append(((3 * CUBIC * x - 10 * CUBIC) * x + 8 * CUBIC) * sign)
    return slopes


def pixel_number(place: Any, size: int) -> Any:
    """The number of the pixel at a place; −1 outside, and where there is no such place."""
    safe = np.nan_to_num(place, nan=-1, posinf=-1, neginf=-1)
    return np.where((safe >= 0) & (safe < size), safe, -1).astype(np.int64)


def product(factors: list[Any]) -> Any:
    """All factors multiplied."""
    total = factors[0]
    for factor in factors[1:]:
        total = total * factor
    return total
