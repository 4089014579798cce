"""Resizing as people call it: a size or a factor, and one of the modes nearest, linear, bilinear, trilinear, bicubic, area.

Every mode is a weighted sum along each dimension, so one small matrix per dimension says all (`engine.ops.neural.resampling`);
the gradient goes back through the same matrices, transposed.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite, operator
from engine.ops.core.refused_dtypes import floats_only
from engine.ops.neural.resampling import along, cubic_matrix, linear_matrix, nearest_matrix, smooth_matrix
from engine.ops.neural.resizing import SPELLED
from engine.ops.neural.whole_sizes import whole_sizes
from engine.ops.neural.windows import Sizes
from engine.tensor import Tensor

Matrix = Callable[[int, int, Any, bool], np.ndarray]


def upsampling(name: str, dims: int, matrix: Matrix, has_corners: bool) -> Any:
    """Declares one ``upsample_…`` operator with its gradient."""
    scales = {1: "scales", 2: "scales_h scales_w", 3: "scales_d scales_h scales_w"}[dims]
    saved = f"{'align_corners ' if has_corners else ''}output_size {scales}"

    def matrices(sizes: Sizes, out: Sizes, corners: bool, factors: Any) -> list[np.ndarray]:
        return [matrix(n, o, f, corners) for n, o, f in zip(sizes, out, factors, strict=True)]

    def explained(self: Any, output_size: Any, align_corners: bool, *factors: Any) -> Any:
        check_resize(self.shape, output_size, dims)
        return along(self, matrices(self.shape[2:], tuple(output_size), align_corners, factors))

    def spread(grad_output: Any, shape: Any, output_size: Any, align_corners: bool, *factors: Any) -> Any:
        steps = matrices(tuple(shape)[2:], tuple(output_size), align_corners, factors)
        return along(grad_output, [m.T for m in steps])

    spelled = SPELLED[dims](
        explained, spread, lambda *arguments: back(*arguments), lambda *arguments: forward(*arguments)
    )
    back = operator(
        order="images",
        at="internal",
        name=f"{name}_backward",
        saves=saved,
        grad_output=spelled.again[has_corners],
    )(spelled.backward)
    forward = operator(
        at="internal",
        order="images",
        name=name,
        formula="Σ weight · x",
        saves=f"{saved} self_sym_sizes",
        self=spelled.slope[has_corners],
    )(spelled.forward)
    return forward


def by_letter(sizes: Any) -> str:
    """``H: 4, W: 4``."""
    return ", ".join(f"{letter}: {size}" for letter, size in zip("DHW"[-len(sizes) :], sizes, strict=True))


def check_resize(shape: Sizes, output_size: Any, dims: int) -> None:
    """Raises RuntimeError: nothing to resize, or nothing to come out."""
    if min(output_size) <= 0 or min(shape[2:]) <= 0:
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input ({by_letter(shape[2:])}) "
            f"{'and ' * (dims == 1)}output ({by_letter(output_size)})"
        )


NEAREST = {
    d: upsampling(f"upsample_nearest{d}d", d, lambda n, o, f, _: nearest_matrix(n, o, f, False), False)
    for d in (1, 2, 3)
}
NEAREST_EXACT = {
    d: upsampling(f"_upsample_nearest_exact{d}d", d, lambda n, o, f, _: nearest_matrix(n, o, f, True), False)
    for d in (1, 2, 3)
}
LINEAR = {
    d: upsampling(f"upsample_{name}{d}d", d, linear_matrix, True)
    for d, name in ((1, "linear"), (2, "bilinear"), (3, "trilinear"))
}
BICUBIC = upsampling("upsample_bicubic2d", 2, cubic_matrix, True)
BILINEAR_SMOOTH = upsampling("_upsample_bilinear2d_aa", 2, lambda n, o, f, c: smooth_matrix(n, o, f, c, False), True)
BICUBIC_SMOOTH = upsampling("_upsample_bicubic2d_aa", 2, lambda n, o, f, c: smooth_matrix(n, o, f, c, True), True)
CORNERED = {("linear", 1): LINEAR[1], ("bilinear", 2): LINEAR[2], ("trilinear", 3): LINEAR[3], ("bicubic", 2): BICUBIC}


def no_overload(mode: str, dims: int, size: type | None, factors: type | None) -> str:
    """What PyTorch says when it tries what it calls for a mode, once with sizes and once with factors, and neither fits."""
    function = f"upsample_{mode}{dims}d" if mode != "nearest-exact" else f"_upsample_nearest_exact{dims}d"
    given = [size, *((bool,) if "nearest" not in mode else ()), factors]
    kinds = ", ".join("NoneType" if kind is None else kind.__name__ for kind in given)
    return f"{function}() received an invalid combination of arguments - got (Tensor, {kinds})"


def resolved(
    input: Tensor, size: Any, scale_factor: Any, recompute: bool | None, mode: str
) -> tuple[Sizes, tuple[float | None, ...]]:
    """Output size per dimension, and the scales to compute with (None: from the sizes).

    Raises:
        TypeError: sizes that are no whole numbers, or factors that are no numbers.
        ValueError: neither or both of size and factor, or a wrong number of them.
    """
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    spatial = tuple(input.shape[2:])
    if size is not None:
        return given_sizes(spatial, size, mode), (None,) * len(spatial)
    factors = given_factors(spatial, scale_factor, mode)
    out = tuple(math.floor(float(n) * f) for n, f in zip(spatial, factors, strict=True))
    return out, (None,) * len(spatial) if recompute else factors


def given_sizes(spatial: Sizes, size: Any, mode: str) -> Sizes:
    """One size per spatial dimension.

    Raises:
        TypeError: sizes that are no whole numbers.
        ValueError: a wrong number of them.
    """
    dims = len(spatial)
    if isinstance(size, list | tuple):
        if len(size) != dims:
            raise ValueError(
                "Input and output must have the same number of spatial dimensions, but got input with spatial "
                f"dimensions of {list(spatial)} and output size of {size}. "
                "Please provide input tensor in (N, C, d1, d2, ...,dK) format and output size in (o1, o2, "
                "...,oK) format."
            )
        if not all(isinstance(n, int | np.integer | Tensor) for n in size):
            raise TypeError(
                "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got "
                f"size with types {[type(n) for n in size]}"
            )
    sizes = list(size) if isinstance(size, list | tuple) else [size] * dims
    if mode == "area":
        return whole_sizes(sizes, dims, f"adaptive_avg_pool{dims}d", "output_size", 2)
    try:
        return whole_sizes(sizes, dims, mode, "output_size", 2)
    except TypeError:
        raise TypeError(no_overload(mode, dims, type(size) if isinstance(size, tuple) else list, None)) from None


def given_factors(spatial: Sizes, scale_factor: Any, mode: str) -> tuple[float, ...]:
    """One factor per spatial dimension.

    Raises:
        TypeError: factors that are no numbers.
        ValueError: a wrong number of them.
    """
    dims = len(spatial)
    if isinstance(scale_factor, list | tuple):
        if len(scale_factor) != dims:
            raise ValueError(
                "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial "
                f"dimensions of {list(spatial)} and scale_factor of shape {scale_factor}. "
                "Please provide input tensor in (N, C, d1, d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) "
                "format."
            )
        factors = tuple(scale_factor)
    else:
        factors = (scale_factor,) * dims
    if not all(isinstance(factor, int | float | np.number | Tensor) for factor in factors):
        raise TypeError(no_overload(mode, dims, None, type(scale_factor) if isinstance(scale_factor, tuple) else list))
    return tuple(float(factor) for factor in factors)


@composite(at="functional")
def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Resizes the spatial dimensions of (N, C, …) to a size, or by a factor.

    Raises:
        ValueError: settings that do not go together.
        NotImplementedError: a mode for another number of dimensions.
    """
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise ValueError(
                "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | "
                "trilinear"
            )
    elif align_corners is None:
        align_corners = False
    dims = input.ndim - 2
    if recompute_scale_factor and size is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    out, factors = resolved(input, size, scale_factor, recompute_scale_factor, mode)
    if antialias and not (mode in ("bilinear", "bicubic") and input.ndim == 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D tensor as input"
        )
    if mode in WEIGHTS and ((mode, dims) in CORNERED or dims in NEAREST) and input._array.dtype.kind in "bi":
        floats_only(input._array, f"compute_indices_weights_{WEIGHTS[mode]}")
    if mode in ("nearest", "nearest-exact") and dims in NEAREST:
        return (NEAREST if mode == "nearest" else NEAREST_EXACT)[dims](input, out, False, *factors)
    if mode == "area" and dims in (1, 2, 3):
        return TABLES["functional"][f"adaptive_avg_pool{dims}d"](input, out)
    if antialias:
        return (BILINEAR_SMOOTH if mode == "bilinear" else BICUBIC_SMOOTH)(input, out, align_corners, *factors)
    if (mode, dims) in CORNERED:
        return CORNERED[mode, dims](input, out, align_corners, *factors)
    needs = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}
    if mode in needs and 3 <= input.ndim <= 5:
        raise NotImplementedError(f"Got {input.ndim}D input, but {mode} mode needs {needs[mode]}D input")
    raise NotImplementedError(
        "Input Error: Only 3D, 4D and 5D input Tensors supported "
        f"(got {input.ndim}D) for the modes: nearest | linear | bilinear | bicubic | trilinear | lanczos | "
        f"area | nearest-exact (got {mode})"
    )


WEIGHTS = dict.fromkeys(("linear", "bilinear", "trilinear"), "linear") | {
    "bicubic": "cubic", "nearest": "nearest", "nearest-exact": "nearest",
}  # fmt: skip
"""PyTorch's kernels by mode."""


@composite(at="functional")
def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Tensor:
    """Old spelling of `interpolate`."""
    warnings.warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=3)
    return interpolate(input, size, scale_factor, mode, align_corners)


@composite(at="functional")
def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Old spelling of `interpolate` with ``nearest``."""
    warnings.warn(
        "`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=3
    )
    return interpolate(input, size, scale_factor, mode="nearest")


@composite(at="functional")
def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Old spelling of `interpolate` with ``bilinear`` and aligned corners."""
    warnings.warn(
        "`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=3
    )
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)
