"""The transformer: stacks of its layers (Vaswani et al. 2017)."""

from __future__ import annotations

import copy
import math
import warnings
from typing import Any

from engine.autograd.modes import state as modes
from engine.nn.containers import ModuleList
from engine.nn.init import xavier_uniform_
from engine.nn.module import Module
from engine.nn.normalisation import LayerNorm
from engine.nn.transformer_layers import TransformerDecoderLayer, TransformerEncoderLayer, cleaned_masks
from engine.ops.core.catalogue import TABLES


def square_mask(size: int, dtype: Any = None, device: Any = None) -> Any:
    """−∞ above the diagonal, so that no place looks ahead."""
    torch = TABLES["torch"]
    return torch["triu"](torch["full"]((size, size), -math.inf, dtype=dtype, device=device), diagonal=1)


def looks_causal(mask: Any, given: bool | None, size: int | None) -> bool:
    """Whether the mask is `square_mask`, as far as was said or can be seen."""
    if given is not None or mask is None:
        return bool(given)
    expected = square_mask(mask.shape[-2] if size is None else size, mask.dtype)
    return mask.shape == expected.shape and bool((mask == expected).all())


def copies(module: Module, count: int) -> ModuleList:
    """``count`` independent copies."""
    return ModuleList([copy.deepcopy(module) for _ in range(count)])


def why_no_nested_tensors(layer: Module) -> str:
    """What keeps PyTorch's quick path from leaving out padding, in its words; empty where nothing does."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    attention = layer.self_attn
    reasons = (
        (layer.norm_first, "norm_first was True"),
        (
            not attention.batch_first,
            "self_attn.batch_first was not True(use batch_first for better inference performance)",
        ),
        (attention.in_proj_bias is None, "self_attn was passed bias=False"),
        (not layer.activation_relu_or_gelu, "activation_relu_or_gelu was not True"),
        (layer.norm1.eps != layer.norm2.eps, "norm1.eps was not equal to encoder_layer.norm2.eps"),
        (attention.num_heads % 2 == 1, "self_attn.num_heads is odd"),
    )
    return next((f"encoder_layer.{reason}" for holds, reason in reasons if holds), "")


class TransformerEncoder(Module):
    """A stack of encoder layers."""

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = copies(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor, self.mask_check = enable_nested_tensor, mask_check
        reason = why_no_nested_tensors(encoder_layer)
        self.use_nested_tensor = enable_nested_tensor and not reason
        if enable_nested_tensor and reason:
            warnings.warn(
                f"enable_nested_tensor is True, but self.use_nested_tensor is False because {reason}", stacklevel=2
            )

    def forward(
        self, src: Any, mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool | None = None
    ) -> Any:
        """Same shape."""
        mask, src_key_padding_mask = cleaned_masks(mask, src_key_padding_mask, ("src_key_padding_mask", "mask"), src)
        batch_first = getattr(getattr(self.layers[0], "self_attn", None), "batch_first", False)
        causal = looks_causal(mask, is_causal, sequence_length(src, batch_first))
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=causal, src_key_padding_mask=src_key_padding_mask)
        if mask is None and self._leaves_padding_out(src, src_key_padding_mask):
            output = output.masked_fill((src_key_padding_mask != 0).unsqueeze(-1), 0.0)
        return output if self.norm is None else self.norm(output)

    def _leaves_padding_out(self, src: Any, padding: Any) -> bool:
        """Whether PyTorch takes its fast path without the padded places, in which there are zeros then (`mask_check`:
        only if all of them stand at the ends).
        """
        first = self.layers[0]
        if not self.use_nested_tensor or first.training or src.dim() != 3 or padding is None:
            return False
        if modes.grad_enabled and any(tensor.requires_grad for tensor in (src, *first.parameters())):
            return False
        return not (modes.autocast or (self.mask_check and not at_the_end(padding)))


def at_the_end(padding: Any) -> bool:
    """Whether every sequence stands in front of its padding."""
    padded = padding != 0
    return not bool((padded[:, :-1] & ~padded[:, 1:]).any())


def sequence_length(src: Any, batch_first: bool) -> int | None:
    """How long the sequence is, as far as the shape tells."""
    if src.dim() == 2:
        return src.shape[0]
    return src.shape[1 if batch_first else 0] if src.dim() == 3 else None


class TransformerDecoder(Module):
    """A stack of decoder layers."""

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = copies(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Any:
        """The shape of ``tgt``."""
        causal = looks_causal(tgt_mask, tgt_is_causal, sequence_length(tgt, self.layers[0].self_attn.batch_first))
        output = tgt
        for layer in self.layers:
            output = layer(
                output,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )
        return output if self.norm is None else self.norm(output)


class Transformer(Module):
    """Encoder and decoder."""

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        settings = (dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, device, dtype)
        if custom_encoder is not None:
            self.encoder = custom_encoder
        else:
            layer: Module = TransformerEncoderLayer(d_model, nhead, *settings)
            self.encoder = TransformerEncoder(
                layer, num_encoder_layers, LayerNorm(d_model, eps=layer_norm_eps, bias=bias, dtype=dtype, device=device)
            )
        if custom_decoder is not None:
            self.decoder = custom_decoder
        else:
            layer = TransformerDecoderLayer(d_model, nhead, *settings)
            self.decoder = TransformerDecoder(
                layer, num_decoder_layers, LayerNorm(d_model, eps=layer_norm_eps, bias=bias, dtype=dtype, device=device)
            )
        self._reset_parameters()
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def forward(
        self,
        src: Any,
        tgt: Any,
        src_mask: Any = None,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        src_key_padding_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Any:
        """The shape of ``tgt``.

        Raises:
            RuntimeError: batches or features that do not go together.
        """
        batch = 0 if self.batch_first else 1
        if src.dim() == 3 and src.shape[batch] != tgt.shape[batch]:
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Any:
        """−∞ above the diagonal."""
        return square_mask(sz, dtype, device)

    def _reset_parameters(self) -> None:
        for parameter in self.parameters():
            if parameter.ndim > 1:
                xavier_uniform_(parameter)
