"""What an operator's explanation says of gradients is what its gradients do, in every program of the operators' tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from engine.trace import events
from engine.trace.agreement import numbers_of
from engine.trace.play import play
from tests.engine.trace.test_readings import program
from tests.oracle import operator_cases

Law = Callable[[Any, Any, Any], bool]
"""Of what arrived, what was sent and what the operator computed: whether the words hold."""
EVERY = 6
"""Which part of the operators' programs is played here, besides `CERTAINLY`."""
CERTAINLY = (
    "-a", "a.exp()", "a.exp2()", "a.sigmoid()", "a.relu()", "2 - a", "a.clone()", "a.sum()", "a.mean()", "m.t()",
    "m.flip(0)", "m.view(6)", "m.max()", "m.amax(1)", "m.max(1)", "m.sort()", "m.topk(2)", "m.kthvalue(2)", "m.cummax(1)",
    "m[[0, 0]]", "k.floor()", "k.clone().gt_(1.0)", "torch.nan_to_num(w)", "m.kthvalue(1)",
)  # fmt: skip
"""One of each kind."""


def near(left: Any, right: Any) -> bool:
    return bool(np.allclose(left, right, rtol=1e-6, atol=1e-9))


def same_numbers(arrived: Any, sent: Any, result: Any) -> bool:
    return near(np.sort(np.ravel(arrived)), np.sort(np.ravel(sent)))


def nothing_is_lost(arrived: Any, sent: Any, result: Any) -> bool:
    return near(np.sum(arrived), np.sum(sent))


LAWS: dict[str, Law] = {
    r"so the gradient is zero|their gradient is zero|a yes or no has no slope": lambda arrived, sent, result: (
        not np.any(sent)
    ),
    r"passes through unchanged": same_numbers,
    r"and of every gradient": lambda arrived, sent, result: near(np.asarray(sent), -np.asarray(arrived)),
    r"x's gradient has its sign flipped": lambda arrived, sent, result: near(np.sum(sent), -np.sum(arrived)),
    r"every element that went in gets the same gradient back": lambda arrived, sent, result: near(sent, arrived),
    r"every element gets an equal part of the gradient": lambda arrived, sent, result: near(
        sent, np.asarray(arrived) / np.size(sent)
    ),
    r"is (swapped|reversed|shifted|turned) back|goes back to the old (order|one)|takes the old shape": same_numbers,
    r"it gets the whole gradient, and equals share it": nothing_is_lost,
    r"equals share the gradient": nothing_is_lost,
    r"the gradient goes (back )?to (that one|that place|those places|where each stood)": nothing_is_lost,
    r"adds up all their gradients|that one collects the gradients": nothing_is_lost,
    r"only (these|this one) gets? a gradient": nothing_is_lost,
    r"its slope is its own value": lambda arrived, sent, result: near(sent, np.asarray(arrived) * result),
    r"its slope is its value times ln 2": lambda arrived, sent, result: near(
        sent, np.asarray(arrived) * result * np.log(2)
    ),
    r"its slope is at most a quarter": lambda arrived, sent, result: bool(
        np.all(np.abs(sent) <= np.abs(arrived) / 4 + 1e-9)
    ),
    r"what was replaced gets no gradient|where the input was not, the gradient stops": lambda arrived, sent, result: (
        bool(np.all((np.asarray(sent) == 0) | np.isclose(sent, arrived)))
    ),
}
"""What the words of explanations mean. Each is tried on every message of a node whose explanation says them."""


def test_what_explanations_say_of_gradients_holds() -> None:
    wrong, tried = [], Counter[str]()
    for expression in dict.fromkeys([*CERTAINLY, *list(operator_cases.EXPRESSIONS)[::EVERY]]):
        trace = play(program(expression))
        ran: dict[int, events.NodeRan] = {}
        for step in trace.steps:
            if isinstance(step, events.NodeRan):
                ran[step.node] = step
            if not isinstance(step, events.MessageSent) or step.node not in ran:
                continue
            row = trace.nodes[step.node]
            given = [value for value in ran[step.node].gradients if value is not None]
            sent = numbers_of(step.value)
            arrived = numbers_of(given[0]) if len(given) == 1 else None
            result = numbers_of(trace.tensors[row.outputs[0]].value) if row.outputs else None
            if (
                arrived is None
                or sent is None
                or result is None
                or not np.all(np.isfinite([np.sum(sent), np.sum(result)]))
            ):
                continue
            for words, law in LAWS.items():
                if re.search(words, row.explains):
                    tried[words] += 1
                    if not law(arrived, sent, result):
                        wrong.append(f"{expression}: {row.name} sends {step.value} for {given[0]}: {row.explains}")
    assert wrong == []
    assert [words for words in LAWS if not tried[words]] == []
