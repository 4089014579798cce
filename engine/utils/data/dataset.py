"""Datasets: things with a length and an item for each index, or just things to iterate over."""

from __future__ import annotations

import bisect
import itertools
import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from engine.ops.core.misuse import kind_of
from engine.ops.random.state import default_generator
from engine.tensor import Tensor
from engine.utils.data.sampler import shuffled

Item_co = TypeVar("Item_co", covariant=True)


class Dataset(Generic[Item_co]):
    """``torch.utils.data.Dataset``: subclasses say what ``dataset[index]`` is, and usually ``len(dataset)``."""

    __module__ = "torch.utils.data.dataset"

    def __getitem__(self, index: Any) -> Item_co:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[Item_co]) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[Item_co], Iterable[Item_co]):
    """A dataset that is a stream: subclasses say how to iterate, or Python makes none of them."""

    __module__ = "torch.utils.data.dataset"

    def __add__(self, other: Dataset[Any]) -> Any:
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Tensors of equal first length, indexed together.

    Raises:
        AssertionError: other first lengths.
    """

    __module__ = "torch.utils.data.dataset"

    def __init__(self, *tensors: Tensor) -> None:
        if any(tensors[0].size(0) != tensor.size(0) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return int(self.tensors[0].size(0))


class StackDataset(Dataset[Any]):
    """Datasets of equal length, indexed together: items are tuples, or dicts for keyword arguments.

    Raises:
        ValueError: no datasets, both kinds at once, or other lengths.
    """

    __module__ = "torch.utils.data.dataset"

    def __init__(self, *datasets: Any, **named: Any) -> None:
        if bool(datasets) == bool(named):
            problem = "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both types are given."
            raise ValueError(problem if datasets else "At least one dataset should be passed")
        self.datasets: Any = datasets or named
        lengths = {len(dataset) for dataset in (datasets or named.values())}
        if len(lengths) > 1:
            raise ValueError("Size mismatch between datasets")
        self._length = lengths.pop()

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: dataset[index] for name, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __len__(self) -> int:
        return self._length


class ConcatDataset(Dataset[Any]):
    """Datasets one after the other.

    Raises:
        AssertionError: no datasets, or a stream among them.
    """

    __module__ = "torch.utils.data.dataset"

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = list(itertools.accumulate(len(dataset) for dataset in self.datasets))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> Any:
        if index < 0:
            if -index > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            index += len(self)
        which = bisect.bisect_right(self.cumulative_sizes, index)
        before = self.cumulative_sizes[which - 1] if which else 0
        return self.datasets[which][index - before]


class ChainDataset(IterableDataset[Any]):
    """Streams one after the other."""

    __module__ = "torch.utils.data.dataset"

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield from dataset

    def __len__(self) -> int:
        return sum(len(dataset) for dataset in self.datasets)


class Subset(Dataset[Any]):
    """The items of a dataset at some indices."""

    __module__ = "torch.utils.data.dataset"

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, list):
            return self.dataset[[self.indices[each] for each in index]]
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Any, lengths: Sequence[float], generator: Any = default_generator) -> list[Subset]:
    """Disjoint random subsets of the given lengths, or shares if they add up to 1.

    Raises:
        ValueError: the lengths do not add up to the dataset's, or a share is outside [0, 1].
        TypeError: lengths that add up to no whole number.
    """
    sizes = [length.item() if isinstance(length, Tensor) and not length.dim() else length for length in lengths]
    if math.isclose(sum(sizes), 1) and sum(sizes) <= 1:
        sizes = shares(sizes, len(dataset))
    if sum(sizes) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    if not isinstance(sum(sizes), int):
        raise TypeError(f"randperm() received an invalid combination of arguments - got ({kind_of(sum(sizes))})")
    order = shuffled(int(sum(sizes)), generator)
    ends = itertools.accumulate(int(size) for size in sizes)
    return [Subset(dataset, order[end - int(size) : end]) for end, size in zip(ends, sizes, strict=True)]


def shares(fractions: Sequence[float], total: int) -> list[float]:
    """Whole lengths for shares; what rounding down leaves over goes round from the first.

    Raises:
        ValueError: a share outside [0, 1].
    """
    for place, fraction in enumerate(fractions):
        if not 0 <= fraction <= 1:
            raise ValueError(f"Fraction at index {place} is not between 0 and 1")
    sizes: list[float] = [math.floor(total * fraction) for fraction in fractions]
    for extra in range(int(total - sum(sizes))):
        sizes[extra % len(sizes)] += 1
    for place, size in enumerate(sizes):
        if size == 0:
            warnings.warn(
                f"Length of split at index {place} is 0. This might result in an empty dataset.",
                UserWarning,
                stacklevel=3,
            )
    return sizes
