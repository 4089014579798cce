"""One way through a loader: what ``iter(loader)`` gives."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from engine.utils.data.dataset import IterableDataset
from engine.utils.data.sampler import drawn_seed

if TYPE_CHECKING:
    from engine.utils.data.loader import DataLoader


class _BaseDataLoaderIter:
    """Yields batch after batch; ``_num_yielded`` counts them.

    The order of random numbers is PyTorch's: a sampler that draws as soon as it is asked for its iterator does so first, then comes a
    seed for workers (also when there are none), then the sampler draws with each index.
    """

    __module__ = "torch.utils.data.dataloader"

    def __init__(self, loader: DataLoader) -> None:
        self._dataset = loader.dataset
        self._loader = loader
        self._index_sampler: Any = loader._index_sampler
        self._sampler_iter = iter(self._index_sampler)
        self._base_seed = drawn_seed(loader.generator)
        self._num_yielded = 0
        self._batches = self._streamed() if isinstance(self._dataset, IterableDataset) else self._fetched()

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        batch = next(self._batches)
        self._num_yielded += 1
        promised = self._loader._IterableDataset_len_called
        if promised is not None and self._num_yielded > promised:
            warnings.warn(
                f"Length of IterableDataset {self._dataset} was reported to be {promised}(when accessing len(dataloader)), "
                f"but {self._num_yielded} samples have been fetched. Make its __len__ count what its __iter__ yields.",
                stacklevel=2,
            )
        return batch

    def __len__(self) -> int:
        return len(self._index_sampler)

    def _fetched(self) -> Iterator[Any]:
        dataset, collate = self._dataset, self._loader.collate_fn
        if self._loader.batch_sampler is None:
            for index in self._sampler_iter:
                yield collate(dataset[index])
            return
        fetch = getattr(dataset, "__getitems__", None)
        for indices in self._sampler_iter:
            yield collate(fetch(indices) if fetch else [dataset[index] for index in indices])

    def _streamed(self) -> Iterator[Any]:
        size, collate = self._loader.batch_size, self._loader.collate_fn
        items = iter(self._dataset)
        return map(collate, items if size is None else batches(items, size, self._loader.drop_last))


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """Loads in this very process."""

    __module__ = "torch.utils.data.dataloader"


def batches(items: Iterator[Any], size: int, drop_last: bool) -> Iterator[list[Any]]:
    """Lists of ``size`` items; the last one may be shorter unless ``drop_last``."""
    batch: list[Any] = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch and not drop_last:
        yield batch
