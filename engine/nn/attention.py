"""Multi-head attention as a layer."""

from __future__ import annotations

from typing import Any

from engine.nn import functional as F
from engine.nn import init
from engine.nn.linear import Linear
from engine.nn.making import add_parameter
from engine.nn.module import Module


class NonDynamicallyQuantizableLinear(Linear):
    """`Linear` under the name that PyTorch shows in attention layers."""


class MultiheadAttention(Module):
    """Several attentions side by side, each on its own projection (Vaswani et al. 2017).

    Raises:
        ValueError: sizes that are not positive.
        AssertionError: the heads do not divide the embedding.
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and "
                f"num_heads={num_heads} instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads, self.dropout, self.batch_first = num_heads, dropout, batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        together = {"in_proj_weight": (3 * embed_dim, embed_dim)}
        apart = {
            f"{name}_proj_weight": (embed_dim, n)
            for name, n in zip("qkv", (embed_dim, self.kdim, self.vdim), strict=True)
        }
        made, missing = (together, apart) if self._qkv_same_embed_dim else (apart, together)
        for name, shape in made.items():
            add_parameter(self, name, shape, dtype, device)
        for name in missing:
            self.register_parameter(name, None)
        add_parameter(self, "in_proj_bias", (3 * embed_dim,) if bias else None, dtype, device)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, dtype=dtype, device=device)
        for name in ("bias_k", "bias_v"):
            add_parameter(self, name, (1, 1, embed_dim) if add_bias_kv else None, dtype, device)
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        if self.bias_k is not None:
            init.xavier_normal_(self.bias_k)
        if self.bias_v is not None:
            init.xavier_normal_(self.bias_v)

    def _separate_weights(self) -> dict[str, Any]:
        """What the function is told where keys or values have another length than queries."""
        if self._qkv_same_embed_dim:
            return {}
        weights = {f"{name}_proj_weight": getattr(self, f"{name}_proj_weight") for name in "qkv"}
        return {"use_separate_proj_weight": True, **weights}

    def forward(
        self,
        query: Any,
        key: Any,
        value: Any,
        key_padding_mask: Any = None,
        need_weights: bool = True,
        attn_mask: Any = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Any, Any]:
        """(L, N, E), (S, N, E), (S, N, E) (batch first if so made) → (L, N, E) and the weights (N, L, S)."""
        turned = query.dim() == 3 and self.batch_first
        if turned:
            query, key, value = length_first(query, key, value)
        output, weights = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
            **self._separate_weights(),
        )
        return (output.transpose(1, 0) if turned else output), weights


def length_first(query: Any, key: Any, value: Any) -> tuple[Any, Any, Any]:
    """(N, L, E) each → (L, N, E) each; what is one tensor stays one, so that its projection can be made at once."""
    if key is not value:
        return query.transpose(1, 0), key.transpose(1, 0), value.transpose(1, 0)
    turned = query.transpose(1, 0)
    key = turned if query is key else key.transpose(1, 0)
    return turned, key, key
