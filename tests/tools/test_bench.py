"""What the bench times runs, and its promises can be broken."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import pytest

from app.lessons.lesson import lessons
from engine import torch
from engine.observe import Listener
from engine.observe import state as observing
from tools.bench.programs import PROGRAMS, SEED, plain
from tools.bench.table import Row
from tools.bench.tutorials import TUTORIALS
from tools.bench.workloads import workloads


def test_the_seed_that_is_timed_is_the_lessons() -> None:
    assert lessons()["dynamic-computation-graph"].snippet.strip() == SEED.strip()


@pytest.mark.parametrize("name", sorted(set(workloads(torch)) - set(PROGRAMS)))
def test_every_workload_runs_on_the_engine(name: str) -> None:
    workloads(torch)[name]()


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", torch)
    plain(PROGRAMS[name])()


@pytest.mark.parametrize("name", TUTORIALS)
def test_every_tutorial_takes_about_a_thousand_operations(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", torch)
    counter = Counter()
    monkeypatch.setattr(observing, "listener", counter)
    plain(TUTORIALS[name])()
    assert 900 <= counter.operations <= 1100


class Counter(Listener):
    operations = 0

    def operation(self, operator: Any, arguments: Sequence[Any], results: Sequence[Any], node: Any) -> None:
        self.operations += 1


@pytest.mark.parametrize(
    ("ours", "theirs", "verdict"), [(2.0, 1.0, "≤ 2  kept"), (2.1, 1.0, "≤ 2  BROKEN"), (1.0, None, "")]
)
def test_a_promise_is_judged_where_there_is_something_to_compare_with(
    ours: float, theirs: float | None, verdict: str
) -> None:
    assert Row("name", ours, theirs, 2.0).verdict() == verdict
