"""From a list of items to a batch: tensors are stacked, numbers become tensors, structures keep their shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.ops.factories.creation import as_tensor, tensor
from engine.ops.layout.joining import stack
from engine.tensor import Tensor


def default_collate(batch: Any) -> Any:
    """One batch out of a list of items that all look alike.

    Raises:
        RuntimeError: sequences of different lengths.
        TypeError: items of a kind that has no batch.
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(batch if isinstance(batch, Tensor) else list(batch), 0)
    if isinstance(first, np.ndarray):
        return default_collate([as_tensor(item) for item in batch])
    if isinstance(first, np.generic):
        return as_tensor(np.array(batch))
    if isinstance(first, bool):
        return tensor(batch)
    if isinstance(first, float):
        return tensor(batch, dtype=dtypes.float64)
    if isinstance(first, int):
        return tensor(batch)
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, Mapping):
        collated = {key: default_collate([item[key] for item in batch]) for key in first}
        return collated if type(first) is dict else type(first)(collated)  # type: ignore[call-arg]  # its own kind
    if isinstance(first, Sequence):
        return collated_sequences(batch, first)
    raise TypeError(
        f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {type(first)}"
    )


def collated_sequences(batch: Any, first: Any) -> Any:
    """Column by column: a list of batches (a named tuple keeps its names).

    Raises:
        RuntimeError: sequences of different lengths.
    """
    if any(len(item) != len(first) for item in batch):
        raise RuntimeError("each element in list of batch should be of equal size")
    columns = [default_collate(column) for column in zip(*batch, strict=True)]
    if hasattr(first, "_fields"):
        return type(first)(*columns)
    return columns


def default_convert(data: Any) -> Any:
    """One item, unbatched: arrays become tensors, the rest stays as it is."""
    if isinstance(data, Tensor):
        return data
    if isinstance(data, np.ndarray | np.generic) and data.dtype.kind not in "SaUO":
        return as_tensor(np.asarray(data))
    if isinstance(data, Mapping):
        return {key: default_convert(value) for key, value in data.items()}
    if hasattr(data, "_fields"):
        return type(data)(*map(default_convert, data))
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return [default_convert(value) for value in data]
    return data
