"""A loader's workers: who loads what, with which random numbers, and what the program gets to see of it."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np


def _data(torch: Any) -> Any:
    """As a user's program imports it."""
    return torch.utils.data


def _stream(torch: Any, start: int, end: int) -> Any:
    """Numbers in order."""

    class Stream(_data(torch).IterableDataset):
        def __init__(self) -> None:
            self.start, self.end = start, end

        def __iter__(self) -> Any:
            return iter(range(self.start, self.end))

    return Stream()


def _loader(torch: Any, dataset: Any, **options: Any) -> Any:
    """Of two workers at most: PyTorch warns of more than there are processors."""
    return _data(torch).DataLoader(dataset, **options)


class _Drawing:
    """Each item is what is drawn for it."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch

    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> Any:
        return self.torch.rand(2)


class _Peculiar(Exception):
    """Is not made of one message."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(first, second)


def every_worker_goes_through_the_whole_stream(torch: Any, say: Any) -> None:
    say(list(_loader(torch, _stream(torch, 3, 7), num_workers=0)))
    say(list(_loader(torch, _stream(torch, 3, 7), num_workers=2)))
    say(list(_loader(torch, _stream(torch, 0, 5), num_workers=2, batch_size=2)))
    say(list(_loader(torch, _stream(torch, 0, 5), num_workers=2, batch_size=2, drop_last=True)))
    say(list(_loader(torch, _stream(torch, 0, 3), num_workers=2, batch_size=None)))


def a_stream_that_asks_who_it_is_gives_its_part(torch: Any, say: Any) -> None:
    class Parts(_data(torch).IterableDataset):
        def __iter__(self) -> Any:
            info = _data(torch).get_worker_info()
            if info is None:
                return iter(range(7))
            part = math.ceil(7 / info.num_workers)
            return iter(range(info.id * part, min(7, (info.id + 1) * part)))

    say(list(_loader(torch, Parts())))
    say(list(_loader(torch, Parts(), num_workers=2)))
    say(list(_loader(torch, Parts(), num_workers=1, batch_size=2)))
    say(_data(torch).get_worker_info())


def a_function_for_each_worker_may_change_its_copy(torch: Any, say: Any) -> None:
    def halve(worker: int) -> None:
        dataset = _data(torch).get_worker_info().dataset
        dataset.start, dataset.end = (3, 5) if worker == 0 else (5, 7)

    stream = _stream(torch, 3, 7)
    say(list(_loader(torch, stream, num_workers=2, worker_init_fn=halve)))
    say((stream.start, stream.end))


def a_worker_knows_its_number_seed_and_copy(torch: Any, say: Any) -> None:
    class Asking(_Drawing):
        def __getitem__(self, index: int) -> Any:
            info = _data(torch).get_worker_info()
            return index, info.id, info.num_workers, info.seed == torch.initial_seed(), info.dataset is self

    torch.manual_seed(3)
    loader = _loader(torch, Asking(torch), num_workers=2, batch_size=2, collate_fn=list)
    say(list(loader))

    class Seeds(_Drawing):
        def __getitem__(self, index: int) -> Any:
            return _data(torch).get_worker_info().seed

    say(list(_loader(torch, Seeds(torch), num_workers=2, batch_size=2, collate_fn=list)))
    say(type(iter(loader)).__name__)


def workers_draw_from_streams_of_their_own(torch: Any, say: Any) -> None:
    torch.manual_seed(0)
    say(list(_loader(torch, _Drawing(torch), num_workers=2)))
    say(torch.rand(2))
    torch.manual_seed(0)
    say(list(_loader(torch, _Drawing(torch), num_workers=1, batch_size=4)))
    say(list(_loader(torch, _Drawing(torch), num_workers=0, batch_size=4)))
    say(torch.rand(2))


def python_and_numpy_draw_in_workers_too(torch: Any, say: Any) -> None:
    class Drawing(_Drawing):
        def __getitem__(self, index: int) -> Any:
            return random.random(), float(np.random.rand())  # noqa: NPY002 (what programs draw from)

    torch.manual_seed(0)
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002
    say(list(_loader(torch, Drawing(torch), num_workers=2, batch_size=2, collate_fn=list)))
    say((random.random(), float(np.random.rand())))  # noqa: NPY002


def a_shuffled_loader_draws_before_its_first_batch(torch: Any, say: Any) -> None:
    for workers in (0, 1, 2):
        torch.manual_seed(5)
        loader = _loader(torch, range(8), shuffle=True, batch_size=2, num_workers=workers)
        batches = iter(loader)
        say(torch.rand(1))
        say(list(batches))
        say(list(loader))
        say(torch.rand(1))


def a_sampler_is_asked_ahead_of_what_is_loaded(torch: Any, say: Any) -> None:
    asked = []

    class Telling(_data(torch).Sampler):
        def __init__(self) -> None:
            pass

        def __iter__(self) -> Any:
            for index in range(9):
                asked.append(index)
                yield index

    for options in ({}, {"num_workers": 1}, {"num_workers": 2}, {"num_workers": 1, "prefetch_factor": 4}):
        asked.clear()
        batches = iter(_loader(torch, range(9), sampler=Telling(), **options))
        say(list(asked))
        next(batches)
        say(list(asked))
        del batches


def an_error_names_the_worker_it_comes_from(torch: Any, say: Any) -> None:
    class Failing(_Drawing):
        def __init__(self, torch: Any, error: Any) -> None:
            super().__init__(torch)
            self.error = error

        def __getitem__(self, index: int) -> Any:
            if index == 3:
                raise self.error
            return index

    for error in (ValueError("no third"), KeyError("three"), RuntimeError("broken"), ZeroDivisionError("by zero")):
        batches = iter(_loader(torch, Failing(torch, error), num_workers=2, batch_size=2))
        say(next(batches))
        say.error(lambda batches=batches: next(batches))
        say(list(batches))
    alone = iter(_loader(torch, Failing(torch, ValueError("no third")), batch_size=2))
    say(next(alone))
    say.error(lambda: next(alone))
    say(list(alone))


def an_error_with_arguments_of_its_own_comes_as_a_runtime_error(torch: Any, say: Any) -> None:
    class Failing(_Drawing):
        def __getitem__(self, index: int) -> Any:
            raise _Peculiar(1, 2)

    say.error(lambda: list(_loader(torch, Failing(torch), num_workers=1)))

    def broken(worker: int) -> None:
        raise ValueError(f"worker {worker} does not start")

    batches = iter(_loader(torch, range(4), num_workers=1, worker_init_fn=broken))
    say.error(lambda: next(batches))


def a_persistent_worker_goes_on_drawing(torch: Any, say: Any) -> None:
    torch.manual_seed(0)
    loader = _loader(torch, _Drawing(torch), num_workers=2, batch_size=3, persistent_workers=True)
    say(iter(loader) is iter(loader))
    say(list(loader))
    say(list(loader))
    say(torch.rand(1))
    fresh = _loader(torch, _Drawing(torch), num_workers=2, batch_size=3)
    say(iter(fresh) is iter(fresh))


def what_a_worker_changes_stays_with_it(torch: Any, say: Any) -> None:
    class Counting(_Drawing):
        calls = 0

        def __getitem__(self, index: int) -> Any:
            self.calls += 1
            return self.calls

    dataset = Counting(torch)
    say(list(_loader(torch, dataset, num_workers=2)))
    say(dataset.calls)
    say(list(_loader(torch, dataset)))
    say(dataset.calls)


def options_of_workers_are_filled_in(torch: Any, say: Any) -> None:
    loader = _loader(torch, range(3), num_workers=2)
    say((loader.prefetch_factor, loader.num_workers, loader.multiprocessing_context, len(loader)))
    say(_loader(torch, range(3)).prefetch_factor)
    say.error(lambda: iter(_loader(torch, range(3), num_workers=1, prefetch_factor=0)))
    say.error(lambda: _loader(torch, range(3), num_workers=1, prefetch_factor=-1))
    info = []

    class Showing(_Drawing):
        def __getitem__(self, index: int) -> Any:
            shown = repr(_data(torch).get_worker_info())
            return shown[: shown.index("seed")]

    info += list(_loader(torch, Showing(torch), num_workers=1, batch_size=6, collate_fn=list))
    say(info)
