"""`DistributedSampler`: one process's share of a dataset, out of several that train the same model."""

from __future__ import annotations

from collections.abc import Iterator, Sized
from itertools import cycle, islice
from typing import Any

from engine.errors import Explained
from engine.ops.random.state import Generator
from engine.utils.data.sampler import Sampler, shuffled


class DistributedSampler(Sampler[int]):
    """Every ``num_replicas``-th index from ``rank`` on, of an order that all processes draw alike from ``seed`` and the epoch.

    All shares are equally long: the order starts over to fill the last one, or is cut with ``drop_last``.

    Raises:
        ValueError: no such ``rank``; or without ``num_replicas`` or ``rank``, which only a process group could tell.
    """

    __module__ = "torch.utils.data.distributed"

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            raise ValueError(
                Explained(
                    "Default process group has not been initialized, please make sure to call init_process_group.",
                    "There is one process here: say num_replicas and rank, and the sampler gives that process's share.",
                )
            )
        if not 0 <= rank < num_replicas:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset, self.num_replicas, self.rank = dataset, num_replicas, rank
        self.epoch, self.shuffle, self.seed, self.drop_last = 0, shuffle, seed, drop_last
        whole, left_over = divmod(len(dataset), num_replicas)
        self.num_samples = whole + bool(left_over and not drop_last)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        order: Any = range(count)
        if self.shuffle:
            order = shuffled(count, Generator().manual_seed(self.seed + self.epoch))
        return islice(cycle(order), self.rank, self.total_size, self.num_replicas)

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Makes the next order another one: without this every epoch has the same."""
        self.epoch = epoch
