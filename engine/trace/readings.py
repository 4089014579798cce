"""Derivatives told as mathematics where the code that computes them is a kernel.

Most derivatives are expressions, and their own text is what is shown (`engine.trace.derivatives`). A kernel's text says
nothing to a reader, so these are read instead: in the same language, with a few words more (`engine.trace.formula.moves`)
for gradients that are only put somewhere: ``placed``, ``part``, ``erased``. A string stands for itself. They hold away
from points where a function switches; with numbers in they are told only where they give what was computed, and
`tests/engine/trace/test_readings.py` holds all of them against it.
"""

from __future__ import annotations

BY_HELPER = {
    "base_backward": "lambda grad, x, n: power_backward(grad, x, n)",
    "exponent_backward": "lambda grad, x, n, y: grad * y * x.log()",
    "product_backward": "lambda grad, x, y, dim, keepdim: grad * y / x",
    "mean_backward": "lambda grad, shape, dim, keepdim: grad / averaged_numel",
    "norm_backward": "lambda grad, x, p, y, dim, keepdim: "
    "grad * x / y if p is None or p == 2 else grad * x.sgn() if p == 1 else unreadable(p) if p == 0 "
    "else grad * x.sgn() * (x.abs() == y) if p == math.inf else grad * x * x.abs() ** (p - 2) / y ** (p - 1)",
    "hardtanh_backward": "lambda grad, x, low, high: where((x > low) & (x < high), grad, 0)",
    "hardshrink_backward": "lambda grad, x, bound: where(x.abs() > bound, grad, 0)",
    "softshrink_backward": "lambda grad, x, bound: where(x.abs() > bound, grad, 0)",
    "leaky_relu_backward": "lambda grad, x, slope: where(x > 0, grad, grad * slope)",
    "softplus_backward": "lambda grad, x, beta, threshold: grad * (x * beta).sigmoid()",
    "tanh_backward": "lambda grad, y: grad * (1 - y * y)",
    "sigmoid_backward": "lambda grad, y: grad * (1 - y) * y",
    "log_sigmoid_backward": "lambda grad, x, buffer: grad * (-x).sigmoid()",
    "hardswish_backward": "lambda grad, x: where((x > -3) & (x < 3), grad * (x / 3 + 0.5), where(x >= 3, grad, 0))",
    "logsumexp_backward": "lambda grad, x, y, dim, keepdim: grad * (x - y).exp()",
    "repeated": "lambda grad, shape: grad.expand(shape)",
    "elu_backward": "lambda grad, x, alpha, scale, input_scale: "
    "where(x > 0, times(grad, scale), times(grad, scale) * alpha * times((times(x, input_scale)).exp(), input_scale))",
    "leaky_relu_result_backward": "lambda grad, y, slope: where(y > 0, grad, grad * slope)",
    "elu_result_backward": "lambda grad, y, alpha, scale, input_scale: "
    "where(y > 0, times(grad, scale), times(grad, input_scale) * (y + times(alpha, scale)))",
    "choose": "lambda mask, yes, no: where(mask, yes, no)",
    "clamp_backward": "lambda grad, x, low, high: "
    "where((x >= low) & (x <= high), grad, 0) if low is not None and high is not None "
    "else where(x <= high, grad, 0) if low is None else where(x >= low, grad, 0)",
}
"""By the function that a derivative calls."""

_EXTREME = {"self": "grad * (self == result) / (self == result).sum() if indices is None else placed(grad, indices)"}
_PICKED = {"self": "placed(grad, indices)"}
_WINDOW = {"self": "placed(grad, 'its window')"}
_SPREAD = {"self": "placed(grad / averaged_numel, 'each of its window')"}
_LARGEST = {"self": "placed(grad, 'the largest of each window')"}
_INTERPOLATED = {"self": "adjoint_of('interpolate', grad)"}
_PADDED = {"self": "adjoint_of('pad', grad)"}
_NORMALISED = {
    "input": "(times(grad, weight) - times(grad, weight).mean() - 'x̂' * (times(grad, weight) * 'x̂').mean()) / 'σ'",
    "weight": "(grad * 'x̂').sum()",
    "bias": "grad.sum()",
}
_NEAR = {"x1": "grad * (x1 - x2) / result", "x2": "grad * (x2 - x1) / result"}
_SLICED = {"self": "placed(grad, reach(dim, start, end, step))"}
_LIKELIHOOD = {
    "self": "placed(-times(grad, weight) / total_weight, target) if reduction == 1 else placed(-times(grad, weight), target)"
}

INTERPOLATIONS = (
    "upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "upsample_linear1d", "upsample_bilinear2d",
    "upsample_trilinear3d", "upsample_bicubic2d", "_upsample_nearest_exact1d", "_upsample_nearest_exact2d",
    "_upsample_nearest_exact3d", "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa",
)  # fmt: skip

BY_OPERATOR: dict[str, dict[str, str]] = {
    # pointwise
    "atan2": {"self": "grad * other / (self * self + other * other)", "other": "-grad * self / (self * self + other * other)"},
    "polar": {"abs": "(grad.conj() * result.sgn()).real", "angle": "(grad.conj() * result * 'i').real"},
    "_prelu_kernel": {"self": "where(self > 0, grad, grad * weight)", "weight": "where(self > 0, 0, grad * self)"},
    "logit": {"self": "grad / (self * (1 - self))"},
    "sinc": {"self": "grad * ((self * 'π').cos() - (self * 'π').sin() / (self * 'π')) / self"},
    "hardsigmoid": {"self": "where((self > -3) & (self < 3), grad / 6, 0)"},
    "rrelu_with_noise": {
        "self": "grad * noise if training else where(self > 0, grad, grad * (lower + upper) / 2)",
    },
    "glu": {"self": "joined(grad * 'b'.sigmoid(), grad * 'a' * 'b'.sigmoid() * (1 - 'b'.sigmoid()))"},
    "mvlgamma": {"self": "grad * (self - 'k' / 2).digamma().sum()"},
    "special_i1": {"self": "grad * (self.i0() - result / self)"},
    "special_i0e": {"self": "grad * (self.i1e() - self.sgn() * result)"},
    "special_i1e": {"self": "grad * (self.i0e() - result * (self.sgn() + 1 / self))"},
    # reductions
    "max": _EXTREME, "min": _EXTREME, "median": _EXTREME, "nanmedian": _EXTREME, "amax": _EXTREME, "amin": _EXTREME,
    "var": {"self": "grad * 2 * (self - self.mean()) / degrees_of_freedom"},
    "std": {"self": "grad * (self - self.mean()) / (result * degrees_of_freedom)"},
    "aminmax": {"self": "grads[0] * (self == min) + grads[1] * (self == max)"},
    "trace": {"self": "grad * 'I'"},
    "cumsum": {"self": "grad.flip().cumsum().flip()"},
    "cumprod": {"self": "(grad * result).flip().cumsum().flip() / self"},
    "logcumsumexp": {"self": "self.exp() * (grad / result.exp()).flip().cumsum().flip()"},
    "std_mean": {"self": "grads[0] * (self - self.mean()) / (result0 * degrees_of_freedom) + grads[1] / averaged_numel"},
    "var_mean": {"self": "grads[0] * 2 * (self - self.mean()) / degrees_of_freedom + grads[1] / averaged_numel"},
    # one of several: the gradient goes back to where its number came from
    **dict.fromkeys(("sort", "topk", "kthvalue", "mode", "cummax", "cummin"), _PICKED),
    "gather": {"self": "placed(grad, index)"},
    "take": {"self": "placed(grad, index)"},
    "index_select": {"self": "placed(grad, index)"},
    "index": _PICKED,
    "masked_select": {"self": "placed(grad, mask)"},
    "embedding": {"weight": "placed(grad, indices)"},
    "_embedding_bag": {"weight": "placed(grad, indices)", "per_sample_weights": "grad @ part(weight, indices).T"},
    "nll_loss_forward": _LIKELIHOOD,
    "nll_loss2d_forward": _LIKELIHOOD,
    # written over: the written part's gradient goes to the source
    "CopySlices": {"input 0": "erased(grad, 'the part written to')", "input 1": "part(grad, 'the part written to')"},
    "_index_put_impl_": {"self": "grad if accumulate else erased(grad, indices)", "values": "part(grad, indices)"},
    "index_put": {"self": "grad if accumulate else erased(grad, indices)", "values": "part(grad, indices)"},
    "index_add": {"source": "times(part(grad, index), alpha)"},
    "index_copy": {"self": "erased(grad, index)", "source": "part(grad, index)"},
    "index_fill": {"self": "erased(grad, index)", "value": "part(grad, index).sum()"},
    "index_reduce": {"self": "grad * result / self", "source": "part(grad * result, index) / source"},
    "scatter": {"self": "erased(grad, index)", "src": "part(grad, index)"},
    "scatter_add": {"src": "part(grad, index)"},
    "scatter_reduce": {"self": "grad * result / self", "src": "part(grad * result, index) / src"},
    "put": {"self": "grad if accumulate else erased(grad, index)", "source": "part(grad, index)"},
    "masked_scatter": {"self": "where(mask, 0, grad)", "source": "part(grad, mask)"},
    "select_scatter": {"self": "erased(grad, slot(dim, index))", "src": "part(grad, slot(dim, index))"},
    "slice_scatter": {"self": "erased(grad, reach(dim, start, end, step))", "src": "part(grad, reach(dim, start, end, step))"},
    "diagonal_scatter": {"self": "erased(grad, 'the diagonal')", "src": "part(grad, 'the diagonal')"},
    "as_strided_scatter": {"self": "erased(grad, 'its window')", "src": "part(grad, 'its window')"},
    # cut out, joined, moved
    "select": {"self": "placed(grad, slot(dim, index))"},
    "select_copy": {"self": "placed(grad, slot(dim, index))"},
    "select_backward": {"grad": "part(grad, slot(dim, index))"},
    "slice": _SLICED, "slice_copy": _SLICED, "narrow_copy": {"self": "placed(grad, reach(dim, start, start + length, 1))"},
    "slice_backward": {"grad": "part(grad, reach(dim, start, end, step))"},
    "diagonal": {"self": "placed(grad, 'the diagonal')"}, "diagonal_copy": {"self": "placed(grad, 'the diagonal')"},
    "diag_embed": {"self": "part(grad, 'the diagonal')"}, "diagonal_backward": {"grad": "part(grad, 'the diagonal')"},
    "unfold": _WINDOW, "unfold_copy": _WINDOW, "unfold_backward": {"grad": "part(grad, 'each window')"},
    "as_strided": _WINDOW, "as_strided_copy": _WINDOW, "as_strided_": _WINDOW,
    "stack": {"tensors": "part(grad, slot(dim, position))"},
    "cat": {"tensors": "part(grad, extent)"},
    "block_diag": {"tensors": "part(grad, 'its block')"},
    **{
        name: {"self": "joined(grads)"}
        for name in ("split", "split_with_sizes", "unsafe_split", "unsafe_split_with_sizes", "unbind", "split_copy",
                     "split_with_sizes_copy", "unbind_copy")
    },
    "permute": {"self": "permuted(grad, dims)"}, "permute_copy": {"self": "permuted(grad, dims)"},
    "repeat": {"self": "grad.sum()"},
    "roll": {"self": "grad.roll(back)"},
    "pixel_shuffle": {"self": "grad.pixel_unshuffle()"}, "pixel_unshuffle": {"self": "grad.pixel_shuffle()"},
    "channel_shuffle": {"self": "grad.channel_shuffle()"},
    # gradients of gradients
    "threshold_backward": {"grad_output": "where(self > threshold, grad, 0)"},
    "hardtanh_backward": {"grad_output": "where((self > min_val) & (self < max_val), grad, 0)"},
    "leaky_relu_backward": {"grad_output": "where(self > 0, grad, grad * negative_slope)"},
    "rrelu_with_noise_backward": {"grad_output": "grad * noise"},
    "hardshrink_backward": {"grad_output": "where(self.abs() > lambd, grad, 0)"},
    "softshrink_backward": {"grad_output": "where(self.abs() > lambd, grad, 0)"},
    "embedding_backward": {"grad_output": "part(grad, indices)"},
    "nll_loss_backward": {"grad_output": "-part(grad, target)"},
    "nll_loss2d_backward": {"grad_output": "-part(grad, target)"},
    "window_spread": {"self": "part(grad, 'its window')"},
    "affine_grid_backward": {"grid_grad": "grad.affine_grid()"},
    # matrices
    "addbmm": {"batch1": "times(grad @ batch2.T, alpha)", "batch2": "times(batch1.T @ grad, alpha)"},
    "_trilinear": {"i1": "(grad * i2 * i3).sum()", "i2": "(grad * i1 * i3).sum()", "i3": "(grad * i1 * i2).sum()"},
    "_linalg_det": {"A": "grad * result * A.inverse().T"},
    "_linalg_slogdet": {"A": "grads[1] * A.inverse().T"},
    "linalg_inv_ex": {"A": "-(inverse.T @ grad @ inverse.T)"},
    "linalg_pinv": {"self": "-(result.T @ grad @ result.T)"},
    "_linalg_solve_ex": {"A": "-(A.inverse().T @ grad @ result.T)", "B": "A.inverse().T @ grad"},
    "solve_triangular": {"self": "-(self.inverse().T @ grad @ result.T)", "B": "self.inverse().T @ grad"},
    "triangular_solve": {"self": "A.inverse().T @ grad", "A": "-(A.inverse().T @ grad @ solution.T)"},
    "cholesky_solve": {"self": "(input2 @ input2.T).inverse() @ grad"},
    "cholesky": {"self": "result.inverse().T @ (result.T @ grad).phi() @ result.inverse()"},
    "linalg_cholesky_ex": {"self": "L.inverse().T @ (L.T @ grad).phi() @ L.inverse()"},
    "_linalg_eigh": {"A": "eigenvectors @ ('diag' * grads[0] + (eigenvectors.T @ grads[1]) / 'λⱼ − λᵢ') @ eigenvectors.T"},
    "_linalg_svd": {"A": "U @ ('diag' * grads[1]) @ Vh"},
    # Fourier transforms
    **{name: {"self": "adjoint_of('fft', grad)"} for name in ("_fft_r2c", "_fft_c2r", "_fft_c2c")},
    # neural networks
    "convolution": {"input": "convolved(grad, weight)", "weight": "correlated(input, grad)", "bias": "grad.sum()"},
    "convolution_input_gradient": {"grad_output": "correlated(grad, weight)", "weight": "correlated(grad, grad_output)"},
    "convolution_weight_gradient": {"grad_output": "correlated(input, grad)", "input": "convolved(grad_output, grad)"},
    "max_pool2d_with_indices": _LARGEST, "max_pool3d_with_indices": _LARGEST, "adaptive_max_pool2d": _LARGEST,
    "adaptive_max_pool3d": _LARGEST, "fractional_max_pool2d": _LARGEST, "fractional_max_pool3d": _LARGEST,
    "max_pool2d_backward": {"grad_output": "part(grad, 'the largest of each window')"},
    "max_pool3d_backward": {"grad_output": "part(grad, 'the largest of each window')"},
    "max_unpool2d": {"self": "part(grad, indices)"}, "max_unpool3d": {"self": "part(grad, indices)"},
    "avg_pool2d_windows": {"self": "adjoint_of('avg_pool', grad)"}, "avg_pool3d_windows": {"self": "adjoint_of('avg_pool', grad)"},
    "avg_pool2d_backward": {"grad_output": "grad.avg_pool()"}, "avg_pool3d_backward": {"grad_output": "grad.avg_pool()"},
    "adaptive_avg_pool2d": {"self": "adjoint_of('avg_pool', grad)"}, "adaptive_avg_pool3d": {"self": "adjoint_of('avg_pool', grad)"},
    **{
        f"{kind}_max_pool{n}d_{part}": {"grad_output" if part == "backward" else "self": text}
        for kind in ("adaptive", "fractional") for n in (2, 3)
        for part, text in (("backward", "part(grad, 'the largest of each window')"),
                           ("pick", "placed(grad, 'the largest of each window')"))
    },
    "max_pool2d_pick": _LARGEST, "max_pool3d_pick": _LARGEST,
    "max_unpool2d_gather": _PICKED, "max_unpool3d_gather": _PICKED,
    "adaptive_avg_pool2d_backward": {"grad_output": "grad.avg_pool()"},
    "adaptive_avg_pool3d_backward": {"grad_output": "grad.avg_pool()"},
    **{
        f"{kind}_pad{n}d_backward": {"grad_output": "grad.pad()"}
        for kind in ("reflection", "replication") for n in (1, 2, 3)
    },
    **{f"{name}_backward": {"grad_output": "grad.interpolate()"} for name in INTERPOLATIONS},
    "constant_pad_nd": {"self": "part(grad, 'all but the padding')"},
    **{f"{kind}_pad{n}d": _PADDED for kind in ("reflection", "replication") for n in (1, 2, 3)},
    **dict.fromkeys(INTERPOLATIONS, _INTERPOLATED),
    "affine_grid_generator": {"theta": "adjoint_of('affine_grid', grad)"},
    "grid_sampler_2d": {"input": "adjoint_of('grid_sample', grad)"},
    "grid_sampler_3d": {"input": "adjoint_of('grid_sample', grad)"},
    "im2col": {"self": "grad.fold()"}, "col2im": {"self": "grad.unfold()"},
    "native_batch_norm": _NORMALISED, "_native_batch_norm_legit": _NORMALISED,
    "native_layer_norm": _NORMALISED, "native_group_norm": _NORMALISED,
    "_cdist_forward": _NEAR, "_pdist_forward": {"self": "grad * ('xᵢ' - 'xⱼ') / result"},
    "_scaled_dot_product_flash_attention_for_cpu": {
        "value": "'P'.T @ grad",
        "query": "'P' * (grad @ value.T - (grad * output).sum()) @ key * 'scale'",
        "key": "('P' * (grad @ value.T - (grad * output).sum())).T @ query * 'scale'",
    },
    "BackwardHookFunction": {"input 0": "grad"},
}  # fmt: skip
"""By operator and argument."""

_FACTORS = "the factors' gradients mix with each other: a page, not a line"
UNREAD: dict[str, str] = {
    **dict.fromkeys(
        ("linalg_qr", "linalg_lu", "linalg_lu_factor_ex", "lu_unpack", "lu_solve", "linalg_lstsq", "linalg_eig",
         "householder_product", "ormqr", "cholesky_solve"),
        _FACTORS,
    ),
    "matrix_exp": "the exponential of a matrix of twice the size",
    "renorm": "a row that is too long is shortened by its own length",
    "_ctc_loss": "sums over all alignments",
    "_test_warn_in_autograd": "the test of warnings that PyTorch ships",
    "set_": "has none: PyTorch refuses",
    "multi_margin_loss": "counts the margins that are missed",
    "multilabel_margin_loss": "counts the margins that are missed",
    "grid_sampler_2d": "where to look has a slope by pieces between the pixels",
    "grid_sampler_3d": "where to look has a slope by pieces between the voxels",
    "mkldnn_rnn_layer": "a whole LSTM in one kernel",
    "_prelu_kernel_backward": "three gradients of a gradient",
    "convolution_backward": "three gradients of a gradient",
    "_pack_padded_sequence": "rows sorted by length, cut where their sequences end",
    "_standard_gamma": "an implicit derivative of the sampler",
    "_sample_dirichlet": "an implicit derivative of the sampler",
    "_unsafe_masked_index": "internal to compiled graphs",
    "_unsafe_masked_index_put_accumulate": "internal to compiled graphs",
}  # fmt: skip
"""Operators some of whose derivatives no short formula tells, and why: their steps give values and the explanation."""
