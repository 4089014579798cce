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
    "else grad * x.sgn() * (x.abs() == y) / (x.abs() == y).sum() if p == math.inf else grad * x * x.abs() ** (p - 2) / y ** (p - 1)",
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
    "clamp_backward": "lambda grad, x, low, high: where((x >= low) & (x <= high), grad, 0) if low is not None and "
    "high is not None else where(x <= high, grad, 0) if low is None else where(x >= low, grad, 0)",
}
"""By the function that a derivative calls."""

_EXTREME = {"self": "grad * (self == result) / (self == result).sum() if indices is None else placed(grad, indices)"}
_PICKED = {"self": "placed(grad, indices)"}
_WINDOW = {"self": "placed(grad, 'its window')"}
_LARGEST = {"self": "placed(grad, 'the largest of each window')"}
_INTERPOLATED = {"self": "adjoint_of('interpolate', grad)"}
_PADDED = {"self": "adjoint_of('pad', grad)"}
_NORMALISED = {
    "input": "(times(grad, weight) - times(grad, weight).mean() - 'x̂' * (times(grad, weight) * 'x̂').mean()) / 'σ'",
    "weight": "(grad * 'x̂').sum()",
    "bias": "grad.sum()",
}
_NORMALISED_BY_BATCH = {
    **_NORMALISED,
    "input": f"{_NORMALISED['input']} if training else times(grad, weight) / 'σ'",
}
_NEAR = {
    "x1": "(grad * ('x1ᵢ' - 'x2ⱼ') / result).sum() if p == 2 else unreadable(p)",
    "x2": "(grad * ('x2ⱼ' - 'x1ᵢ') / result).sum() if p == 2 else unreadable(p)",
}
_SLICED = {"self": "placed(grad, reach(dim, start, end, step))"}
_FROM_FACTOR = (
    "L.inverse() @ (L @ grad.T).symmetrised() @ L.inverse().T / 2 if upper else "
    "L.inverse().T @ (L.T @ grad).symmetrised() @ L.inverse() / 2"
)


def _triangular(matrix: str, text: str, cut: bool = False) -> str:
    """A derivative of a triangular solver: only the triangle of ``matrix`` is read, and only that gets a gradient."""
    upper, lower = (text.replace("TRIANGLE", f"{matrix}.{kind}()") for kind in ("triu", "tril"))
    upper, lower = (f"({part}).{kind}()" if cut else part for part, kind in ((upper, "triu"), (lower, "tril")))
    return f"unreadable({matrix}) if unitriangular else {upper} if upper else {lower}"


_REDUCED = (
    "grad if reduce == 'sum' else grad * result / self if reduce == 'prod' else "
    "grad * (self == result) if reduce != 'mean' else unreadable(grad)"
)
_REDUCED_FROM = (
    "part(grad, index) if reduce == 'sum' else part(grad * result, index) / {0} if reduce == 'prod' else "
    "part(grad, index) * ({0} == part(result, index)) if reduce != 'mean' else unreadable(grad)"
)
_LIKELIHOOD = {
    "self": "placed(-times(grad, weight) / total_weight, target) if reduction == 1 else placed(-times(grad, weight), target)"
}

_AT_TARGET = (
    "unreadable(weight) if weight is not None else -part(grad, target) if reduction == 0 else "
    "-part(grad, target).sum() / total_weight if reduction == 1 else -part(grad, target).sum()"
)

INTERPOLATIONS = (
    "upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "upsample_linear1d", "upsample_bilinear2d",
    "upsample_trilinear3d", "upsample_bicubic2d", "_upsample_nearest_exact1d", "_upsample_nearest_exact2d",
    "_upsample_nearest_exact3d", "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa",
)  # fmt: skip

BY_OPERATOR: dict[str, dict[str, str]] = {
    # sparse
    "_to_sparse": {"self": "grad"},
    "_to_sparse_csr": {"self": "grad"},
    "_to_sparse_csc": {"self": "grad"},
    "_to_sparse_bsr": {"self": "grad"},
    "_to_sparse_bsc": {"self": "grad"},
    "_sparse_coo_tensor_with_dims_and_tensors": {"values": "part(grad, 'its place')"},
    "_sparse_compressed_tensor": {"values": "part(grad, 'its place')"},
    "_to_dense": {"self": "part(grad, 'the stored places')"},
    "values": {"self": "placed(grad, 'the stored places')"},
    "sparse_mask": {"self": "placed(grad, 'the places of the mask')"},
    "_sparse_addmm": {"mat1": "part(times(grad @ mat2.t(), alpha), 'the stored places')"},
    "_sparse_sparse_matmul": {
        "self": "part(grad @ other.t(), 'the stored places')",
        "other": "part(self.t() @ grad, 'the stored places')",
    },
    "_sparse_sum": {"self": "placed(grad, 'every stored value that was added')"},
    "_sparse_softmax": {"self": "result * (grad - (grad * result).sum(dim, True))"},
    "_sparse_log_softmax": {"self": "part(grad - result.exp() * grad.sum(dim, True), 'the stored places')"},
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
    "glu": {"self": "side_by_side(grad * 'b'.sigmoid(), grad * 'a' * 'b'.sigmoid() * (1 - 'b'.sigmoid()))"},
    "mvlgamma": {"self": "grad * multigamma_slope(self, p)"},
    "special_i1": {"self": "grad * (self.i0() - result / self)"},
    "special_i0e": {"self": "grad * (self.i1e() - self.sgn() * result)"},
    "special_i1e": {"self": "grad * (self.i0e() - result * (self.sgn() + 1 / self))"},
    # reductions
    "max": _EXTREME, "min": _EXTREME, "median": _EXTREME, "nanmedian": _EXTREME, "amax": _EXTREME, "amin": _EXTREME,
    "var": {"self": "grad * 2 * (self - self.mean()) / degrees_of_freedom"},
    "std": {"self": "grad * (self - self.mean()) / (result * degrees_of_freedom)"},
    "aminmax": {
        "self": "grads[0] * (self == min) / (self == min).sum() + grads[1] * (self == max) / (self == max).sum()",
    },
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
    "embedding": {"weight": "placed(grad, indices) if padding_idx == -1 else placed(grad * (indices != padding_idx), indices)"},
    "_embedding_bag": {
        "weight": "(placed(grads[0], indices) if per_sample_weights is None else "
        "placed(grads[0] * per_sample_weights, indices)) if mode == 0 else placed(grads[0] / 'n', indices) if mode == 1 "
        "else placed(grads[0], 'the largest of each bag')",
        "per_sample_weights": "(grads[0] * part(weight, indices)).sum()",
    },
    "nll_loss_forward": _LIKELIHOOD,
    "nll_loss2d_forward": _LIKELIHOOD,
    # written over: the written part's gradient goes to the source
    "CopySlices": {"input 0": "erased(grad, 'the part written to')", "input 1": "part(grad, 'the part written to')"},
    "_index_put_impl_": {"self": "grad if accumulate else erased(grad, indices)", "values": "part(grad, indices)"},
    "index_put": {"self": "grad if accumulate else erased(grad, indices)", "values": "part(grad, indices)"},
    "index_add": {"source": "times(part(grad, index), alpha)"},
    "index_copy": {"self": "erased(grad, index)", "source": "part(grad, index)"},
    "index_fill": {"self": "erased(grad, index)", "value": "part(grad, index).sum()"},
    "index_reduce": {"self": _REDUCED, "source": _REDUCED_FROM.format("source")},
    "scatter": {"self": "erased(grad, index)", "src": "part(grad, index)"},
    "scatter_add": {"src": "part(grad, index)"},
    "scatter_reduce": {"self": _REDUCED, "src": _REDUCED_FROM.format("src")},
    "put": {"self": "grad if accumulate else erased(grad, index)", "source": "part(grad, index)"},
    "_to_copy": {"self": "grad.to(self_dtype)"},
    "masked_scatter_backward": {"grad_output": "placed(grad, mask)"}, "masked_fill": {"value": "part(grad, mask).sum()"},
    "masked_scatter": {"self": "where(mask, 0, grad)", "source": "placed(part(grad, mask), 'the places that were used')"},
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
    "rrelu_with_noise_backward": {
        "grad_output": "grad * noise if training else where(self > 0, grad, grad * (lower + upper) / 2)",
    },
    "hardshrink_backward": {"grad_output": "where(self.abs() > lambd, grad, 0)"},
    "softshrink_backward": {"grad_output": "where(self.abs() > lambd, grad, 0)"},
    "embedding_backward": {"grad_output": "part(grad, indices)"},
    "nll_loss_backward": {"grad_output": _AT_TARGET}, "nll_loss2d_backward": {"grad_output": _AT_TARGET},
    "affine_grid_backward": {"grid_grad": "grad.affine_grid()"},
    # matrices
    "addbmm": {"batch1": "times(grad @ batch2.T, alpha)", "batch2": "times(batch1.T @ grad, alpha)"},
    "_trilinear": {"i1": "(grad * i2 * i3).sum()", "i2": "(grad * i1 * i3).sum()", "i3": "(grad * i1 * i2).sum()"},
    "_linalg_det": {"A": "grad * result * A.inverse().T"},
    "_linalg_slogdet": {"A": "grads[1] * A.inverse().T"},
    "linalg_inv_ex": {"A": "-(inverse.T @ grad @ inverse.T)"},
    "linalg_pinv": {"self": "-(result.T @ grad @ result.T) if is_square else unreadable(self)"},
    "_linalg_solve_ex": {
        "A": "(-(A.inverse().T @ grad).ger(result) if is_vector else -(A.inverse().T @ grad @ result.T)) if left else "
        "-(result.T @ grad @ A.inverse().T)",
        "B": "A.inverse().T @ grad if left else grad @ A.inverse().T",
    },
    "solve_triangular": {
        "self": f"({_triangular('self', '-(TRIANGLE.inverse().T @ grad @ result.T)', cut=True)}) if left else "
        f"({_triangular('self', '-(result.T @ grad @ TRIANGLE.inverse().T)', cut=True)})",
        "B": f"({_triangular('self', 'TRIANGLE.inverse().T @ grad')}) if left else ({_triangular('self', 'grad @ TRIANGLE.inverse().T')})",
    },
    "triangular_solve": {
        "self": f"({_triangular('A', 'TRIANGLE.inverse() @ grad')}) if transpose else ({_triangular('A', 'TRIANGLE.inverse().T @ grad')})",
        "A": "unreadable(A) if not only_grads_0 else "
        f"({_triangular('A', '-(solution @ grad.T @ TRIANGLE.inverse().T)', cut=True)}) if transpose else "
        f"({_triangular('A', '-(TRIANGLE.inverse().T @ grad @ solution.T)', cut=True)})",
    },
    "cholesky_solve": {
        "self": "(input2.triu().T @ input2.triu() if upper else input2.tril() @ input2.tril().T).inverse() @ grad",
    },
    "cholesky": {"self": _FROM_FACTOR.replace("L", "result")},
    "linalg_cholesky_ex": {"self": _FROM_FACTOR},
    "_linalg_eigh": {
        "A": "eigenvectors @ grads[0].diag_embed() @ eigenvectors.T if only_grads_0 else "
        "eigenvectors @ ((eigenvectors.T @ grads[1] - grads[1].T @ eigenvectors) / (2 * 'Δλ')) @ eigenvectors.T if only_grads_1 "
        "else eigenvectors @ (grads[0].diag_embed() + (eigenvectors.T @ grads[1] - grads[1].T @ eigenvectors) / (2 * 'Δλ')) "
        "@ eigenvectors.T",
    },
    "_linalg_svd": {"A": "U @ grads[1].diag_embed() @ Vh if only_grads_1 else unreadable(U)"},
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
    "adaptive_avg_pool2d_backward": {"grad_output": "grad.avg_pool()"},
    "adaptive_avg_pool3d_backward": {"grad_output": "grad.avg_pool()"},
    **{
        f"{kind}_pad{n}d_backward": {"grad_output": "grad.pad()"}
        for kind in ("reflection", "replication") for n in (1, 2, 3)
    },
    **{f"{name}_backward": {"grad_output": "grad.interpolate()"} for name in INTERPOLATIONS},
    "constant_pad_nd": {"self": "unreadable(pad) if crops else part(grad, 'all but the padding')"},
    **{f"{kind}_pad{n}d": _PADDED for kind in ("reflection", "replication") for n in (1, 2, 3)},
    **dict.fromkeys(INTERPOLATIONS, _INTERPOLATED),
    "affine_grid_generator": {"theta": "adjoint_of('affine_grid', grad)"},
    "grid_sampler_2d": {"input": "adjoint_of('grid_sample', grad)"},
    "grid_sampler_3d": {"input": "adjoint_of('grid_sample', grad)"},
    "im2col": {"self": "grad.fold()"}, "col2im": {"self": "grad.unfold()"},
    "native_batch_norm": _NORMALISED_BY_BATCH, "_native_batch_norm_legit": _NORMALISED_BY_BATCH,
    "native_layer_norm": _NORMALISED, "native_group_norm": _NORMALISED,
    "_cdist_forward": _NEAR, "_pdist_forward": {"self": "(grad * ('xᵢ' - 'xⱼ') / result).sum() if p == 2 else unreadable(p)"},
    "_scaled_dot_product_flash_attention_for_cpu": {
        "value": "'P'.T @ grad",
        "query": "'P' * (grad @ value.T - (grad * output).sum()) @ key * 'scale'",
        "key": "('P' * (grad @ value.T - (grad * output).sum())).T @ query * 'scale'",
    },
    "BackwardHookFunction": {"input 0": "grad"},
}  # fmt: skip
"""By operator and argument."""

AT_KINKS: dict[str, dict[str, str]] = {
    "sinc": {"self": "where(self == 0, 0, regular)"},
    "logit": {"self": "where((self >= eps) & (self <= 1 - eps), regular, 0)"},
    "softplus": {"self": "where(self * beta > threshold, grad, regular)"},
    "atan2": dict.fromkeys(("self", "other"), "where(self * self + other * other == 0, 0, regular)"),
    "copysign": {"self": "where(self == 0, 0, regular)"},
    "special_i1": {"self": "where(self == 0, grad / 2, regular)"},
    "special_i1e": {"self": "where(self == 0, grad / 2, regular)"},
    "prod": {"self": "grad * self.others()"},
    "std": {"self": "where(result == 0, 0, regular)"},
    "linalg_vector_norm": {"self": "where(result == 0, 0, regular)"},
    "norm": {"self": "where(result == 0, 0, regular)"},
    "pow": {
        "self": "where(exponent == 0, 0, regular)",
        "exponent": "where((self == 0) & (exponent >= 0), 0, regular)",
    },
    "softplus_backward": {"grad_output": "where(self * beta > threshold, grad, regular)"},
}
"""What is sent where a function has no slope, or where its usual formula divides by zero: told where the numbers say so.

``regular`` is the derivative at all other points.
"""

_INPUT, _DEVIATION = "the normalised input", "the standard deviation that it was divided by"
_NORMALISED_SYMBOLS = {"x̂": ("(input - result1) * result2", _INPUT), "σ": ("1 / result2", _DEVIATION)}
_BATCH_SYMBOLS = {
    "x̂": ("(input - result1) * result2 if training else (input - running_mean) / (running_var + eps).sqrt()", _INPUT),
    "σ": ("1 / result2 if training else (running_var + eps).sqrt()", _DEVIATION),
}
STANDS_FOR: dict[str, dict[str, tuple[str, str]]] = {
    "native_layer_norm": _NORMALISED_SYMBOLS, "native_group_norm": _NORMALISED_SYMBOLS,
    "native_batch_norm": _BATCH_SYMBOLS, "_native_batch_norm_legit": _BATCH_SYMBOLS,
    "_scaled_dot_product_flash_attention_for_cpu": {
        "P": ("unknown(query)", "the weights that softmax gave"),
        "scale": ("unknown(query)", "what the scores were multiplied by"),
    },
    "trace": {"I": ("identity(self_sym_sizes)", "1 on the diagonal and 0 elsewhere")},
    "_embedding_bag": {"n": ("unknown(mode)", "how many rows were in the bag")},
    "glu": {"a": ("half(self, 0)", "the first half of the input"), "b": ("half(self, 1)", "the second half")},
    "_linalg_eigh": {"Δλ": ("eigenvalues.gaps()", "the difference of every two eigenvalues, infinite for one with itself")},
}  # fmt: skip
"""Symbols that the readings of an operator introduce: how each is computed, and what it is in words."""
