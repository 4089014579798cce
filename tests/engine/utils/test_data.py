"""Data loading: the same batches in the same order as real PyTorch, and the same refusals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from engine import torch
from engine.observe import Listener, state
from engine.utils.data import DataLoader, IterableDataset, TensorDataset
from tests.oracle.data_cases import EXPRESSIONS
from tests.oracle.golden import golden
from tests.oracle.outcome import outcome

pytestmark = pytest.mark.usefixtures("own_generator_state")
RECORDED = golden("data")


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_loading_does_what_it_did_on_pytorch(expression: str) -> None:
    assert outcome(expression, torch) == RECORDED[expression]


class Ears(Listener):
    def __init__(self) -> None:
        self.heard: list[str] = []

    def created(self, tensor: Any, how: str) -> None:
        self.heard.append(how)

    def operation(self, operator: Any, arguments: Any, results: Any, node: Any) -> None:
        self.heard.append(operator.name)


def test_shuffling_is_no_step_of_a_trace_but_batching_is() -> None:
    dataset = TensorDataset(torch.arange(4.0))
    loader = DataLoader(dataset, batch_size=4, shuffle=True)
    state.listener = ears = Ears()
    try:
        list(loader)
    finally:
        state.listener = None
    assert ears.heard == ["select"] * 4 + ["stack"]


class Countdown(IterableDataset[int]):
    def __iter__(self) -> Iterator[int]:
        return iter([3, 2, 1])


def test_a_stream_is_batched_in_its_own_order() -> None:
    assert [batch.tolist() for batch in DataLoader(Countdown(), batch_size=2)] == [[3, 2], [1]]


def test_a_stream_cannot_be_shuffled() -> None:
    with pytest.raises(ValueError, match="expected unspecified shuffle option"):
        DataLoader(Countdown(), shuffle=True)


@pytest.mark.parametrize(
    ("loading", "kind", "opening"),
    [
        (lambda data: list(data.DataLoader([1, 2], timeout=5)), AssertionError, "_SingleProcessDataLoaderIter requires timeout == 0"),
        (lambda data: data.DataLoader([1, 2], multiprocessing_context="fork"), ValueError, "multiprocessing_context can only be"),
        (lambda data: data.random_split([1, 2, 3, 4], [1.5, 2.5]), TypeError, "randperm() received an invalid combination"),
        (lambda data: data.random_split([1, 2, 3, 4], [2.0, 2.0]), TypeError, "randperm() received an invalid combination"),
    ],
)  # fmt: skip
def test_options_that_would_be_ignored_are_refused(loading: Any, kind: type[Exception], opening: str) -> None:
    with pytest.raises(kind) as refused:
        loading(torch.utils.data)
    assert str(refused.value).startswith(opening)
