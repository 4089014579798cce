"""Sequences of different lengths: padded into one tensor, or packed so that no step is wasted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from engine.ops.core.catalogue import TABLES
from engine.tensor import Tensor


class _Packed(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(_Packed):
    """All steps of a batch, step by step, longest sequence first."""

    __module__ = "torch.nn.utils.rnn"

    def __new__(
        cls,
        data: Any,
        batch_sizes: Any = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> PackedSequence:
        """As `pack_padded_sequence` makes it; ``data`` may be a pair with the batch sizes.

        Raises:
            AssertionError: no batch sizes.
        """
        if batch_sizes is None:
            if not (isinstance(data, list | tuple) and len(data) == 2):
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """With its data converted."""
        return PackedSequence(
            self.data.to(*args, **kwargs), self.batch_sizes, self.sorted_indices, self.unsorted_indices
        )

    def double(self) -> PackedSequence:
        """With its data as float64."""
        return PackedSequence(self.data.double(), self.batch_sizes, self.sorted_indices, self.unsorted_indices)

    def float(self) -> PackedSequence:
        """With its data as float32."""
        return PackedSequence(self.data.float(), self.batch_sizes, self.sorted_indices, self.unsorted_indices)

    @property
    def is_cuda(self) -> bool:
        """There is no CUDA here."""
        return False


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The order that undoes another."""
    return None if permutation is None else permutation.argsort()


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Drops the padding of (T, B, …) (or (B, T, …)).

    Raises:
        RuntimeError: lengths that are not positive, not one per sequence, or not sorted although they were said to be.
    """
    lengths = TABLES["torch"]["tensor"](list(lengths)) if not isinstance(lengths, Tensor) else lengths
    order = None
    if not enforce_sorted:
        lengths, order = lengths.sort(descending=True)
        input = input.index_select(0 if batch_first else 1, order)
    data, batch_sizes = TABLES["internal"]["_pack_padded_sequence"](input, lengths, batch_first)
    return PackedSequence(data, batch_sizes, order, None)


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """(T, B, …) padded again, and the lengths.

    Raises:
        ValueError: ``total_length`` shorter than the longest sequence.
    """
    longest = sequence.batch_sizes.numel()
    if total_length is not None:
        if total_length < longest:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {longest}"
            )
        longest = total_length
    padded, lengths = TABLES["internal"]["_pad_packed_sequence"](
        sequence.data, sequence.batch_sizes, batch_first, padding_value, longest
    )
    order = sequence.unsorted_indices
    if order is not None:
        return padded.index_select(0 if batch_first else 1, order), lengths[order]
    return padded, lengths


def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Stacks sequences (L, …) of different lengths, padded to the longest.

    Raises:
        RuntimeError: not an iterable, or an unknown side.
        TypeError: one of the sequences is no tensor.
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    listed = list(sequences.unbind(0)) if isinstance(sequences, Tensor) else list(sequences)
    if not listed:
        raise RuntimeError("received an empty list of sequences")
    for index, sequence in enumerate(listed):
        if not isinstance(sequence, Tensor):
            raise TypeError(f"expected Tensor as element {index} in argument 0, but got {type(sequence).__name__}")
    longest = max(len(s) for s in listed)
    rest = listed[0].shape[1:]
    shape = (len(listed), longest, *rest) if batch_first else (longest, len(listed), *rest)
    out = TABLES["torch"]["full"](shape, padding_value, dtype=listed[0].dtype)
    for index, sequence in enumerate(listed):
        length = len(sequence)
        start = 0 if padding_side == "right" else longest - length
        place = out.select(0 if batch_first else 1, index).narrow(0, start, length)
        place.copy_(sequence)
    return out


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """The sequences without their padding: copies, chosen by a mask. As in PyTorch, a padded tensor whose batch is
    not its first dimension is transposed in place.
    """
    if not batch_first:
        padded_sequences.transpose_(0, 1)
    steps = TABLES["torch"]["arange"](padded_sequences.shape[1], device=lengths.device)
    return [sequence[steps < length] for sequence, length in zip(padded_sequences, lengths, strict=True)]


def pack_sequence(sequences: list[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Packs sequences of different lengths."""
    lengths = TABLES["torch"]["tensor"]([len(s) for s in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The sequences of a packed one."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
