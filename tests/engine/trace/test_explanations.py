"""Every statement of every explanation that a narration says is a law, which holds of the operator's own calls."""

from __future__ import annotations

import importlib
import pkgutil
import warnings
from collections.abc import Iterator

import pytest

from app.lessons.lesson import lessons
from engine.autograd.accumulate_grad import AccumulateGrad
from engine.autograd.function_node import BackwardCFunction
from engine.autograd.node import Node
from engine.ops.core import catalogue
from engine.ops.core.operator import Operator
from engine.ops.core.operator_node import OperatorNode
from engine.trace import describe
from engine.trace.play import play
from tests.engine.trace import explanations
from tests.engine.trace.explanations.calls import Bent, Call, calls
from tests.engine.trace.explanations.laws import LAWS, Law, law_of, statements
from tests.engine.trace.explanations.nodes import SHOWN

for found in pkgutil.iter_modules(explanations.__path__, f"{explanations.__name__}."):
    importlib.import_module(found.name)  # each registers its laws

UNSOUND = {"nansum", "nanmedian", "nan_to_num", "fmax", "fmin"}
"""Operators whose point is what they do with nan and infinities."""


def said(operator: Operator) -> list[str]:
    """The statements that narrations make of an operator; it is spoken of where it makes nodes."""
    return statements(describe.described(operator)[2]) if operator.differentiable else []


SPOKEN = [operator for operator in catalogue.operators() if said(operator)]


def tried(operator: Operator) -> list[Call]:
    return [call for call in calls()[operator] if operator.name in UNSOUND or call.is_sound()]


@pytest.mark.parametrize("operator", SPOKEN, ids=lambda operator: operator.class_name)
@pytest.mark.filterwarnings("ignore")
def test_what_an_explanation_says_holds_and_a_wrong_number_would_break_it(operator: Operator) -> None:
    for statement in said(operator):
        law = law_of(statement)
        assert law is not None, f"{operator.name} says {statement!r}, which nothing checks"
        answers = [(law(call), call) for call in tried(operator)]
        wrong = [call.arguments for answer, call in answers if answer is not None and not answer]
        assert not wrong, f"{operator.name} says {statement!r}, which is false of {wrong[0]}"
        meant = [call for answer, call in answers if answer is not None]
        assert meant, f"no call of {operator.name} shows whether {statement!r}"
        assert any(broken(law, call) for call in meant), (
            f"nothing that {operator.name} computes could refute {statement!r}"
        )


def broken(law: Law, call: Call) -> bool:
    """Whether the law finds other numbers wrong."""
    return law(Bent(call.operator, call.given)) is False


def test_every_law_is_of_something_that_is_said() -> None:
    everything = {statement for operator in SPOKEN for statement in said(operator)}
    assert set(LAWS) <= everything


def kinds(of: type[Node]) -> Iterator[type[Node]]:
    """Every class of nodes of the engine's own that no operator makes."""
    for kind in of.__subclasses__():
        if not issubclass(kind, OperatorNode | BackwardCFunction | AccumulateGrad):
            yield kind
            yield from kinds(kind)


def test_nodes_that_no_operator_makes_do_what_they_say() -> None:
    assert set(kinds(Node)) == set(SHOWN)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [kind.__name__ for kind, shown in SHOWN.items() if not shown()] == []


def test_narrations_explain_operators_by_their_own_words_only() -> None:
    known = {describe.described(operator)[2] for operator in SPOKEN} | {
        describe.first_sentences(kind.__doc__ or "") for kind in SHOWN
    }
    for lesson in lessons().values():
        told = {claim.text for step in play(lesson.snippet).steps for claim in step.claims if claim.says == "explains"}
        assert told <= known
