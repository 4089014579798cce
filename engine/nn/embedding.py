"""Tables of rows: embedding layers."""

from __future__ import annotations

from typing import Any, Self

from engine.autograd.modes import no_grad
from engine.nn import functional as F
from engine.nn import init
from engine.nn.making import empty_parameter
from engine.nn.module import Module
from engine.tensor import Parameter


class Embedding(Module):
    """A table of ``num_embeddings`` rows, looked up by number.

    Raises:
        AssertionError: a padding row or a given table that does not fit the sizes.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Any = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = checked_padding(padding_idx, num_embeddings)
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        if _weight is None:
            self.weight = empty_parameter(num_embeddings, embedding_dim, dtype=dtype, device=device)
            self.weight.requires_grad = not _freeze
            self.reset_parameters()
        else:
            if list(_weight.shape) != [num_embeddings, embedding_dim]:
                raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
            self.weight = Parameter(_weight, requires_grad=not _freeze)

    def reset_parameters(self) -> None:
        """Standard normal rows; the padding row zero."""
        init.normal_(self.weight)
        self._fill_padding_idx_with_zero()

    def _fill_padding_idx_with_zero(self) -> None:
        zero_padding_row(self)

    def forward(self, input: Any) -> Any:
        """(…) numbers → (…, embedding_dim)."""
        return F.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        )

    def extra_repr(self) -> str:
        """Settings that differ from the defaults."""
        return f"{self.num_embeddings}, {self.embedding_dim}" + further_settings(self)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Any,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Self:
        """A layer around a given table.

        Raises:
            AssertionError: no matrix.
        """
        if embeddings.ndim != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        return cls(rows, columns, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, embeddings, freeze)


class EmbeddingBag(Module):
    """Sums, means or maxima of bags of rows."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Any = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        self.mode, self.include_last_offset = mode, include_last_offset
        self.padding_idx = checked_padding(padding_idx, num_embeddings)
        if _weight is None:
            self.weight = empty_parameter(num_embeddings, embedding_dim, dtype=dtype, device=device)
            self.reset_parameters()
        else:
            self.weight = Parameter(_weight)

    def reset_parameters(self) -> None:
        """Standard normal rows; the padding row zero."""
        init.normal_(self.weight)
        zero_padding_row(self)

    def forward(self, input: Any, offsets: Any = None, per_sample_weights: Any = None) -> Any:
        """(B, n) numbers, or (n,) with the offsets of the bags → (B, embedding_dim)."""
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        """Settings that differ from the defaults."""
        text = f"{self.num_embeddings}, {self.embedding_dim}" + settings_of_rows(self) + f", mode={self.mode!r}"
        return text if self.padding_idx is None else f"{text}, padding_idx={self.padding_idx}"

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Any,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> Self:
        """A layer around a given table."""
        rows, columns = embeddings.shape
        layer = cls(
            rows,
            columns,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            mode,
            sparse,
            embeddings,
            include_last_offset,
            padding_idx,
        )
        layer.weight.requires_grad = not freeze
        return layer


def checked_padding(padding_idx: int | None, rows: int) -> int | None:
    """A padding row counted from the front.

    Raises:
        AssertionError: it is outside the table.
    """
    if padding_idx is None:
        return None
    if not -rows <= padding_idx < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return padding_idx % rows


def zero_padding_row(layer: Any) -> None:
    """Sets the row that stands for nothing to zero, if the table has one."""
    if layer.padding_idx is not None:
        with no_grad():
            layer.weight[layer.padding_idx].fill_(0)


def further_settings(layer: Any) -> str:
    """What differs from the defaults, for a repr."""
    text = "" if layer.padding_idx is None else f", padding_idx={layer.padding_idx}"
    text += settings_of_rows(layer)
    return text if layer.sparse is False else f"{text}, sparse={layer.sparse}"


def settings_of_rows(layer: Any) -> str:
    """What differs from the defaults in how rows are read, for a repr."""
    text = ""
    if layer.max_norm is not None:
        text += f", max_norm={layer.max_norm}"
    if layer.norm_type != 2:
        text += f", norm_type={layer.norm_type}"
    if layer.scale_grad_by_freq is not False:
        text += f", scale_grad_by_freq={layer.scale_grad_by_freq}"
    return text
