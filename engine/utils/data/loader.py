"""``torch.utils.data.DataLoader``: goes through a dataset in batches.

Everything is loaded in this very process, also by workers (`engine.utils.data.workers`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from engine.errors import Explained
from engine.utils.data.collate import default_collate, default_convert
from engine.utils.data.dataset import IterableDataset
from engine.utils.data.iteration import (
    _BaseDataLoaderIter,
    _MultiProcessingDataLoaderIter,
    _SingleProcessDataLoaderIter,
)
from engine.utils.data.sampler import BatchSampler, RandomSampler, SequentialSampler, _InfiniteConstantSampler

FIXED = {"batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"}
"""What a loader's samplers were made from: set once."""


class DataLoader:
    """Iterates over ``dataset`` in batches of ``batch_size`` (None: single items), shuffled if asked.

    Raises:
        ValueError: options that contradict each other.
    """

    __module__ = "torch.utils.data.dataloader"

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[list[Any]] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        check_workers(num_workers, timeout, prefetch_factor, persistent_workers, multiprocessing_context)
        self.dataset = dataset
        self.num_workers, self.pin_memory, self.timeout = num_workers, pin_memory, timeout
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.persistent_workers, self.in_order = persistent_workers, in_order
        self.pin_memory_device, self.multiprocessing_context = pin_memory_device, multiprocessing_context
        self.worker_init_fn, self.generator, self.drop_last = worker_init_fn, generator, drop_last
        streams = isinstance(dataset, IterableDataset)
        if streams:
            check_stream(shuffle, sampler, batch_sampler)
        elif sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if sampler is None and streams:
            sampler = _InfiniteConstantSampler()
        elif sampler is None:
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        batches = batch_size is not None or batch_sampler is not None
        self.collate_fn = collate_fn or (default_collate if batches else default_convert)
        self._iterator: _MultiProcessingDataLoaderIter | None = None
        self._IterableDataset_len_called: int | None = None

    def __setattr__(self, name: str, value: Any) -> None:
        if name in FIXED and name in self.__dict__:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    @property
    def _index_sampler(self) -> Any:
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def __iter__(self) -> _BaseDataLoaderIter:
        if not (self.persistent_workers and self.num_workers):
            return self._get_iterator()
        if self._iterator is None:
            self._iterator = _MultiProcessingDataLoaderIter(self)
        else:
            self._iterator._again()
        return self._iterator

    def _get_iterator(self) -> _BaseDataLoaderIter:
        if self.timeout and not self.num_workers:
            raise AssertionError(
                Explained(
                    "_SingleProcessDataLoaderIter requires timeout == 0",
                    "Nobody is waited for without workers (num_workers=0).",
                )
            )
        return _MultiProcessingDataLoaderIter(self) if self.num_workers else _SingleProcessDataLoaderIter(self)

    def __len__(self) -> int:
        if isinstance(self.dataset, IterableDataset):
            count = self._IterableDataset_len_called = len(self.dataset)  # type: ignore[arg-type]  # Python says if it has none
            if self.batch_size is None:
                return count
            return count // self.batch_size if self.drop_last else -(-count // self.batch_size)
        return len(self._index_sampler)


def check_workers(
    num_workers: int, timeout: float, prefetch_factor: int | None, persistent_workers: bool, context: Any
) -> None:
    """PyTorch's refusals of worker options.

    Raises:
        ValueError: a negative number, or an option for workers without any.
    """
    if num_workers < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and context is not None:
        raise ValueError(
            "multiprocessing_context can only be used with multi-process loading (num_workers > 0), "
            f"but got num_workers={num_workers}"
        )
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing."
            "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def check_stream(shuffle: Any, sampler: Any, batch_sampler: Any) -> None:
    """A stream has its own order.

    Raises:
        ValueError: an option that gives an order.
    """
    for name, value in (("shuffle", shuffle or None), ("sampler", sampler), ("batch_sampler", batch_sampler)):
        if value is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
            )
