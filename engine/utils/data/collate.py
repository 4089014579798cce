"""From a list of items to a batch: tensors are stacked, numbers become tensors, structures keep their shape.

``default_collate_fn_map`` says what is done with items of a kind; a program may add its own kinds.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.ops.factories.creation import as_tensor, tensor
from engine.ops.layout.joining import stack
from engine.tensor import Tensor

CollateMap = dict[Any, Callable[..., Any]]
"""Kinds (or tuples of them) and the functions that make a batch of a list of such items."""
WORDS = "SaUO"
"""Letters of numpy's dtypes of text and objects, which no tensor holds."""


def collate(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """One batch out of items that all look alike: what the map has for the kind of the first, else structure by structure.

    Raises:
        RuntimeError: sequences of different lengths.
        TypeError: items of a kind that has no batch.
    """
    first = batch[0]
    found = collate_fn_map or {}
    if type(first) in found:
        return found[type(first)](batch, collate_fn_map=collate_fn_map)
    for kind, function in found.items():
        if isinstance(first, kind):
            return function(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        entries = {key: collate([item[key] for item in batch], collate_fn_map=collate_fn_map) for key in first}
        return like_mapping(first, entries)
    if isinstance(first, Sequence):
        if not hasattr(first, "_fields") and any(len(item) != len(first) for item in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [collate(column, collate_fn_map=collate_fn_map) for column in zip(*batch, strict=False)]
        return like_sequence(first, columns)
    raise no_batch(type(first))


def no_batch(kind: Any) -> TypeError:
    """What is said of a kind that is not in the map."""
    return TypeError(
        f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {kind}"
    )


def like_mapping(like: Mapping[Any, Any], entries: dict[Any, Any]) -> Any:
    """The entries in a mapping of the same kind, if it can be made."""
    try:
        if isinstance(like, MutableMapping):
            clone = copy.copy(like)
            clone.update(entries)
            return clone
        return type(like)(entries)  # type: ignore[call-arg]  # the program's own kind
    except TypeError:
        return entries


def like_sequence(like: Sequence[Any], items: list[Any]) -> Any:
    """The items in a sequence of the same kind, if it can be made; a tuple gives a list, a named one keeps its names."""
    if hasattr(like, "_fields"):
        return type(like)(*items)
    if isinstance(like, tuple):
        return items
    try:
        if isinstance(like, MutableSequence):
            clone = copy.copy(like)
            for place, item in enumerate(items):
                clone[place] = item
            return clone
        return type(like)(items)  # type: ignore[call-arg]  # the program's own kind
    except TypeError:
        return items


def collate_tensor_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """Stacks tensors."""
    return stack(batch, 0)


def collate_numpy_array_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """Stacks arrays as tensors.

    Raises:
        TypeError: arrays of text or objects.
    """
    if batch[0].dtype.kind in WORDS:
        raise no_batch(batch[0].dtype)
    return collate([as_tensor(array) for array in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """A tensor of numpy's numbers, with their dtype."""
    return as_tensor(np.array(batch))


def collate_float_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """A tensor of Python's floats, in their precision."""
    return tensor(batch, dtype=dtypes.float64)


def collate_int_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """A tensor of Python's integers."""
    return tensor(batch)


def collate_str_fn(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """Text stays a list."""
    return batch


default_collate_fn_map: CollateMap = {
    Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


def default_collate(batch: Any) -> Any:
    """`collate` with the map that everybody shares."""
    return collate(batch, collate_fn_map=default_collate_fn_map)


def default_convert(data: Any) -> Any:
    """One item, unbatched: arrays become tensors, the rest stays as it is."""
    if isinstance(data, Tensor):
        return data
    if isinstance(data, np.ndarray | np.generic) and data.dtype.kind not in WORDS:
        return as_tensor(np.asarray(data))
    if isinstance(data, Mapping):
        return like_mapping(data, {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return like_sequence(data, [default_convert(value) for value in data])
    return data
