"""The order in which a loader visits a dataset: samplers yield indices, or lists of them.

`RandomSampler` draws one seed from the default generator and shuffles with a generator of its own, as PyTorch does, so
the same ``manual_seed`` gives the same order. Indices are drawn without tensors: shuffling is no step of a trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar

import numpy as np

from engine import dtype as dtypes
from engine.ops.factories.creation import as_tensor
from engine.ops.random.state import Generator, source
from engine.random import distributions as random

Index_co = TypeVar("Index_co", covariant=True)
LONG = np.dtype(np.int64)
CHUNK = 32
"""With replacement, PyTorch draws this many indices at a time."""


def drawn_seed(generator: Any = None) -> int:
    """A 63-bit seed from the default (or given) generator."""
    return int(random.whole_range(source(generator), (), LONG))


def shuffled(count: int, generator: Any = None) -> list[int]:
    """0 … count − 1 in random order."""
    order: list[int] = random.permutation(source(generator), count, LONG).tolist()
    return order


class Sampler(Generic[Index_co]):
    """``torch.utils.data.Sampler``: subclasses say how to iterate over indices."""

    __module__ = "torch.utils.data.sampler"

    def __iter__(self) -> Iterator[Index_co]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """0, 1, 2, …"""

    __module__ = "torch.utils.data.sampler"

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class _InfiniteConstantSampler(Sampler[None]):
    """None without end: the order of a dataset that has its own."""

    __module__ = "torch.utils.data.dataloader"

    def __iter__(self) -> Iterator[None]:
        while True:
            yield None


class RandomSampler(Sampler[int]):
    """Every index once in random order, or ``num_samples`` independent ones with ``replacement``.

    Raises:
        TypeError: ``replacement`` is no bool.
        ValueError: no samples.
    """

    __module__ = "torch.utils.data.sampler"

    def __init__(
        self, data_source: Sized, replacement: Any = False, num_samples: Any = None, generator: Any = None
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if num_samples is not None and (not isinstance(num_samples, int) or num_samples <= 0):
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={num_samples}")
        if num_samples is None and not len(data_source):
            raise ValueError("num_samples should be a positive integer value, but got num_samples=0")

    @property
    def num_samples(self) -> int:
        """How many indices an epoch has."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        count = len(self.data_source)
        generator = self.generator
        if generator is None:
            generator = Generator().manual_seed(drawn_seed())
        if self.replacement:
            # One chunk at a time: an endless loader asks for 1e10 samples.
            for drawn in range(0, self.num_samples + 1, CHUNK):
                length = min(CHUNK, self.num_samples - drawn)
                yield from random.integers(source(generator), (length,), LONG, 0, count).tolist()
        else:
            for _ in range(self.num_samples // count):
                yield from shuffled(count, generator)
            yield from shuffled(count, generator)[: self.num_samples % count]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """The given indices in random order."""

    __module__ = "torch.utils.data.sampler"

    def __init__(self, indices: Sequence[int], generator: Any = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for place in shuffled(len(self.indices), self.generator):
            yield self.indices[place]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """``num_samples`` indices, each as likely as its weight says.

    Raises:
        ValueError: no samples, ``replacement`` is no bool, or weights of several dimensions.
    """

    __module__ = "torch.utils.data.sampler"

    def __init__(
        self, weights: Sequence[float], num_samples: Any, replacement: Any = True, generator: Any = None
    ) -> None:
        if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={num_samples}")
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = as_tensor(weights, dtype=dtypes.float64)
        if self.weights.ndim != 1:
            raise ValueError(
                f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        weights = np.asarray(self.weights._array)
        yield from random.multinomial(source(self.generator), weights, self.num_samples, self.replacement).tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Lists of ``batch_size`` indices; the last one may be shorter unless ``drop_last``.

    Raises:
        ValueError: no batch size, or ``drop_last`` is no bool.
    """

    __module__ = "torch.utils.data.sampler"

    def __init__(self, sampler: Iterable[Any], batch_size: Any, drop_last: Any) -> None:
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        batch: list[int] = []
        for index in self.sampler:
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self) -> int:
        count = len(self.sampler)  # type: ignore[arg-type]  # without a length: Python says so
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)
