"""What a killed run has written down is read back as far as it is whole."""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Iterator

import pytest

from engine.sandbox import journal
from engine.trace.document import Scope
from engine.trace.events import Printed
from engine.trace.tape import Batch

SIZE = 1 << 16


def batch(output: str, count: int = 1) -> Batch:
    return Batch(steps=[Printed(output=output)] * count, scopes=[Scope("program", "x")], tensors={}, nodes={})


@pytest.fixture
def memory() -> Iterator[int]:
    descriptor = journal.create(SIZE)
    yield descriptor
    os.close(descriptor)


def test_batches_come_back_in_order(memory: int) -> None:
    writer = journal.Writer(memory, SIZE)
    writer.write(batch("first"))
    writer.write(batch("second"))
    assert [read.steps[0].output for read in journal.read(memory, SIZE)] == ["first", "second"]  # type: ignore[union-attr]


def test_an_untouched_journal_holds_nothing(memory: int) -> None:
    assert journal.read(memory, SIZE) == []


def test_a_full_journal_keeps_what_it_has_and_takes_no_more(memory: int) -> None:
    writer = journal.Writer(memory, SIZE)
    writer.write(batch("kept"))
    writer.write(batch("too much", count=10_000))
    writer.write(batch("after the gap"))
    assert writer.full
    assert len(journal.read(memory, SIZE)) == 1


def test_an_entry_counts_only_once_it_is_committed(memory: int) -> None:
    writer = journal.Writer(memory, SIZE)
    writer.write(batch("whole"))
    os.pwrite(memory, struct.pack("<Q", os.pread(memory, 8, 0)[0] - 3), 0)
    assert journal.read(memory, SIZE) == []


@pytest.mark.parametrize(
    "garbage",
    [
        b"\xff" * 64,
        struct.pack("<QI", 1 << 60, 0xFFFFFFFF),
        struct.pack("<QI", 40, 8) + b"[[[[[[[[",
        struct.pack("<QI", 40, 20) + b'{"steps":1,"x":"\xff"}',
        struct.pack("<Q", 3),
    ],
    ids=["ones", "far end", "nested", "not utf-8", "inside its header"],
)
def test_garbage_ends_the_reading_without_an_error(memory: int, garbage: bytes) -> None:
    os.pwrite(memory, garbage, 0)
    assert journal.read(memory, SIZE) == []


def test_deep_nesting_ends_the_reading_without_an_error(memory: int) -> None:
    deep = b'{"steps":[{"kind":"line","formula":' + b'{"kind":"row","parts":[' * 2000
    os.pwrite(memory, struct.pack("<QI", 8 + 4 + len(deep), len(deep)) + deep, 0)
    assert journal.read(memory, SIZE) == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can seal memory against resizing")
def test_the_memory_cannot_be_cut_short_under_its_reader(memory: int) -> None:
    with pytest.raises(PermissionError):
        os.ftruncate(memory, 0)
