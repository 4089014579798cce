"""Operators whose kernels PyTorch compiles for fewer dtypes than numpy calculates with: numpy would answer all the same.

The names of kernels are PyTorch's own, since its errors say them. ``tests/oracle/lines/refused_dtypes.txt`` holds some of its answers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from engine.dtype_names import scalar_type

POLYNOMIALS = " ".join(
    f"special_{kind}"
    for kind in (
        "chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v", "chebyshev_polynomial_w",
        "hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p",
        "shifted_chebyshev_polynomial_t", "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_v",
        "shifted_chebyshev_polynomial_w",
    )
)  # fmt: skip
ONLY_SINGLE_AND_DOUBLE = (
    "airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 "
    "scaled_modified_bessel_k0 scaled_modified_bessel_k1 spherical_bessel_j0 special_erfcx special_log_ndtr special_ndtri "
    f"special_zeta {POLYNOMIALS}"
)
ONLY_FLOATING = (
    "adaptive_avg_pool2d:adaptive_avg_pool2d adaptive_avg_pool3d:adaptive_avg_pool3d_cpu adaptive_max_pool2d:adaptive_max_pool2d "
    "adaptive_max_pool3d:adaptive_max_pool3d_cpu max_unpool2d:max_unpool2d max_unpool3d:max_unpool3d "
    "grid_sampler_2d:grid_sampler_2d_cpu_kernel_impl grid_sampler_3d:grid_sampler3d_cpu "
    "multi_margin_loss:multi_margin_loss_cpu_kernel "
    "multilabel_margin_loss:multilabel_margin_loss_forward_out_frame _prelu_kernel:prelu_cpu "
    "rrelu_with_noise:rrelu_with_noise_out_cpu histogram:histogramdd"
)
"""Lacking for complex numbers, booleans and whole numbers."""
NO_LOGIC_NOR_COMPLEX = (
    "avg_pool2d_windows:avg_pool2d avg_pool3d_windows:avg_pool3d_out_frame max_pool2d_with_indices:max_pool2d "
    "max_pool3d_with_indices:max_pool3d threshold bucketize:searchsorted_out_cpu index_reduce:index_func_"
)
NOT_WHOLE = "hypot igamma igammac logaddexp logaddexp2 nextafter"
LACKING = {
    "c": f"{ONLY_SINGLE_AND_DOUBLE} atan2 copysign digamma:digamma erf:erf_vml_cpu erfc:erfc_vml_cpu erfinv:erfinv_vml_cpu "
    "floor_divide:div_floor_cpu fmod remainder frac hardshrink hypot i0:i0_vml_cpu igamma igammac lgamma:lgamma_vml_cpu logaddexp2 "
    "logit mode nextafter round:round_vml_cpu searchsorted:searchsorted_out_cpu elu:elu_cpu celu:elu_cpu hardswish leaky_relu mish "
    "softplus softshrink:softshrink_check huber_loss:huber_cpu mse_loss:mse_cpu smooth_l1_loss:smooth_l1_cpu aminmax "
    "binary_cross_entropy:binary_cross_entropy log_sigmoid xlogy special_entr special_i0e special_i1 special_i1e special_xlog1py "
    f"{ONLY_FLOATING} {NO_LOGIC_NOR_COMPLEX} fractional_max_pool2d:fractional_max_pool2d_out_frame "
    "fractional_max_pool3d:fractional_max_pool3d_out_frame nll_loss_forward:nll_loss_out_frame clamp_max:minimum_cpu "
    "clamp_min:maximum_cpu "
    "hardsigmoid glu threshold rrelu_with_noise:leaky_relu_cpu histc:aminmax_cpu bucketize:searchsorted_out_cpu "
    "_unique2:unique unique_consecutive:unique unique_dim:unique_dim unique_dim_consecutive:unique_dim index_reduce:index_func_ "
    "max_pool2d_with_indices:max_pool2d max_pool3d_with_indices:max_pool3d avg_pool2d_windows:avg_pool2d "
    "avg_pool3d_windows:avg_pool3d_out_frame adaptive_avg_pool2d:adaptive_avg_pool2d adaptive_avg_pool3d "
    "adaptive_max_pool2d:adaptive_max_pool2d adaptive_max_pool3d upsample_nearest1d:compute_indices_weights_nearest "
    "upsample_nearest2d:upsample_nearest2d_channels_last upsample_nearest3d:compute_indices_weights_nearest "
    "upsample_linear1d:compute_indices_weights_linear upsample_bilinear2d:upsample_bilinear2d_channels_last "
    "upsample_bicubic2d:compute_indices_weights_cubic upsample_trilinear3d:compute_indices_weights_linear "
    "grid_sampler_2d:grid_sampler_2d_cpu_kernel_impl "
    "_scaled_dot_product_flash_attention_for_cpu:softmax_lastdim_kernel_impl",
    "f2": ONLY_SINGLE_AND_DOUBLE,
    "b": f"{NOT_WHOLE} {ONLY_FLOATING} {NO_LOGIC_NOR_COMPLEX} floor_divide:div_floor_cpu fmod remainder "
    "searchsorted:searchsorted_out_cpu addcmul:addcmul_cpu_out cross:cross householder_product:orgqr_cpu ormqr:ormqr_cpu",
    "i": f"{NOT_WHOLE} {ONLY_FLOATING} im2col:im2col_out_cpu col2im:col2im_out_cpu householder_product:orgqr_cpu ormqr:ormqr_cpu",
}
"""By kind of dtype (complex, half precision, bool, whole numbers): operators, with the kernel's name where it is another."""
SENTENCES = {
    "fmax": "fmax not implemented for complex tensors.",
    "fmin": "fmin not implemented for complex tensors.",
    "deg2rad": "deg2rad is not supported for complex tensors.",
    "rad2deg": "rad2deg is not supported for complex tensors.",
    "heaviside": "heaviside is not yet implemented for complex tensors.",
    "isneginf": "isneginf does not support complex inputs.",
    "isposinf": "isposinf does not support complex inputs.",
}
"""What some say of complex numbers, before they look for a kernel."""


@functools.cache
def lacking() -> dict[str, dict[str, str]]:
    """Kernels by operator and kind of dtype."""
    found: dict[str, dict[str, str]] = {}
    for kind, operators in LACKING.items():
        for name, _, kernel in (entry.partition(":") for entry in operators.split()):
            found.setdefault(name, {})[kind] = kernel or f"{name.removeprefix('special_')}_cpu"
    return found


def kind_of(dtype: np.dtype[Any]) -> str:
    """The key of `LACKING`; other floating dtypes have none there."""
    if dtype.kind == "u":
        return "i"
    return "f2" if dtype.itemsize == 2 and dtype.kind in "fV" else dtype.kind


def refusing(name: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel of the operator ``name``, which refuses what PyTorch's has not been compiled for.

    The kernel's first array decides, to whose dtype the others have been brought.
    """
    kernels, sentence = lacking().get(name), SENTENCES.get(name)
    if kernels is None and sentence is None:
        return kernel
    kinds = dict(kernels or {})

    def call(self: Any, *rest: Any) -> Any:
        typed = self if hasattr(self, "dtype") else rest[0]
        kind = kind_of(typed.dtype)
        if kind in kinds:
            raise NotImplementedError(f"\"{kinds[kind]}\" not implemented for '{scalar_type(typed)}'")
        if kind == "c" and sentence is not None:
            raise RuntimeError(sentence)
        return kernel(self, *rest)

    return call
