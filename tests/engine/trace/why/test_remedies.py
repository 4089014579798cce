"""A remedy mends: where it is followed to the letter, the complaint is gone, nothing new is wrong, and PyTorch agrees."""

from __future__ import annotations

import pytest

from engine.trace.document import Reason, Trace
from engine.trace.play import play
from tests.engine.trace.why.cases import Case, cases
from tests.engine.trace.why.programs import gradients_of, played
from tests.engine.trace.why.questions import answers
from tests.engine.trace.why.remedies.registry import FOLLOWED
from tests.engine.trace.why.remedies.repairs import ADVICE, UNCOVERED, is_followed, key, repairs
from tests.oracle.golden import golden

RECORDED = golden("remedies")
AT_LEAST = 900
"""Repaired programs that the rules make of the labelled ones."""


def told(case: Case) -> list[Reason]:
    """What answers the case's question as its label says."""
    return [reason for reason in answers(played(case.code), case) if reason.cause == case.cause]


def complaints(trace: Trace, case: Case, before: Trace) -> list[str]:
    """What is still, or newly, wrong with a repaired program."""
    known = {reason.cause for reason in before.reasons if reason.warns} - {case.cause}
    found = [reason.text for reason in trace.reasons if reason.warns and reason.cause not in known]
    if case.about not in ("error", "warning"):
        found += [reason.text for reason in answers(trace, case) if reason.cause == case.cause]
    return found


@pytest.mark.parametrize("case", [case for case in cases() if case.id not in UNCOVERED], ids=lambda case: case.id)
def test_what_a_remedy_says_mends_the_program(case: Case) -> None:
    broken = played(case.code)
    for reason in told(case):
        for code in repairs(broken, reason):
            repaired = play(code)
            assert complaints(repaired, case, broken) == [], code
            assert repaired.outcome.status == "ok", code
            seen = RECORDED[key(code)]
            assert seen["error"] is None, code
            grads = gradients_of(repaired)
            for leaf, expected in seen["grads"].items():
                assert grads[leaf] == pytest.approx(expected, rel=2e-4, abs=2e-5, nan_ok=True), code


def test_every_remedy_is_followed_or_known_to_be_advice() -> None:
    unknown = {
        reason.fix
        for case in cases()
        for reason in told(case)
        if reason.fix and not is_followed(reason.fix) and not any(pattern.search(reason.fix) for pattern in ADVICE)
    }
    assert unknown == set()


def test_every_rule_mends_a_program() -> None:
    used = set()
    made = 0
    for case in cases():
        trace = played(case.code)
        for reason in told(case):
            made += len(repairs(trace, reason))
            used |= {pattern.pattern for pattern, _ in FOLLOWED if pattern.search(reason.fix)}
    assert {pattern.pattern for pattern, _ in FOLLOWED} == used
    assert made >= AT_LEAST
