"""Taking more than a run's share: the recorder's budget hits first, always at the same step; then kernel and clock."""

from __future__ import annotations

import pytest

from engine.sandbox.ending import Ending
from tests.attacks.arena import EPERM, Arena


async def test_an_endless_loop_ends_at_its_budget_with_the_same_document_each_time(arena: Arena) -> None:
    code = "turn = 0\nwhile True:\n    turn = turn + 1\n"
    first, second = await arena.fight(code), await arena.fight(code)
    assert first.limit == "steps"
    assert first.result.document == second.result.document
    assert first.result.cacheable


async def test_an_endless_recursion_without_a_bottom_is_pythons_own_error(arena: Arena) -> None:
    assert (await arena.fight("def down():\n    return down()\ndown()")).error == "RecursionError"


ENDLESS_PASSES = """
import torch

class Deeper(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        with torch.enable_grad():
            Deeper.apply(torch.ones(1, requires_grad=True)).backward()

Deeper.apply(torch.ones(1, requires_grad=True)).backward()
"""


async def test_passes_that_start_passes_without_end_come_to_one(arena: Arena) -> None:
    fight = await arena.fight(ENDLESS_PASSES)
    assert fight.error == "RecursionError" or fight.limit is not None


STUCK_IN_C = {
    "a huge power": "10 ** 10 ** 8",
    "a backtracking pattern": "__import__('re').match('(a+)+$', 'a' * 64 + 'b')",
    "a long division": "(1 << 30_000_000) // ((1 << 15_000_000) - 1)",
    "a huge product of matrices": "[n @ n for n in [__import__('numpy').ones((3000, 3000))] for _ in range(100)]",
    "a long sum": "sum(range(10 ** 12))",
    "a long comparison": "max(iter(int, 1))",
    "a huge factorial": "__import__('math').factorial(10 ** 7)",
}


@pytest.mark.parametrize("expression", STUCK_IN_C.values(), ids=STUCK_IN_C.keys())
async def test_a_run_stuck_in_c_keeps_every_step_and_names_its_line(arena: Arena, expression: str) -> None:
    fight = await arena.fight(f"import torch\na = torch.tensor(3.0, requires_grad=True)\nb = a * 2\nx = {expression}")
    assert fight.ending is Ending.CPU
    assert fight.limit == "cpu"
    assert fight.line == 4
    assert [node.name for node in fight.trace.nodes] == ["AccumulateGrad", "MulBackward0"]
    assert not fight.result.cacheable


async def test_a_number_written_out_is_capped_by_python_itself(arena: Arena) -> None:
    assert (await arena.fight("print(str(10 ** 10_000))")).error == "ValueError"


async def test_sleeping_ends_at_the_wall_clock_with_every_step(hasty: Arena) -> None:
    fight = await hasty.fight("import time\nprint('before')\ntime.sleep(600)\nprint('after')")
    assert fight.limit == "wall"
    assert fight.said == "before"
    assert fight.line == 3
    assert not fight.result.cacheable


async def test_waiting_for_a_lock_ends_at_the_wall_clock(hasty: Arena) -> None:
    fight = await hasty.fight("import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()")
    assert fight.limit == "wall"
    assert fight.line == 4


@pytest.mark.parametrize(
    "statement",
    [
        "__import__('signal').signal(24, __import__('signal').SIG_IGN)",
        "__import__('signal').pthread_sigmask(0, {24, 15})",
        "__import__('signal').setitimer(0, 1)",
        "__import__('signal').siginterrupt(24, False)",
    ],
    ids=["ignored", "blocked", "timed", "interrupted"],
)
async def test_signals_stay_as_they_are(arena: Arena, statement: str) -> None:
    assert await arena.tried(statement) == EPERM


async def test_catching_everything_does_not_keep_a_run_alive(arena: Arena) -> None:
    fight = await arena.fight("""
        while True:
            try:
                while True:
                    pass
            except BaseException:
                continue
    """)
    assert fight.trace.outcome.status == "limit"
    assert fight.limit in ("steps", "cpu")


TOO_LARGE = {
    "a list": "[0] * 10 ** 9",
    "a list that grows": "[[0] * 10 ** 6 for _ in range(10 ** 4)]",
    "a text": "'x' * 10 ** 10",
    "bytes": "bytearray(10 ** 10)",
    "a numpy array": "__import__('numpy').ones(10 ** 9)",
    "a tensor": "__import__('torch').zeros(100_000, 100_000)",
    "an outer product": "(lambda t: t * t.T)(__import__('torch').tensor([[1.0] * 100_000]))",
}


@pytest.mark.parametrize("expression", TOO_LARGE.values(), ids=TOO_LARGE.keys())
async def test_too_much_memory_is_said_to_be_that(arena: Arena, expression: str) -> None:
    fight = await arena.fight(f"print('before')\nx = {expression}\nprint('after')")
    assert fight.said == "before"
    assert fight.line == 2
    assert fight.limit == "memory" or "memory" in fight.trace.outcome.message
    assert not fight.result.cacheable or fight.error == "RuntimeError"


async def test_memory_that_was_freed_can_be_used_again(arena: Arena) -> None:
    fight = await arena.fight("""
        import numpy as np
        for _ in range(20):
            x = np.ones(20_000_000)
            del x
        print("done")
    """)
    assert fight.said == "done"


DEEP = "__import__('functools').reduce(lambda inner, _: [inner], range(100_000), [])"
DEEP_IN_C = {
    "brackets for the parser": "eval('(' * 100_000)",
    "minus signs for the compiler": "eval('-' * 100_000 + '1')",
    "a list's representation": f"repr({DEEP})",
    "json": "__import__('json').loads('[' * 100_000)",
    "a pickle": f"__import__('pickle').dumps({DEEP})",
    "comparing": f"{DEEP} == {DEEP}",
}


@pytest.mark.parametrize("expression", DEEP_IN_C.values(), ids=DEEP_IN_C.keys())
async def test_deep_recursion_in_c_is_an_error_or_a_crash_with_its_line(arena: Arena, expression: str) -> None:
    fight = await arena.fight(f"print('before')\nx = {expression}")
    assert fight.trace.outcome.status in ("error", "limit")
    assert fight.said == "before"
    assert fight.line == 2


async def test_a_recursion_limit_raised_past_the_stack_is_a_crash(arena: Arena) -> None:
    fight = await arena.fight("""
        import functools, sys
        sys.setrecursionlimit(10 ** 8)
        deep = functools.reduce(lambda inner, _: [inner], range(3_000_000), [])
        print(len(repr(deep)))
    """)
    assert fight.ending in (Ending.CRASH, Ending.MEMORY, Ending.CPU)


async def test_a_flood_of_colliding_keys_ends_at_the_cpu_limit(arena: Arena) -> None:
    """The hash seed is fixed, for the same trace each time; a flood costs only the flooder's own share."""
    fight = await arena.fight("""
        modulus = (1 << 61) - 1
        table = dict.fromkeys(modulus * number for number in range(1, 60_000))
        print(len(table))
    """)
    assert fight.limit == "cpu"
    assert fight.line == 3


async def test_a_flood_of_output_is_cut_at_the_write(arena: Arena) -> None:
    fight = await arena.fight("while True:\n    print('x' * 1000)\n")
    assert fight.limit == "output"
    assert len(fight.trace.stdout) <= arena.pool.limits.stdout_characters


async def test_one_huge_print_is_cut_at_the_write(arena: Arena) -> None:
    fight = await arena.fight("print('x' * 10_000_000)")
    assert len(fight.trace.stdout) <= arena.pool.limits.stdout_characters


async def test_a_flood_of_steps_is_folded(arena: Arena) -> None:
    fight = await arena.fight("""
        import torch
        a = torch.tensor(1.0, requires_grad=True)
        for _ in range(15_000):
            b = a * a
        print("done")
    """)
    assert fight.trace.outcome.status == "ok" or fight.limit == "steps"
    assert fight.trace.folded > 0
    assert len(fight.result.document) <= arena.pool.limits.document_bytes


async def test_the_journal_ends_before_it_overflows(arena: Arena) -> None:
    """Its last line is reached long after the journal is full; the run still ends in a document."""
    fight = await arena.fight("""
        import sys, torch
        frame = sys._getframe()
        while "journal" not in frame.f_locals:
            frame = frame.f_back
        journal = frame.f_locals["journal"]
        from engine.trace.tape import Batch
        batch = Batch([], [], {}, {}, output="x" * 1_000_000)
        for _ in range(100):
            journal.write(batch)
        print(journal.full)
        10 ** 10 ** 8
    """)
    assert fight.ending is Ending.CPU
    assert fight.trace.outcome.limit == "cpu"
