"""Operators whose derivatives are not told as a formula with numbers in, each with the reason: `tests` hold the list to be all."""

from __future__ import annotations

from engine.trace.derivatives.readings import INTERPOLATIONS

_FACTORS = "the factors' gradients mix with each other: a page, not a line"
UNREAD: dict[str, str] = {
    **dict.fromkeys(
        ("linalg_qr", "linalg_lu", "linalg_lu_factor_ex", "lu_unpack", "lu_solve", "linalg_lstsq", "linalg_eig",
         "householder_product", "ormqr", "cholesky_solve"),
        _FACTORS,
    ),
    "matrix_exp": "the exponential of a matrix of twice the size",
    "renorm": "a row that is too long is shortened by its own length",
    "segment_reduce": "each stretch sends to its own elements",
    "_ctc_loss": "sums over all alignments",
    "_test_warn_in_autograd": "the test of warnings that PyTorch ships",
    "multi_margin_loss": "counts the margins that are missed",
    "multilabel_margin_loss": "counts the margins that are missed",
    "grid_sampler_2d": "where to look has a slope by pieces between the pixels",
    "grid_sampler_3d": "where to look has a slope by pieces between the voxels",
    "mkldnn_rnn_layer": "a whole LSTM in one kernel",
    "_prelu_kernel_backward": "three gradients of a gradient",
    **dict.fromkeys(
        ("convolution_backward", "native_batch_norm_backward", "native_layer_norm_backward", "grid_sampler_2d_backward",
         "grid_sampler_3d_backward"),
        "three gradients of a gradient",
    ),
    "_weight_norm_interface": "what turns a direction and what stretches it, added up by direction",
    "_sparse_mm_reduce_impl": "which products count, and how much, goes by the reduction",
    "glu_backward": "the slope of one half depends on the other",
    "_pack_padded_sequence": "rows sorted by length, cut where their sequences end",
    "_standard_gamma": "an implicit derivative of the sampler",
    "_sample_dirichlet": "an implicit derivative of the sampler",
    "_unsafe_masked_index": "internal to compiled graphs",
    "_unsafe_masked_index_put_accumulate": "internal to compiled graphs",
}  # fmt: skip
"""Operators some of whose derivatives no short formula tells, and why: their steps give values and the explanation."""

_MANY = "works on three dimensions or more, and no sentence spells so many numbers"
_PAIRS = "adds up over every pair of rows"
_ADJOINT = "the transform backwards, written by its name: its numbers would be a matrix of their own"
UNCOUNTED: dict[str, str] = {
    **dict.fromkeys(
        ("convolution", "convolution_input_gradient", "convolution_weight_gradient", "native_group_norm", "im2col", "col2im",
         "affine_grid_generator", "affine_grid_backward", "grid_sampler_2d", "grid_sampler_3d", "_trilinear", "nll_loss2d_backward",
         "_scaled_dot_product_flash_attention_for_cpu", "_prelu_kernel_backward",
         *(f"{kind}_pad{n}d{part}" for kind in ("reflection", "replication") for n in (1, 2, 3) for part in ("", "_backward")),
         *(f"{name}{part}" for name in INTERPOLATIONS for part in ("", "_backward")),
         *(f"avg_pool{n}d_{part}" for n in (2, 3) for part in ("windows", "backward")),
         *(f"adaptive_avg_pool{n}d{part}" for n in (2, 3) for part in ("", "_backward"))),
        _MANY,
    ),
    **dict.fromkeys(("_cdist_forward", "_pdist_forward"), _PAIRS),
    **dict.fromkeys(("_fft_r2c", "_fft_c2r", "_fft_c2c"), _ADJOINT),
    **dict.fromkeys(
        ("_to_dense", "_sparse_addmm", "_sparse_log_softmax"), "is what stands at the stored places: which they are no formula tells"
    ),
    "_embedding_bag": "adds up over the rows of every bag",
    "_linalg_svd": "numbers only where the singular values alone are used",
    "triangular_solve": "numbers only where the solution alone is used",
}  # fmt: skip
"""Operators with a formula for some derivative that never holds numbers in these tests' calls, and why."""
