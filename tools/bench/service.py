"""How long ``POST /api/runs`` takes, beside a bare fork of a process that has loaded the same modules; a trace's size.

Wall time: each round does one of each, so that all see the same load.
"""

from __future__ import annotations

import gzip
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial

import httpx

from app import compression
from app.lessons.lesson import lessons
from tools.bench.table import NAME_WIDTH
from tools.serving import ROOT, running

ROUNDS = 200
SEED = lessons()["dynamic-computation-graph"].snippet
FORKER = """
import os, sys
import engine.torch
for _ in sys.stdin:
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
    print(flush=True)
"""


def milliseconds(work: Callable[[], object]) -> float:
    """How long ``work`` takes by the wall clock."""
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1e3


def row(name: str, times: list[float]) -> str:
    """Median, 95th percentile and minimum of ``times``."""
    return f"{name:<{NAME_WIDTH}}{statistics.median(times):9.2f}{statistics.quantiles(times, n=20)[-1]:9.2f}{min(times):9.2f}"


def compare(client: httpx.Client, forker: subprocess.Popen[str]) -> None:
    """Take turns, then print the table."""
    assert forker.stdin is not None
    assert forker.stdout is not None
    questions, answers = forker.stdin, forker.stdout

    def fork() -> None:
        questions.write("\n")
        questions.flush()
        answers.readline()

    def post(code: str) -> httpx.Response:
        return client.post("/api/runs", json={"code": code}).raise_for_status()

    fork()
    trace = post(SEED).content
    times: dict[str, list[float]] = {"bare fork, exit and wait": [], "POST, new code": [], "POST, known code": []}
    for number in range(ROUNDS):
        times["bare fork, exit and wait"].append(milliseconds(fork))
        times["POST, new code"].append(milliseconds(partial(post, f"{SEED}# {number}\n")))
        times["POST, known code"].append(milliseconds(partial(post, SEED)))
    print(f"{f'milliseconds, {ROUNDS} rounds':<{NAME_WIDTH}}{'p50':>9}{'p95':>9}{'min':>9}")
    for name, taken in times.items():
        print(row(name, taken))
    print(
        f"trace of the seed snippet: {len(trace)} bytes, zstd {len(compression.pack(trace))}, "
        f"gzip {len(gzip.compress(trace, compression.GZIP_LEVEL))}"
    )


def measure() -> None:
    """Start a service and the forking process, measure, and end both."""
    with (
        running({}) as client,
        subprocess.Popen(
            [sys.executable, "-c", FORKER], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as forker,
    ):
        try:
            compare(client, forker)
        finally:
            forker.terminate()
