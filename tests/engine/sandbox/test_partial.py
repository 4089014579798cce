"""A document out of the beginning of a run."""

from __future__ import annotations

import msgspec

from engine.sandbox.check import verify
from engine.sandbox.ending import Ending
from engine.sandbox.limits import Limits
from engine.sandbox.partial import assemble
from engine.trace.document import Tensor
from engine.trace.limits import Limits as Budgets
from engine.trace.play import play
from engine.trace.tape import Batch
from tests.engine.sandbox.documents import SNIPPET


def recorded() -> list[Batch]:
    """As the journal holds them: a batch's rows are live objects, which change after it was sent."""
    batches: list[bytes] = []
    play(SNIPPET, Budgets(batch=1), lambda batch: batches.append(msgspec.json.encode(batch)))
    return [msgspec.json.decode(batch, type=Batch) for batch in batches]


def test_every_beginning_of_a_journal_makes_a_valid_document() -> None:
    batches = recorded()
    assert len(batches) > 5
    for count in range(len(batches) + 1):
        trace = assemble(SNIPPET, batches[:count], Ending.WALL)
        verify(trace, SNIPPET, Limits())
        assert trace.outcome.limit == ("wall" if count < len(batches) else None)


def test_a_run_that_is_stopped_after_its_program_has_ended_ended_as_it_did() -> None:
    assert assemble(SNIPPET, recorded(), Ending.MEMORY).outcome.status == "ok"
    assert assemble(SNIPPET, recorded(), Ending.FORGED).outcome.limit == "forged"


def test_a_whole_journal_has_the_steps_of_the_whole_run() -> None:
    kinds = [type(step) for step in assemble(SNIPPET, recorded(), Ending.CPU).steps]
    assert kinds == [type(step) for step in play(SNIPPET).steps]


def test_the_line_that_was_running_is_the_guilty_one() -> None:
    batches = [batch for batch in recorded() if batch.line <= 5]
    span = assemble(SNIPPET, batches, Ending.MEMORY).outcome.span
    assert span is not None
    assert SNIPPET.split("\n")[span.line - 1] == "c = a * b"


def test_without_a_journal_there_is_still_a_document() -> None:
    trace = assemble("x", [], Ending.FORGED)
    verify(trace, "x", Limits())
    assert trace.outcome.message
    assert trace.outcome.advice


def test_rows_that_do_not_follow_each_other_end_the_reading() -> None:
    gap = Batch(steps=[], scopes=[], tensors={7: Tensor(label="from nowhere")}, nodes={})
    assert assemble(SNIPPET, [gap, *recorded()], Ending.WALL).tensors == []
