"""Every labelled snippet gets its cause and its guilty line, no sound program is warned about, and PyTorch agrees."""

from __future__ import annotations

from typing import Any

import pytest

from engine.trace.claims import verify
from engine.trace.diagnosis.causes import CAUSES
from engine.trace.document import Trace
from tests.engine.trace.why.cases import Case, cases
from tests.engine.trace.why.programs import SNIPPETS, gradients_of, played
from tests.engine.trace.why.questions import answers
from tests.engine.trace.why.sound import sound
from tests.oracle.golden import golden

RECORDED = golden("why")
GRADIENT_THERE = {"filled", "assigned", "accumulated", "gradient_nan", "gradient_infinite"}


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_labelled_snippet_gets_its_cause_and_guilty_line(case: Case) -> None:
    found = [(reason.cause, reason.span.line if reason.span else None) for reason in answers(played(case.code), case)]
    assert (case.cause, case.line) in found
    if case.about != "warning":
        assert len(found) == 1


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_pytorch_behaves_as_the_label_says(case: Case) -> None:
    seen = RECORDED[case.id]
    if case.about == "error" or case.cause == "pass_failed":
        assert seen["error"] is not None
    elif case.about == "grad":
        expected = {"zeroed": ("none", "zero"), "zero_gradient": ("zero",)}.get(case.cause)
        assert seen["grad"] in (expected or (("some", "not finite") if case.cause in GRADIENT_THERE else ("none",)))
    elif case.about == "grad_fn":
        assert seen["grad_fn"] is False
    elif case.about == "value" and case.cause in ("nan", "infinite"):
        assert seen["finite"] is False


def outcome_of(trace: Trace) -> list[Any] | None:
    if trace.outcome.status != "error" or trace.outcome.span is None:
        return None
    return [trace.outcome.error, trace.outcome.span.line, trace.outcome.message[:60]]


@pytest.mark.parametrize("name", SNIPPETS)
def test_trace_ends_with_pytorchs_gradients_and_errors(name: str) -> None:
    trace, seen = played(SNIPPETS[name]), RECORDED[name]
    assert outcome_of(trace) == seen["error"]
    grads = gradients_of(trace)
    for leaf, expected in seen["grads"].items():
        assert grads[leaf] == pytest.approx(expected, rel=2e-4, abs=2e-5, nan_ok=True)


@pytest.mark.parametrize("name", sound())
def test_sound_program_is_not_warned_about(name: str) -> None:
    trace = played(sound()[name])
    assert trace.outcome.status == "ok"
    assert [reason.text for reason in trace.reasons if reason.warns] == []
    assert all(step.warning is None for step in trace.steps)


@pytest.mark.parametrize("name", SNIPPETS)
def test_every_sentence_holds(name: str) -> None:
    assert verify(played(SNIPPETS[name])) == []


def test_every_cause_is_declared_and_every_answer_reads_well() -> None:
    for code in SNIPPETS.values():
        for reason in played(code).reasons:
            assert reason.cause in CAUSES
            assert reason.text.endswith(".")
            assert "  " not in reason.text
            assert not reason.fix or reason.fix[0].isupper()


def test_error_advice_names_the_guilty_lines() -> None:
    advice = {case.id: played(case.code).outcome.advice for case in cases() if case.cause == "modified_in_place"}
    for text in advice.values():
        assert "saved" in text
        assert text.count("line ") >= 3
        assert "version" in text


def test_an_update_between_turns_that_share_a_state_is_mended_by_cutting_the_state_off() -> None:
    code = """\
import torch
from torch import nn
torch.manual_seed(0)
cell = nn.LSTMCell(2, 3)
opt = torch.optim.SGD(cell.parameters(), lr=0.1)
h, c = torch.zeros(1, 3), torch.zeros(1, 3)
for t in range(3):
    h, c = cell(torch.ones(1, 2), (h, c))
    opt.zero_grad()
    h.pow(2).sum().backward(retain_graph=True)
    opt.step()
"""
    [reason] = [reason for reason in played(code).reasons if reason.about == "error"]
    assert reason.cause == "modified_in_place"
    assert reason.fix.startswith("Cut the tie")
    assert "`h, c = h.detach(), c.detach()`" in reason.fix


def test_a_state_in_a_tuple_is_cut_off_as_a_whole() -> None:
    code = """\
import torch
from torch import nn
torch.manual_seed(0)
rnn = nn.LSTM(2, 3)
state = (torch.zeros(1, 1, 3), torch.zeros(1, 1, 3))
for t in range(3):
    out, state = rnn(torch.ones(2, 1, 2), state)
    out.pow(2).sum().backward()
"""
    [reason] = [reason for reason in played(code).reasons if reason.about == "error"]
    assert reason.cause == "graph_freed"
    assert "`state = tuple(part.detach() for part in state)`" in reason.fix
