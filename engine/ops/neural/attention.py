"""Attention: scaled dot products of queries and keys, softmax, and a weighted sum of values (Vaswani et al. 2017)."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.dtype_names import c_type
from engine.ops.core.autocast import lower_precision
from engine.ops.core.catalogue import torch_function
from engine.ops.core.declare import composite, operator
from engine.ops.core.dimension import common_shape
from engine.ops.core.recorded import recorded
from engine.ops.core.unimplemented import unimplemented
from engine.ops.core.unseen import goes_unseen
from engine.ops.neural.attention_backends import may_fuse
from engine.ops.neural.dropping import drop
from engine.ops.pointwise.arithmetic import mul_number
from engine.ops.reduction.softmax import softmax_backward_data
from engine.tensor import Tensor, wrap

LOWEST = np.array(np.finfo(np.float64).min)
"""Stands for a top of −∞, which nothing could be told from. An array: numpy takes a number several times slower."""
ONE = np.array(1.0)


def safe_shares(scores: Any) -> Any:
    """Softmax along the last dimension; a row of nothing but −∞ gives zeros."""
    top = scores.max(-1, keepdims=True) if scores.shape[-1] else np.zeros((*scores.shape[:-1], 1))
    powers, total = powers_below(scores, top)
    return shares_of(powers, total)


def powers_below(scores: Any, top: Any) -> tuple[Any, Any]:
    """The exponentials of how far each score lies below its row's ``top`` (…, 1), and their sums."""
    powers = np.exp(scores - np.maximum(top, LOWEST))
    return powers, np.add.reduce(powers, -1, keepdims=True)


def shares_of(powers: Any, total: Any) -> Any:
    """Each power's share of its row's ``total`` (…, 1), which may be zero."""
    return powers / np.maximum(total, ONE)  # the top's own power is one


@operator(
    at="internal",
    name="_safe_softmax",
    formula="eˣ / Σ eˣ",
    saves="dim result",
    self=lambda grad, dim, result: result * (grad - (grad * result).sum(dim, keepdim=True)),
)
def safe_softmax(self: Any, dim: int, dtype: Any = None) -> Any:
    """Shares that add up to one; where everything is masked they are zero.

    A share's slope is what it has over the average.
    """
    if dim in (-1, self.ndim - 1):
        return safe_shares(self.astype(np.float64)).astype(self.dtype)
    moved = np.moveaxis(self.astype(np.float64), dim, -1)
    return np.ascontiguousarray(np.moveaxis(safe_shares(moved), -1, dim)).astype(self.dtype)


recorded(safe_softmax, self=lambda grad, result, dim: softmax_backward_data(grad, result, dim, None))


def scores_of(query: Any, key: Any, attn_mask: Any, is_causal: bool, scale: float | None) -> tuple[Any, float]:
    """Scaled, masked scores in float64, and the scale."""
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = query.astype(np.float64) @ key.astype(np.float64).swapaxes(-1, -2)
    scores *= factor
    if attn_mask is not None:
        scores = np.where(attn_mask, scores, -np.inf) if attn_mask.dtype == np.bool_ else scores + attn_mask
    if is_causal:
        np.copyto(scores, -np.inf, where=later_keys(*scores.shape[-2:]))
    return scores, factor


@functools.lru_cache(maxsize=64)
def later_keys(queries: int, keys: int) -> Any:
    """Which keys (queries, keys) come after the query and are hidden from it."""
    return ~np.tri(queries, keys, dtype=np.bool_)


def repeated_heads(tensor: Any, heads: int) -> Any:
    """Key or value heads, each serving several query heads."""
    return tensor if tensor.shape[1] == heads else np.repeat(tensor, heads // tensor.shape[1], 1)


@operator(
    at="internal",
    name="_scaled_dot_product_flash_attention_for_cpu",
    formula="softmax(Q Kᵀ / √d) V",
    outputs="output logsumexp",
    nondifferentiable=(1,),
    undefined_gradients=True,
    saves="attn_mask dropout_p is_causal key logsumexp output query scale value",
    differentiable="query key value",
    joint=lambda grads, query, key, value, is_causal, attn_mask, scale: fused_attention_backward(
        grads[0], query, key, value, is_causal, attn_mask, scale
    ),
)
def fused_attention(
    query: Any,
    key: Any,
    value: Any,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    attn_mask: Any = None,
    scale: float | None = None,
) -> Any:
    """Each query takes a mean of the values, weighted by how well it matches the keys; the values' gradients are taken
    by the same weights.
    """
    output, total, top = attended(query, key, value, is_causal, attn_mask, scale)
    logsumexp = (np.log(total) + top)[..., 0]
    return output, logsumexp.astype(np.float64 if query.dtype == np.float64 else np.float32)


def attended(
    query: Any, key: Any, value: Any, is_causal: bool, attn_mask: Any, scale: float | None
) -> tuple[Any, Any, Any]:
    """The weighted means; and what the weights were before they were shares: their sums (…, 1), as powers below the tops."""
    heads = query.shape[1]
    keys, values = repeated_heads(key, heads), repeated_heads(value, heads)
    scores, _ = scores_of(query, keys, attn_mask, is_causal, scale)
    top = np.maximum.reduce(scores, -1, keepdims=True)
    powers, total = powers_below(scores, top)
    output = np.empty_like(query)  # in the query's memory order
    output[...] = shares_of(powers, total) @ values.astype(np.float64)
    return output, total, top


@operator(
    at="internal",
    name="_scaled_dot_product_flash_attention_for_cpu_backward",
    grad_fn="NotImplemented",
    outputs="tuple",
    differentiable="grad_out query key value",
    **unimplemented("_scaled_dot_product_flash_attention_for_cpu_backward", "joint"),
)
def fused_attention_backward(
    grad_out: Any, query: Any, key: Any, value: Any, is_causal: bool, attn_mask: Any, scale: float | None
) -> Any:
    """``_scaled_dot_product_flash_attention_for_cpu``'s derivative as an operation of its own. PyTorch gives it no
    derivative.

    Queries and keys are pulled together where the weight should grow.
    """
    heads = query.shape[1]
    keys, values = repeated_heads(key, heads), repeated_heads(value, heads)
    scores, factor = scores_of(query, keys, attn_mask, is_causal, scale)
    shares = safe_shares(scores)
    grad = grad_out.astype(np.float64)
    to_value = shares.swapaxes(-1, -2) @ grad
    to_shares = grad @ values.astype(np.float64).swapaxes(-1, -2)
    to_scores = shares * (to_shares - (to_shares * shares).sum(-1, keepdims=True)) * factor
    to_query = to_scores @ keys.astype(np.float64)
    to_key = to_scores.swapaxes(-1, -2) @ query.astype(np.float64)
    if key.shape[1] != heads:
        groups = (key.shape[0], key.shape[1], heads // key.shape[1])
        to_key = to_key.reshape(*groups, *to_key.shape[2:]).sum(2)
        to_value = to_value.reshape(*groups, *to_value.shape[2:]).sum(2)
    return tuple(heads_inside(part, query.dtype) for part in (to_query, to_key, to_value))


def heads_inside(part: Any, dtype: Any) -> Any:
    """A gradient (batch, heads, positions, width) whose heads lie inside its positions, as the projections before them do."""
    return np.ascontiguousarray(part.swapaxes(1, 2), dtype).swapaxes(1, 2)


def as_additive(mask: Tensor | None, like: Tensor) -> Tensor | None:
    """A yes-or-no mask as numbers to add: 0 and −∞."""
    if mask is None or mask.dtype.name != "bool":
        return mask
    zeros = torch_function("zeros_like")(mask, dtype=like.dtype)
    return zeros.masked_fill_(mask.logical_not(), -math.inf)


def fuses(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float) -> bool:
    """Whether PyTorch takes its fused CPU kernel."""
    arrays = query._array, key._array, value._array
    one, two, three = (array.shape for array in arrays)
    return (
        len(one) == len(two) == len(three) == 4
        and dropout_p == 0
        and one[0] == two[0] == three[0]
        and one[-1] == two[-1] == three[-1]
        and two[-2] == three[-2]  # PyTorch does not look, and its kernel reads beyond the shorter one
        and all(array.size and array.strides[-1] == array.itemsize for array in arrays)
        and (mask is None or (mask.ndim in (2, 4) and not mask.requires_grad))
    )


def check_attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> None:
    """Raises RuntimeError: types or shapes that do not go together."""
    if not query.dtype is key.dtype is value.dtype:
        raise RuntimeError(
            f"Expected query, key, and value to have the same dtype, but got query.dtype: {c_type(query)} key.dtype: "
            f"{c_type(key)} and value.dtype: {c_type(value)} instead."
        )
    if min(query.ndim, key.ndim, value.ndim) < 2:
        raise RuntimeError(
            f"Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {query.ndim} "
            f"key.dim: {key.ndim} and value.dim: {value.ndim} instead."
        )
    if mask is not None and mask.dtype.name not in ("bool", "float32") and mask.dtype is not query.dtype:
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{c_type(mask)} and  query.dtype: {c_type(query)} instead."
        )


def check_mask(mask: tuple[int, ...], scores: tuple[int, ...]) -> None:
    """Raises RuntimeError: the mask cannot be stretched to the scores (batch, heads, L, S), or would stretch them."""
    stretched = common_shape(scores, mask)
    if stretched != scores:
        raise RuntimeError(f"output with shape {list(scores)} doesn't match the broadcast shape {list(stretched)}")


@composite(at="functional", parsed=True)
@lower_precision
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Queries (…, L, E), keys (…, S, E), values (…, S, Ev) → (…, L, Ev).

    Raises:
        RuntimeError: types, shapes or masks that do not go together.
    """
    check_attention(query, key, value, attn_mask)
    mask = as_additive(attn_mask, query)
    if attn_mask is not None and query.ndim == 4:
        check_mask(attn_mask.shape, (*query.shape[:-1], key.shape[-2]))
    if may_fuse(
        not query.is_meta
        and fuses(query, key, value, mask, dropout_p)
        and (enable_gqa or query.shape[1] == key.shape[1])
    ):
        if mask is None and goes_unseen(query, key, value):
            return wrap(attended(query._array, key._array, value._array, is_causal, None, scale)[0])
        result: Tensor = fused_attention.run((query, key, value, dropout_p, is_causal, mask, scale))[0]
        return result
    if is_causal:
        if mask is not None:
            raise RuntimeError(
                "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"
            )
        causal = torch_function("ones")(
            (query.shape[-2], key.shape[-2]), dtype=dtypes.bool_, device=query.device
        ).tril()
        mask = as_additive(causal, query)
    if enable_gqa and query.ndim > 2 and query.shape[-3] != key.shape[-3]:
        times = query.shape[-3] // key.shape[-3]
        key, value = key.repeat_interleave(times, -3), value.repeat_interleave(times, -3)
    factor = math.sqrt(1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    scores = mul_number(query, factor).matmul(mul_number(key.transpose(-2, -1), factor))
    if mask is not None:
        scores = scores + mask
    shares = safe_softmax(scores, -1)
    if dropout_p > 0:
        shares = drop(shares, dropout_p, True, False)
    return shares.matmul(value)
