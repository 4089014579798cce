"""How often Python looks for cycles while the recorder's own objects pile up."""

from __future__ import annotations

import gc

import pytest

from engine.trace.environment import collection
from engine.trace.play import play


def test_what_the_recorder_keeps_does_not_make_python_look_for_cycles_sooner() -> None:
    before = gc.get_threshold()
    with collection.as_unwatched():
        assert gc.get_threshold() == (before[0] * (1 + collection.OURS), *before[1:])
    assert gc.get_threshold() == before


def test_a_run_that_fails_leaves_the_collector_as_it_was() -> None:
    before = gc.get_threshold()
    with pytest.raises(KeyError), collection.as_unwatched():
        raise KeyError
    play("raise ValueError")
    assert gc.get_threshold() == before


def test_a_cycle_with_a_tensor_is_found_while_a_program_goes_on() -> None:
    trace = play(
        "import torch, weakref\n"
        "class Holder: pass\n"
        "holder = Holder()\n"
        "holder.me, holder.tensor = holder, torch.ones(3)\n"
        "seen = weakref.ref(holder)\n"
        "del holder\n"
        "kept = [[] for _ in range(20_000)]\n"
        "print(seen() is None)\n"
    )
    assert trace.stdout == "True\n"
