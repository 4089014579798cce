"""When two runs are the same run, and what is never kept."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from app import compression
from app.cache import Cache
from app.runs import Runs, digest

from .conftest import CountingRunner


@pytest.fixture
def runs(runner: CountingRunner) -> Runs:
    return Runs(runner, Cache(1 << 20), queue_seconds=1)


async def test_known_code_is_not_run_again(runs: Runs, runner: CountingRunner) -> None:
    for _ in range(3):
        assert compression.unpack(await runs.play("x = 1")) == b'{"code": "x = 1"}'
        await asyncio.sleep(0)
    assert runner.ran == ["x = 1"]


async def test_what_depended_on_the_machine_is_run_again(runs: Runs, runner: CountingRunner) -> None:
    runner.cacheable = False
    for _ in range(2):
        await runs.play("while True: pass")
        await asyncio.sleep(0)
    assert len(runner.ran) == 2


def test_other_code_and_other_limits_are_other_runs(runs: Runs, runner: CountingRunner) -> None:
    tighter = CountingRunner()
    tighter.limits = replace(runner.limits, cpu_seconds=1)
    keys = {runs.key("x = 1"), runs.key("x = 2"), Runs(tighter, runs.cache, queue_seconds=1).key("x = 1")}
    assert len(keys) == 3
    assert runs.key("x = 1") == Runs(runner, runs.cache, queue_seconds=9).key("x = 1")


@pytest.mark.parametrize("change", ["other content", "other name", "another file"])
def test_any_change_of_the_engine_changes_its_digest(tmp_path: Path, change: str) -> None:
    module = tmp_path / "ops" / "mul.py"
    module.parent.mkdir()
    module.write_text("slope = 1\n")
    before = digest(tmp_path)
    match change:
        case "other content":
            module.write_text("slope = 2\n")
        case "other name":
            module.rename(module.with_name("mull.py"))
        case _:
            module.with_name("add.py").touch()
    assert digest(tmp_path) != before


def test_what_is_no_source_does_not_count(tmp_path: Path) -> None:
    before = digest(tmp_path)
    (tmp_path / "mul.cpython-311.pyc").write_bytes(b"compiled")
    assert digest(tmp_path) == before
