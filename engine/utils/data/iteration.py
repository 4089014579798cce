"""One way through a loader: what ``iter(loader)`` gives, with and without workers."""

from __future__ import annotations

import itertools
import warnings
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from engine.utils.data.dataset import IterableDataset
from engine.utils.data.fetching import fetcher
from engine.utils.data.sampler import drawn_seed

if TYPE_CHECKING:
    from engine.utils.data.loader import DataLoader
    from engine.utils.data.workers import Worker


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

    def __iter__(self) -> Iterator[Any]:
        return self

    def _next_data(self) -> Any:
        raise NotImplementedError

    def __next__(self) -> Any:
        batch = self._next_data()
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


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """Loads where it is asked."""

    __module__ = "torch.utils.data.dataloader"

    def __init__(self, loader: DataLoader) -> None:
        super().__init__(loader)
        self._fetch = fetcher(loader, self._dataset)

    def _next_data(self) -> Any:
        return self._fetch(next(self._sampler_iter))


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Gives the indices to workers in turn, and takes what they load in the same order.

    ``_tasks`` holds what was given out and not yet taken: each worker is ``prefetch_factor`` tasks ahead, so the sampler draws
    early. A worker whose stream has ended gets no more.

    Raises:
        AssertionError: workers that may not load anything ahead.
    """

    __module__ = "torch.utils.data.dataloader"

    def __init__(self, loader: DataLoader) -> None:
        super().__init__(loader)
        if not loader.prefetch_factor:
            raise AssertionError("prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter")
        from engine.utils.data.workers import Worker  # here, since importing torch should be quick

        self._workers = [Worker(loader, number, self._base_seed) for number in range(loader.num_workers)]
        self._reset()

    def _reset(self) -> None:
        """Begins: with the first epoch, and with each further one of persistent workers."""
        self._sampler_iter = iter(self._index_sampler)
        self._num_yielded = 0
        self._turns = itertools.cycle(self._workers)
        self._tasks: deque[tuple[Worker, Any]] = deque()
        for _ in range((self._loader.prefetch_factor or 0) * len(self._workers)):
            self._give_out()

    def _give_out(self) -> None:
        try:
            index = next(self._sampler_iter)
        except StopIteration:
            return
        active = (worker for worker in itertools.islice(self._turns, len(self._workers)) if worker.active)
        worker = next(active, None)
        if worker is not None:
            self._tasks.append((worker, index))

    def _next_data(self) -> Any:
        while self._tasks:
            worker, index = self._tasks.popleft()
            if not worker.active:
                continue
            try:
                return worker.load(index)
            except StopIteration:
                if not isinstance(self._dataset, IterableDataset):
                    raise
                worker.active = False
            finally:
                self._give_out()
        raise StopIteration

    def _again(self) -> None:
        """The same workers go through the dataset once more; their random numbers go on, after what they have loaded ahead."""
        for worker, index in self._tasks:
            with suppress(Exception):
                worker.load(index)
        for worker in self._workers:
            worker.begin()
        self._reset()
