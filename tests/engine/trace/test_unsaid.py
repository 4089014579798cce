"""A reader of the trace that fails costs its own part of the words, and the trace says which."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from engine.trace import events, unsaid
from engine.trace.claims import verify
from engine.trace.diagnosis.mistakes.updates import Updates
from engine.trace.document import Trace
from engine.trace.narration.narrate import NARRATORS
from engine.trace.play import play
from engine.trace.quiz import make as quiz

NOTE = unsaid.note
"""As the service has it; the tests' own makes every failure theirs."""
RAN: type[events.Event] = events.NodeRan
CODE = """\
import torch
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
loss = a * b + a
loss.backward()
print(a.grad)
"""


@pytest.fixture(autouse=True)
def _as_the_service_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unsaid, "note", NOTE)


def breaks(*arguments: Any, **named: Any) -> Any:
    raise KeyError("a fault")


def end_of(trace: Trace) -> str:
    return trace.steps[-1].detail[-1]


def test_nothing_is_missing_where_nothing_failed() -> None:
    trace = play(CODE)
    assert trace.unsaid == []
    assert "fault" not in "".join(trace.steps[-1].detail)


def test_a_narrator_that_fails_costs_the_words_of_its_steps_only(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = play(CODE)
    monkeypatch.setitem(NARRATORS, RAN, breaks)
    trace = play(CODE)
    assert len(trace.steps) == len(whole.steps)
    for index, (step, told) in enumerate(zip(trace.steps[:-1], whole.steps[:-1], strict=True)):
        if isinstance(step, events.NodeRan):
            assert step.text == unsaid.AT_A_STEP
            assert any(gap.step == index for gap in trace.unsaid)
        elif not isinstance(step, events.MessageSent):  # it says what has not been said yet
            assert step.text == told.text
    assert (trace.reasons, trace.questions) == (whole.reasons, whole.questions)
    assert [chapter.title for chapter in trace.chapters] == [chapter.title for chapter in whole.chapters]
    assert end_of(trace) == "Missing, by a fault of Backplay's and not of your program: the words of two steps."
    assert trace.unsaid[0].error.startswith("KeyError in test_unsaid.py, line ")


def test_a_gap_is_no_sound_narration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(NARRATORS, RAN, breaks)
    assert verify(play(CODE))


def test_one_tensors_answers_are_lost_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    diagnosis = importlib.import_module("engine.trace.diagnosis.diagnose")
    answers = diagnosis.reasons_of

    def breaks_at_b(history: Any, tensor: int, origins: Any) -> Any:
        if history.trace.tensors[tensor].label == "b":
            raise KeyError("a fault")
        return answers(history, tensor, origins)

    monkeypatch.setattr(diagnosis, "reasons_of", breaks_at_b)
    trace = play(CODE)
    assert {trace.tensors[reason.tensor].label for reason in trace.reasons if reason.tensor is not None} == {
        "a",
        "loss",
    }
    assert end_of(trace) == "Missing, by a fault of Backplay's and not of your program: why `b` is as shown."


def test_a_watcher_that_fails_is_asked_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    code = CODE.replace("print(a.grad)", "torch.optim.SGD([a, b], lr=0.1).step()\n" * 2)
    monkeypatch.setattr(Updates, "hear", breaks)
    trace = play(code)
    assert [(gap.part, gap.about) for gap in trace.unsaid] == [("warnings", "Updates")]
    assert any(reason.about == "grad" for reason in trace.reasons)
    assert end_of(trace).endswith(": some warnings.")


@pytest.mark.parametrize(
    ("target", "name", "missing"),
    [
        ("engine.trace.explain", "label", "what some tensors are called"),
        ("engine.trace.explain", "diagnose", "why things are as they are"),
        ("engine.trace.explain", "divide", "the chapters"),
        ("engine.trace.explain", "ask", "some questions"),
    ],
)
def test_a_whole_reader_that_fails_leaves_the_others_their_turn(
    monkeypatch: pytest.MonkeyPatch, target: str, name: str, missing: str
) -> None:
    monkeypatch.setattr(f"{target}.{name}", breaks)
    trace = play(CODE)
    assert all(step.text for step in trace.steps)
    assert all(tensor.label for tensor in trace.tensors)
    assert trace.chapters[-1].last == len(trace.steps) - 1
    assert end_of(trace) == f"Missing, by a fault of Backplay's and not of your program: {missing}."


def test_a_question_that_fails_is_lost_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quiz, "ASKERS", (*quiz.ASKERS, (events.Line, breaks)))
    trace = play(CODE)
    assert [question.prompt for question in trace.questions] == [question.prompt for question in play(CODE).questions]
    assert {gap.part for gap in trace.unsaid} == {"questions"}
    assert trace.questions


def test_no_more_memory_is_no_fault_of_a_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    def spends(trace: Trace) -> None:
        raise MemoryError

    monkeypatch.setattr("engine.trace.explain.label", spends)
    with pytest.raises(MemoryError):
        play(CODE)
