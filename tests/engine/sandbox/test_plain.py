"""The worker for systems without a sandbox, which works on every system."""

from __future__ import annotations

from collections.abc import AsyncIterator

import msgspec
import pytest

from engine.sandbox.check import check
from engine.sandbox.ending import Ending
from engine.sandbox.frames import Kind
from engine.sandbox.host import Pool, Unsafe
from engine.sandbox.limits import Limits
from engine.sandbox.plain import PlainWorker
from engine.trace.document import Trace
from tests.engine.sandbox.documents import SNIPPET

LIMITS = Limits(wall_seconds=20.0, cpu_seconds=4)


@pytest.fixture
async def worker() -> AsyncIterator[PlainWorker]:
    plain = PlainWorker(LIMITS)
    await plain.start()
    yield plain
    await plain.stop()


async def test_a_snippet_plays_in_a_fresh_process_each_time(worker: PlainWorker) -> None:
    for _ in range(2):
        attempt = await worker.ask(Kind.PLAY, SNIPPET.encode())
        assert attempt.answer is not None
        assert check(attempt.answer, SNIPPET, LIMITS).stdout == "5.0 3.0\n"
        await worker.renew()


async def test_a_killed_process_leaves_its_journal(worker: PlainWorker) -> None:
    attempt = await worker.ask(Kind.PLAY, b"print('before')\nimport os\nos.kill(os.getpid(), 9)")
    assert attempt.ending is Ending.MEMORY, "the kernel's way to say no"
    assert "".join(batch.output for batch in attempt.batches) == "before\n"


async def test_the_memory_limit_holds_here_too(worker: PlainWorker) -> None:
    attempt = await worker.ask(Kind.PLAY, b"x = bytearray(10 ** 10)")
    assert attempt.answer is not None
    assert msgspec.json.decode(attempt.answer, type=Trace).outcome.limit == "memory"


async def test_a_process_that_never_answers_meets_the_clock() -> None:
    plain = PlainWorker(Limits(wall_seconds=8.0))
    try:
        await plain.start()
        attempt = await plain.ask(Kind.PLAY, b"import time\ntime.sleep(600)")
    finally:
        await plain.stop()
    assert attempt.ending is Ending.WALL


async def test_its_level_is_none_and_the_public_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pool, "_new_worker", lambda pool: PlainWorker(pool.limits))
    with pytest.raises(Unsafe, match="no sandbox here"):
        await Pool(LIMITS, workers=1, public=True).start()


async def test_asking_without_a_process_says_what_to_do() -> None:
    with pytest.raises(RuntimeError, match="call start"):
        await PlainWorker(LIMITS).ask(Kind.PLAY, b"")


async def test_what_loading_costs_is_not_taken_from_the_runs_processor_time() -> None:
    plain = PlainWorker(Limits(wall_seconds=60.0, cpu_seconds=1))
    half_a_second = "next(now for now in iter(time.process_time, None) if now > begun + 0.5)"
    try:
        await plain.start()
        attempt = await plain.ask(Kind.PLAY, f"import time\nbegun = time.process_time()\n{half_a_second}".encode())
    finally:
        await plain.stop()
    assert attempt.ending is Ending.ANSWERED, attempt
