"""The host's end of a zygote: start, death, and descriptors that run out."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
from collections.abc import Iterator

import pytest

from engine.sandbox import link
from engine.sandbox.limits import Limits
from engine.sandbox.link import Link, ZygoteLost

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the zygote needs Linux")


async def test_a_zygote_reports_one_thread_and_a_level() -> None:
    zygote = await Link.open(Limits())
    try:
        assert zygote.report.threads == 1
        assert zygote.report.level != "none"
    finally:
        zygote.close()


async def test_a_zygote_that_cannot_start_says_why() -> None:
    with pytest.raises(ZygoteLost, match="no such layers: \\['secomp'\\]"):
        await Link.open(Limits(), omit=["secomp"])


async def test_a_zygote_that_dies_before_its_report_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "BOOTSTRAP", "raise SystemExit(3)  # {module}")
    with pytest.raises(ZygoteLost, match="has ended"):
        await Link.open(Limits())


async def test_a_zygote_that_does_not_answer_is_lost() -> None:
    zygote = await Link.open(Limits(stop_seconds=0.2), omit=["namespaces"])
    spare = zygote.spare()
    os.kill(zygote.process.pid, signal.SIGSTOP)
    try:
        with pytest.raises(ZygoteLost, match="did not answer within"):
            await zygote.end()
    finally:
        spare.close()
        zygote.close()


async def test_orders_to_a_dead_zygote_are_an_error_and_leak_nothing() -> None:
    zygote = await Link.open(Limits())
    try:
        zygote.process.kill()
        zygote.process.wait()
        # The process killed may be the one that waits for the zygote; the zygote itself then hangs up a moment later.
        zygote.control.settimeout(20)
        assert zygote.control.recv(1) == b""
        before = len(os.listdir("/proc/self/fd"))
        with pytest.raises(ZygoteLost):
            zygote.spare()
        assert len(os.listdir("/proc/self/fd")) == before
    finally:
        zygote.close()


async def test_a_child_that_was_never_asked_ends_when_the_host_lets_go() -> None:
    zygote = await Link.open(Limits())
    try:
        zygote.spare().close()
        usage = await zygote.end()
        assert usage.peak_bytes > 0
    finally:
        zygote.close()


def test_a_zygote_inherits_no_environment() -> None:
    assert set(link.ENVIRONMENT) == {
        "PYTHONHASHSEED",
        "PYTHONUTF8",
        "OPENBLAS_NUM_THREADS",
        "OMP_NUM_THREADS",
        "MKL_NUM_THREADS",
    }


@pytest.mark.parametrize("room", [0, 1, 2, 3, 4])
async def test_without_descriptors_there_is_no_zygote_and_no_child_and_nothing_leaks(room: int) -> None:
    zygote = await Link.open(Limits())
    try:
        before = len(os.listdir("/proc/self/fd"))
        with few_descriptors(room):
            with pytest.raises(ZygoteLost):
                await Link.open(Limits())
            with pytest.raises(ZygoteLost, match="Too many open files"):
                zygote.spare()
        assert len(os.listdir("/proc/self/fd")) == before
        zygote.spare().close()
    finally:
        zygote.close()


@contextlib.contextmanager
def few_descriptors(room: int) -> Iterator[None]:
    """Inside the ``with`` this process can open ``room`` more files, and no others."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(map(int, os.listdir("/proc/self/fd")))
    taken = [os.open(os.devnull, os.O_RDONLY)]
    while taken[-1] < highest:  # the system gives the lowest number that is free: no gap is left below
        taken.append(os.open(os.devnull, os.O_RDONLY))
    resource.setrlimit(resource.RLIMIT_NOFILE, (taken[-1] + 1 + room, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for descriptor in taken:
            os.close(descriptor)
