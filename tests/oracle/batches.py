"""Observes programs in child processes: some crash PyTorch itself (a segmentation fault), and those are left out."""

from __future__ import annotations

import json
import os
import traceback
from collections.abc import Callable
from typing import Any

BATCH = 64


def in_batches(observe: Callable[[int], Any], first: int, end: int) -> dict[str, Any]:
    """Observations by seed, as text."""
    found: dict[str, Any] = {}
    for start in range(first, end, BATCH):
        found |= answers(observe, start, min(start + BATCH, end))
    return found


def answers(observe: Callable[[int], Any], first: int, end: int) -> dict[str, Any]:
    """One child; a batch that crashes is halved until the culprit is alone.

    Raises:
        RuntimeError: the child failed without crashing; its traceback is on standard error.
    """
    readable, writable = os.pipe()
    child = os.fork()
    if not child:
        os.close(readable)
        try:
            with os.fdopen(writable, "w") as pipe:
                json.dump({seed: observe(seed) for seed in range(first, end)}, pipe)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    os.close(writable)
    with os.fdopen(readable) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    if status == 0:
        found: dict[str, Any] = json.loads(text)
        return found
    if not os.WIFSIGNALED(status):
        raise RuntimeError(f"the programs of seeds {first} to {end} could not be observed")
    if end - first == 1:
        return {}
    middle = (first + end) // 2
    return answers(observe, first, middle) | answers(observe, middle, end)
