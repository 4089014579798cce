"""The Python that has real PyTorch, where there is one: what tests ask it now, beside what was recorded."""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.oracle.fresh import verdict

ROOT = Path(__file__).resolve().parents[2]
PYTHON = os.environ.get("BACKPLAY_TORCH_PYTHON")
at_hand = pytest.mark.skipif(
    PYTHON is None, reason="BACKPLAY_TORCH_PYTHON names no Python with PyTorch; `make judge` makes one"
)


def asked(recorder: str, *arguments: object) -> Any:
    """What a recorder of this folder answers now, to standard output."""
    assert PYTHON is not None
    command = [PYTHON, "-m", f"tests.oracle.{recorder}", "-", *map(str, arguments)]
    answered = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(answered.stdout)


def require_agreement(kind: str, count: int, compare: Callable[[str, dict[str, Any]], list[str]]) -> None:
    """Fails if more of ``count`` new programs differ than luck explains (`tests.oracle.fresh`), and tells all that do.

    Args:
        kind: of programs: semantics or wide.
        compare: tells what the engine does differently in the program of a seed, of which PyTorch's answer is given.
    """
    first = int(os.environ.get("BACKPLAY_SEED", random.SystemRandom().randrange(10_000, 100_000_000)))
    print(f"BACKPLAY_SEED={first} gives these {count} programs again")
    programs = asked(f"record_{kind}", first, first + count)["programs"]
    reports = [report for seed, theirs in programs.items() for report in compare(seed, theirs)]
    assert len(programs) > count * 0.95  # the others crashed PyTorch itself
    passed, told = verdict(kind, first, len(programs), reports)
    print(told)
    assert passed, told
