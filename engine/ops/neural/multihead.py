"""Multi-head attention as a function: projections in, attention per head, projection out."""

from __future__ import annotations

import math
import warnings
from typing import Any

from engine.ops.core.catalogue import TABLES, torch_function
from engine.ops.core.declare import composite
from engine.ops.neural.attention import scaled_dot_product_attention
from engine.ops.neural.dropping import dropout
from engine.ops.neural.linear import linear
from engine.tensor import Tensor


def packed_projection(
    q: Tensor, k: Tensor, v: Tensor, weight: Tensor, bias: Tensor | None
) -> tuple[Tensor, Tensor, Tensor]:
    """Projects with one stacked weight, in as few products as the inputs allow.

    Raises:
        AssertionError: keys and values of different shapes.
    """
    if k.shape != v.shape:
        raise AssertionError(f"key shape {k.shape} does not match value shape {v.shape}")
    size = q.shape[-1]
    if k is v:
        if q is k:
            parts = split_projection(linear(q, weight, bias), 3, size)
            return parts[0], parts[1], parts[2]
        w_q, w_kv = weight.split([size, size * 2])
        b_q, b_kv = (None, None) if bias is None else bias.split([size, size * 2])
        parts = split_projection(linear(k, w_kv, b_kv), 2, size)
        return linear(q, w_q, b_q), parts[0], parts[1]
    return separate_projections((q, k, v), weight.chunk(3), bias)


def separate_projections(
    inputs: tuple[Tensor, Tensor, Tensor], weights: Any, bias: Tensor | None
) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values, each by a weight of its own and its third of the bias."""
    (q, k, v), (w_q, w_k, w_v) = inputs, weights
    b_q, b_k, b_v = (None, None, None) if bias is None else bias.chunk(3)
    return linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)


def split_projection(projected: Tensor, count: int, size: int) -> Tensor:
    """(…, count · size) as (count, …, size)."""
    return projected.unflatten(-1, (count, size)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()


def is_batched(
    query: Tensor, key: Tensor, value: Tensor, padding: Tensor | None, mask: Tensor | None, heads: int
) -> bool:
    """Whether there is a batch dimension, for shapes that go together.

    Raises:
        AssertionError: dimensions that do not go together.
    """
    if query.ndim not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {query.ndim}-D query tensor"
        )
    batched = query.ndim == 3
    kind = "batched (3-D)" if batched else "unbatched (2-D)"
    if key.ndim != query.ndim or value.ndim != query.ndim:
        raise AssertionError(
            f"For {kind} `query`, expected `key` and `value` to be {query.ndim}-D but found {key.ndim}-D and "
            f"{value.ndim}-D tensors respectively"
        )
    if padding is not None and padding.ndim != query.ndim - 1:
        raise AssertionError(
            f"For {kind} `query`, expected `key_padding_mask` to be `None` or {query.ndim - 1}-D but found "
            f"{padding.ndim}-D tensor instead"
        )
    if mask is not None and mask.ndim not in (2, 3):
        raise AssertionError(
            f"For {kind} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found {mask.ndim}-D tensor instead"
        )
    if mask is not None and mask.ndim == 3 and not batched:
        expected = (heads, query.shape[0], key.shape[0])
        if tuple(mask.shape) != expected:
            raise AssertionError(f"Expected `attn_mask` shape to be {expected} but got {mask.shape}")
    return batched


def canonical_mask(
    mask: Tensor | None, name: str, other: Tensor | None, other_name: str, target: Tensor
) -> Tensor | None:
    """A mask to add: yes-or-no masks become 0 and −∞.

    Raises:
        AssertionError: a mask of whole numbers.
    """
    if mask is None:
        return None
    truth = mask.dtype.name == "bool"
    if not truth and not mask.dtype.is_floating_point:
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if other is not None and mask.dtype is not other.dtype:
        warnings.warn(
            f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.",
            stacklevel=5,
        )
    if truth:
        return torch_function("zeros_like")(mask, dtype=target.dtype).masked_fill_(mask, -math.inf)
    return mask


@composite(at="functional")
def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Queries (L, N, E), keys and values (S, N, E) → (L, N, E), and the weights (N, L, S) if asked for.

    Raises:
        AssertionError, RuntimeError: dimensions or masks that do not go together.
    """
    batched = is_batched(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    target, batch, embed = query.shape
    attn_mask, key_padding_mask, is_causal = masks(query, attn_mask, key_padding_mask, is_causal, need_weights)
    head = head_length(embed, embed_dim_to_check, num_heads)
    if use_separate_proj_weight:
        separate = (q_proj_weight, k_proj_weight, v_proj_weight)
        q, k, v = separate_projections((query, key, value), separate, in_proj_bias)
    else:
        q, k, v = packed_projection(query, key, value, in_proj_weight, in_proj_bias)
    attn_mask = checked_mask(attn_mask, target, key.shape[0], batch * num_heads)
    if bias_k is not None and bias_v is not None:
        k, v = (
            torch_function("cat")([k, bias_k.repeat(1, batch, 1)]),
            torch_function("cat")([v, bias_v.repeat(1, batch, 1)]),
        )
        attn_mask, key_padding_mask = one_wider(attn_mask), one_wider(key_padding_mask)
    heads = batch * num_heads
    q = q.view(target, heads, head).transpose(0, 1)
    k = k.view(k.shape[0], heads, head).transpose(0, 1) if static_k is None else static_k
    v = v.view(v.shape[0], heads, head).transpose(0, 1) if static_v is None else static_v
    if add_zero_attn:
        k, v = with_zero_row(k, (heads, 1, head)), with_zero_row(v, (heads, 1, head))
        attn_mask, key_padding_mask = one_wider(attn_mask), one_wider(key_padding_mask)
    if key_padding_mask is not None:
        attn_mask = with_padding(attn_mask, key_padding_mask, (batch, num_heads, k.shape[1]))
    sizes = (batch, num_heads, target, k.shape[1], head)
    projection = (out_proj_weight, out_proj_bias)
    dropout_p = dropout_p if training else 0.0
    if not need_weights:
        output = without_weights(q, k, v, attn_mask, dropout_p, is_causal, sizes, projection)
        return output if batched else output.squeeze(1), None
    output, weights = with_weights(q, k, v, attn_mask, dropout_p, sizes, projection)
    if average_attn_weights:
        weights = weights.mean(dim=1)
    if not batched:
        output, weights = output.squeeze(1), weights.squeeze(0)
    return output, weights


def masks(
    query: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None, is_causal: bool, need_weights: bool
) -> tuple[Tensor | None, Tensor | None, bool]:
    """Both masks as numbers to add, and whether the first may be left to the hint that it is causal.

    Raises:
        RuntimeError: the hint without a mask.
    """
    key_padding_mask = canonical_mask(key_padding_mask, "key_padding_mask", attn_mask, "attn_mask", query)
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    if is_causal and key_padding_mask is None and not need_weights:
        return None, None, True
    return (
        canonical_mask(attn_mask, "attn_mask", None, "", query),
        key_padding_mask,
        is_causal and key_padding_mask is None,
    )


def head_length(embed: int, expected: int, heads: int) -> int:
    """How much of the embedding each head gets.

    Raises:
        AssertionError: another embedding than the layer was made for, or one that cannot be divided so.
    """
    if embed != expected:
        raise AssertionError(f"was expecting embedding dimension of {expected}, but got {embed}")
    if embed // heads * heads != embed:
        raise AssertionError(f"embed_dim {embed} not divisible by num_heads {heads}")
    return embed // heads


def one_wider(mask: Tensor | None) -> Tensor | None:
    """The mask with room for one more key, which may be looked at."""
    return None if mask is None else TABLES["functional"]["pad"](mask, (0, 1))


def with_zero_row(rows: Tensor, shape: tuple[int, int, int]) -> Tensor:
    """Keys or values with one more, of zeros."""
    return torch_function("cat")([rows, torch_function("zeros")(shape, dtype=rows.dtype)], 1)


def with_padding(mask: Tensor | None, padding: Tensor, sizes: tuple[int, int, int]) -> Tensor:
    """The mask of attention (batch · heads or 1, queries, keys) and that of padded keys (batch, keys), added.

    Args:
        mask, padding: numbers to add to the scores.
        sizes: batch, heads, keys.

    Raises:
        AssertionError: padding for another batch, or another number of keys.
    """
    batch, heads, source = sizes
    for dimension, length in enumerate((batch, source)):
        if padding.shape[dimension] != length:
            raise AssertionError(
                f"Expected key_padded_mask.shape[{dimension}] to be {length}, but got {padding.shape[dimension]}"
            )
    per_head = padding.view(batch, 1, 1, source).expand(-1, heads, -1, -1).reshape(batch * heads, 1, source)
    return per_head if mask is None else mask + per_head


def checked_mask(mask: Tensor | None, target: int, source: int, heads: int) -> Tensor | None:
    """The mask with a head dimension.

    Raises:
        RuntimeError: another size.
    """
    if mask is None:
        return None
    if mask.ndim == 2:
        if tuple(mask.shape) != (target, source):
            raise RuntimeError(f"The shape of the 2D attn_mask is {mask.shape}, but should be {(target, source)}.")
        return mask.unsqueeze(0)
    if tuple(mask.shape) != (heads, target, source):
        raise RuntimeError(f"The shape of the 3D attn_mask is {mask.shape}, but should be {(heads, target, source)}.")
    return mask


Sizes = tuple[int, int, int, int, int]
"""Batch, heads, queries, keys, and the length of one head's rows."""
Projection = tuple[Tensor, Tensor | None]
"""Weight and bias of the layer at the end."""


def with_weights(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout_p: float, sizes: Sizes, projection: Projection
) -> tuple[Tensor, Tensor]:
    """Attention step by step: (L, N, E), and the weights (N, heads, L, S)."""
    batch, heads, target, source, head = sizes
    scaled = q * math.sqrt(1.0 / float(head))
    scores = (
        torch_function("bmm")(scaled, k.transpose(-2, -1))
        if mask is None
        else torch_function("baddbmm")(mask, scaled, k.transpose(-2, -1))
    )
    weights = scores.softmax(dim=-1)
    if dropout_p > 0.0:
        weights = dropout(weights, p=dropout_p)
    output = torch_function("bmm")(weights, v).transpose(0, 1).reshape(target * batch, heads * head)
    output = linear(output, *projection)
    output = output.view(target, batch, output.shape[1])
    return output, weights.view(batch, heads, target, source)


def without_weights(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None,
    dropout_p: float,
    is_causal: bool,
    sizes: Sizes,
    projection: Projection,
) -> Tensor:
    """Attention in one fused operator, when nobody asks for the weights: (L, N, E)."""
    batch, heads, target, source, head = sizes
    if mask is not None:
        mask = mask.unsqueeze(0) if mask.shape[0] == 1 and mask.ndim == 3 else mask.view(batch, heads, -1, source)
    q, k, v = q.view(batch, heads, target, head), k.view(batch, heads, source, head), v.view(batch, heads, source, head)
    output = scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)
    output = output.permute(2, 0, 1, 3).reshape(batch * target, heads * head)
    output = linear(output, *projection)
    return output.view(target, batch, output.shape[1])
