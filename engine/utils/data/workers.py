"""A loader's workers. PyTorch has a process for each; here each takes its turn in this very process.

What a program can tell of them is the same: a worker has a copy of the dataset (`copy.copy`, so what its attributes hold is shared),
random numbers of its own in PyTorch, Python and numpy, seeded from the loader's seed and its number, and its errors arrive with its
number in front.
"""

from __future__ import annotations

import copy
import os
import random
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import engine
from engine.ops.random.state import default_generator
from engine.utils.data.dataset import IterableDataset
from engine.utils.data.fetching import Fetch, fetcher
from engine.utils.data.turns import Turn

if TYPE_CHECKING:
    from engine.utils.data.loader import DataLoader


ENGINE = os.path.dirname(engine.__file__) + os.sep
"""Where its own lines are, which tell a program nothing."""


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """What a worker may know of itself."""

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: Any = None
    worker_method: str | None = "multiprocessing"


WorkerInfo.__module__ = "torch.utils.data._utils.worker"


class Worker:
    """One worker: loads what it is told to; ``active`` until its stream has ended."""

    def __init__(self, loader: DataLoader, number: int, base_seed: int) -> None:
        self.loader, self.number = loader, number
        self.info = WorkerInfo(number, loader.num_workers, base_seed + number, own_copy(loader.dataset))
        self.states = RandomStates.seeded(base_seed, number)
        self.failure: Exception | None = None
        with self.turn():
            try:
                if loader.worker_init_fn is not None:
                    loader.worker_init_fn(number)
            except Exception as error:  # noqa: BLE001 (whatever the program's function raises arrives with the first batch)
                self.failure = error
        self.begin()

    def begin(self) -> None:
        """Makes the iterator of a stream."""
        self.active = True
        with self.turn():
            try:
                self.fetch: Fetch = fetcher(self.loader, self.info.dataset)
            except Exception as error:  # noqa: BLE001 (the program's own __iter__: the same)
                self.failure = self.failure or error

    def load(self, index: Any) -> Any:
        """The batch of an index.

        Raises:
            StopIteration: the stream has ended.
            Exception: of the kind that the dataset raised.
        """
        with self.turn():
            failure, self.failure = self.failure, None
            if failure is None:
                try:
                    return self.fetch(index)
                except Exception as error:
                    if isinstance(error, StopIteration) and isinstance(self.info.dataset, IterableDataset):
                        raise
                    failure = error
            raise passed_on(failure, f"in DataLoader worker process {self.number}") from failure

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Inside, this worker's random numbers are drawn and `get_worker_info` tells of it."""
        main = RandomStates.now()
        self.states.take_over()
        Turn.info = self.info
        try:
            yield
        finally:
            Turn.info = None
            self.states = RandomStates.now()
            main.take_over()


@dataclass(frozen=True)
class RandomStates:
    """Where the default generator, Python's and numpy's stand."""

    torch: dict[str, Any]
    python: Any
    numpy: Any

    @classmethod
    def now(cls) -> RandomStates:
        """As they are."""
        return cls(dict(vars(default_generator)), random.getstate(), np.random.get_state())  # noqa: NPY002 (the program's)

    @classmethod
    def seeded(cls, base_seed: int, number: int) -> RandomStates:
        """As a worker begins."""
        low, high = base_seed & 0xFFFFFFFF, base_seed >> 32
        words = np.random.SeedSequence([number, low, high, 0]).generate_state(4)
        generator = type(default_generator)().manual_seed(base_seed + number)
        seeded = random.Random(base_seed + number).getstate(), np.random.RandomState(words).get_state()
        return cls(dict(vars(generator)), *seeded)

    def take_over(self) -> None:
        """All draw from here."""
        own = vars(default_generator)
        own.clear()
        own.update(self.torch)
        random.setstate(self.python)
        np.random.set_state(self.numpy)  # noqa: NPY002 (the generator that a program's own numpy draws from)


def own_copy(dataset: Any) -> Any:
    """A copy whose attributes can be set without touching the program's; a generator and its like have none."""
    try:
        return copy.copy(dataset)
    except TypeError:
        return dataset


class KeyErrorMessage(str):
    """Is shown as it is, though a KeyError shows the repr of its key."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def passed_on(error: Exception, where: str) -> Exception:
    """An error of the same kind that says where it comes from and how it looked there, without the engine's own lines; a
    RuntimeError in place of one that is not made of one message.
    """
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(ENGINE)]
    told = [
        "Traceback (most recent call last):\n",
        *traceback.format_list(lines),
        *traceback.format_exception_only(error),
    ]
    message = f"Caught {type(error).__name__} {where}.\nOriginal {''.join(told)}"
    try:
        return type(error)(KeyErrorMessage(message) if type(error) is KeyError else message)
    except Exception:  # noqa: BLE001 (the program's own __init__)
        return RuntimeError(message)
