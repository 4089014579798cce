"""The pool: runs are served, killed and told of, and workers come back whatever happened."""

from __future__ import annotations

import asyncio
import dataclasses
import errno
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable

import msgspec
import pytest

from engine.sandbox import host
from engine.sandbox.attempt import Attempt
from engine.sandbox.ending import Ending
from engine.sandbox.frames import Kind
from engine.sandbox.host import BadCode, Busy, Pool, RunResult, Unsafe
from engine.sandbox.limits import Limits
from engine.sandbox.plain import PlainWorker
from engine.sandbox.selftest import attack, attacks
from engine.sandbox.worker import ZygoteWorker
from engine.trace.document import Trace
from tests.engine.sandbox.documents import SNIPPET

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is only the plain worker")

LIMITS = Limits(wall_seconds=2.0, cpu_seconds=2)


def opened(result: RunResult) -> Trace:
    return msgspec.json.decode(result.document, type=Trace)


async def ready(pool: Pool, workers: int = 1) -> None:
    """Waits until so many workers are back: results leave before one is renewed."""
    while pool.idle < workers:  # noqa: ASYNC110 (the pool has no event for tests to wait for)
        await asyncio.sleep(0.01)


@pytest.fixture(scope="module")
async def pool() -> AsyncIterator[Pool]:
    async with Pool(LIMITS, workers=1) as running:
        yield running


async def test_the_seed_snippet_plays(pool: Pool) -> None:
    result = await pool.run(SNIPPET)
    assert opened(result).stdout == "5.0 3.0\n"
    assert (result.status, result.limit, result.ending, result.cacheable) == ("ok", None, Ending.ANSWERED, True)
    assert result.milliseconds > 0


async def test_a_call_that_fits_no_signature_is_told_so_though_no_file_can_be_opened(pool: Pool) -> None:
    result = await pool.run('import torch\ntorch.ones(2).max("a")\n')
    assert opened(result).outcome.message.startswith(
        "max() received an invalid combination of arguments - got (str), but expected one of:"
    )


async def test_the_same_code_gives_the_same_bytes(pool: Pool) -> None:
    code = "import random\nimport numpy\nprint(random.random(), numpy.random.rand(), {'b', 'a', 'c'}, hash('x'))\n"
    first = await pool.run(code)
    async with Pool(LIMITS, workers=1) as another:
        assert first.document == (await pool.run(code)).document == (await another.run(code)).document


async def test_runs_that_come_at_once_are_all_served(pool: Pool) -> None:
    codes = [f"print({number})" for number in range(8)]
    results = await asyncio.gather(*(pool.run(code, deadline=20) for code in codes))
    assert [opened(result).stdout for result in results] == [f"{number}\n" for number in range(8)]


async def test_a_worker_comes_back_whatever_kept_it_from_being_renewed(monkeypatch: pytest.MonkeyPatch) -> None:
    failures: list[Exception] = [OSError(errno.EMFILE, "Too many open files"), RuntimeError("no thread can start")]
    renew = ZygoteWorker.renew

    async def fails_at_first(worker: ZygoteWorker) -> None:
        if failures:
            raise failures.pop()
        await renew(worker)

    monkeypatch.setattr(host, "_RETRY_SECONDS", 0.01)
    async with Pool(LIMITS, workers=1) as pool:
        await pool.run(SNIPPET)
        await ready(pool)
        monkeypatch.setattr(ZygoteWorker, "renew", fails_at_first)
        await pool.run(SNIPPET)
        await ready(pool)
        assert not failures
        assert opened(await pool.run(SNIPPET)).stdout == "5.0 3.0\n"


async def test_a_fault_of_ours_is_not_laid_at_the_snippets_door(pool: Pool, caplog: pytest.LogCaptureFixture) -> None:
    result = await pool.run("import sys\nprint('before')\nsys.modules['engine.trace.play'].explain = None\n")
    trace = opened(result)
    assert (result.limit, result.ending, result.cacheable) == ("fault", Ending.FAULT, False)
    assert "a fault of Backplay, not of your code" in trace.outcome.advice
    assert trace.stdout == "before\n"
    assert trace.steps[-1].text, "the second child put the words on"
    assert "a fault of ours" in caplog.text


async def test_a_killed_run_has_its_steps_and_its_words(pool: Pool) -> None:
    result = await pool.run("import torch\na = torch.tensor(2.0)\nprint(a.item())\nimport time\ntime.sleep(60)\n")
    trace = opened(result)
    assert (result.status, result.limit, result.ending, result.cacheable) == ("limit", "wall", Ending.WALL, False)
    assert trace.stdout == "2.0\n"
    assert trace.outcome.span is not None
    assert trace.outcome.span.line == 5
    assert trace.tensors[0].label == "a", "the second child put the labels on"


async def test_nobody_waits_longer_than_the_deadline(pool: Pool) -> None:
    before = pool.counters.busy
    await ready(pool)
    long = asyncio.create_task(pool.run("import time\ntime.sleep(60)", deadline=20))
    while pool.idle:  # noqa: ASYNC110 (the same)
        await asyncio.sleep(0.01)
    with pytest.raises(Busy, match="try again") as busy:
        await pool.run("print(1)", deadline=0.05)
    assert busy.value.retry_after >= 1
    assert pool.counters.busy == before + 1
    assert (await long).limit == "wall"


@pytest.mark.parametrize(
    ("code", "words"), [("#" * (LIMITS.code_bytes + 1), "at most 65536"), ("x = '\ud800'", "lone surrogate")]
)
async def test_code_that_is_no_snippet_is_refused_before_it_costs_a_run(pool: Pool, code: str, words: str) -> None:
    runs = pool.counters.runs
    with pytest.raises(BadCode, match=words):
        await pool.run(code)
    assert pool.counters.runs == runs


async def test_endings_are_counted(pool: Pool) -> None:
    before = dataclasses.replace(pool.counters, endings=pool.counters.endings.copy())
    await pool.run("print(1)", deadline=20)
    await pool.run("import os\nos._exit(0)", deadline=20)
    assert pool.counters.runs == before.runs + 2
    assert pool.counters.endings["answered"] == before.endings["answered"] + 1
    assert pool.counters.endings["exit"] == before.endings["exit"] + 1


async def test_a_zygote_is_replaced_after_a_forbidden_call(pool: Pool) -> None:
    before = pool.recycles
    await pool.run("import os\nos.execv('/bin/sh', ['sh'])", deadline=20)
    assert opened(await pool.run("print(1)", deadline=20)).stdout == "1\n"
    assert pool.recycles == before + 1


async def test_a_zygote_is_replaced_after_its_share_of_runs() -> None:
    async with Pool(dataclasses.replace(LIMITS, runs_per_zygote=2), workers=1) as pool:
        for _ in range(4):
            await pool.run("print(1)", deadline=20)
        await ready(pool)
        assert pool.recycles == 2


async def test_a_zygote_that_dies_is_replaced(pool: Pool) -> None:
    worker = pool._workers[0]
    assert isinstance(worker, ZygoteWorker)
    await pool.run("print(1)", deadline=20)
    await ready(pool)
    assert worker._link is not None
    os.kill(worker._link.process.pid, signal.SIGKILL)
    lost = await pool.run("print(1)", deadline=20)
    assert lost.ending in (Ending.CRASH, Ending.ANSWERED)
    assert opened(await pool.run("print(1)", deadline=20)).stdout == "1\n"


async def test_a_partial_document_goes_out_unfinished_when_no_child_can_finish_it(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = ZygoteWorker.ask

    async def never_finishes(worker: ZygoteWorker, kind: Kind, content: bytes) -> Attempt:
        return Attempt(Ending.CPU) if kind is Kind.FINISH else await ask(worker, kind, content)

    monkeypatch.setattr(ZygoteWorker, "ask", never_finishes)
    before = pool.counters.unfinished
    result = await pool.run("print('before')\nimport os\nos._exit(0)", deadline=20)
    assert pool.counters.unfinished == before + 1
    assert opened(result).stdout == "before\n"


async def test_stopping_leaves_no_process_behind() -> None:
    pool = Pool(LIMITS, workers=1)
    await pool.start()
    worker = pool._workers[0]
    assert isinstance(worker, ZygoteWorker)
    assert worker._link is not None
    process = worker._link.process
    await pool.stop()
    assert process.returncode is not None


async def test_descriptors_do_not_leak(pool: Pool) -> None:
    async def open_now() -> int:
        await ready(pool)
        return len(os.listdir("/proc/self/fd"))

    await pool.run("print(1)", deadline=20)
    before = await open_now()
    for code in ("print(1)", "import os\nos._exit(0)", "import os\nos.execv('/bin/sh', ['sh'])") * 3:
        await pool.run(code, deadline=20)
    assert await open_now() == before


def weakened(*omit: str) -> Callable[[Pool], ZygoteWorker]:
    return lambda pool: ZygoteWorker(pool.limits, omit=omit)


@pytest.mark.parametrize("layer", ["seccomp", "no_new_privileges", "rlimits"])
async def test_the_public_is_not_served_without(layer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pool, "_new_worker", weakened(layer))
    with pytest.raises(Unsafe, match=f"{layer} \\(.*loopback only"):
        await Pool(LIMITS, workers=1, public=True).start()


@pytest.mark.skipif(os.getuid() != 0, reason="an ordinary user cannot start a zygote that would stay root")
async def test_the_public_is_not_served_by_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pool, "_new_worker", weakened("nobody"))
    with pytest.raises(Unsafe, match="runs would be root"):
        await Pool(LIMITS, workers=1, public=True).start()


async def test_oneself_is_served_without_a_sandbox_and_told_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Pool, "_new_worker", weakened("seccomp"))
    async with Pool(LIMITS, workers=1) as pool:
        assert pool.level == "none"
        assert opened(await pool.run("print(1)", deadline=20)).stdout == "1\n"
    assert "loopback only" in caplog.text


@pytest.mark.parametrize(("omit", "level"), [(["namespaces"], "container"), (["namespaces", "landlock"], "reduced")])
async def test_weaker_systems_are_told_by_their_level(
    omit: list[str], level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Pool, "_new_worker", weakened(*omit))
    async with Pool(LIMITS, workers=1, public=True) as pool:
        assert pool.level == level


async def test_runs_take_turns_among_the_workers_so_that_each_spare_child_can_warm_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[PlainWorker] = []

    class Noted(PlainWorker):
        async def ask(self, kind: Kind, content: bytes) -> Attempt:
            if kind is Kind.PLAY:
                asked.append(self)
            return await super().ask(kind, content)

    monkeypatch.setattr(Pool, "_new_worker", lambda pool: Noted(pool.limits))
    async with Pool(LIMITS, workers=2) as pool:
        for number in range(3):
            await pool.run(f"print({number})", deadline=20)
            await ready(pool, workers=2)
    assert asked[0] is asked[2] is not asked[1]


async def test_a_failed_self_test_keeps_the_public_out(monkeypatch: pytest.MonkeyPatch) -> None:
    async def finds(limits: Limits) -> list[str]:
        return ["read a file: it could"]

    monkeypatch.setattr(host, "attack", finds)
    with pytest.raises(Unsafe, match="read a file: it could"):
        await Pool(LIMITS, workers=1, public=True).start()


async def test_the_self_test_finds_nothing_here() -> None:
    assert len(attacks()) >= 12
    assert await attack(LIMITS) == []


async def test_the_self_test_finds_what_a_missing_filter_lets_through() -> None:
    everything_off = ("seccomp", "landlock", "namespaces", "rlimits")
    found = await attack(LIMITS, omit=everything_off)
    assert len(found) >= 8
    assert any(finding.startswith("read a file: printed 'ESCAPED") for finding in found)
