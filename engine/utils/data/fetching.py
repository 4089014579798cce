"""From a sampler's index (or list of indices) to the batch."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from engine.utils.data.dataset import IterableDataset

if TYPE_CHECKING:
    from engine.utils.data.loader import DataLoader

Fetch = Callable[[Any], Any]


def fetcher(loader: DataLoader, dataset: Any) -> Fetch:
    """What loads from ``dataset``: items by their indices, or the next ones of a stream, whose iterator is made now."""
    if isinstance(dataset, IterableDataset):
        return streamed(loader, dataset)
    collate = loader.collate_fn
    if loader.batch_sampler is None:
        return lambda index: collate(dataset[index])
    whole = getattr(dataset, "__getitems__", None)
    if whole:
        return lambda indices: collate(whole(indices))
    return lambda indices: collate([dataset[index] for index in indices])


def streamed(loader: DataLoader, dataset: Any) -> Fetch:
    """The next items, as many as there are indices.

    Raises:
        StopIteration: when called at the stream's end, or for a last batch that is not full and shall be dropped.
    """
    items, collate, drop_last = iter(dataset), loader.collate_fn, loader.drop_last
    if loader.batch_sampler is None:
        return lambda index: collate(next(items))

    def fetch(indices: Any) -> Any:
        batch = list(itertools.islice(items, len(indices)))
        if not batch or (drop_last and len(batch) < len(indices)):
            raise StopIteration
        return collate(batch)

    return fetch
