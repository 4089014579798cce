"""Every operator's derivative is told as a formula, and with numbers in it gives what was computed."""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from engine.ops.core import catalogue
from engine.trace import derivatives, events
from engine.trace import formula as formulas
from engine.trace.claims import verify
from engine.trace.derivatives.readings import BY_OPERATOR
from engine.trace.parts import Formula
from engine.trace.play import play
from tests.engine.trace.untold import UNREAD
from tests.oracle import derivatives as leaves
from tests.oracle import operator_cases

PLAIN = frozenset({"dim", "index", "start", "end", "step", "length", "position"})
BRANCHES = 64
EVERY = 4
"""Which part of the operators' programs is played here (the oracle judges all of them)."""


def alternatives(tree: ast.Expression) -> Iterator[ast.expr]:
    """The expression for each way in which its conditions may fall."""
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            for place, part in enumerate(value if isinstance(value, list) else [value]):
                if isinstance(part, ast.IfExp):
                    for branch in (part.body, part.orelse):
                        if isinstance(value, list):
                            value[place] = branch
                        else:
                            setattr(node, field, branch)
                        yield from alternatives(copy.deepcopy(tree))
                    return
    yield tree.body


def shown(parameter: str) -> Formula:
    return formulas.number("0") if parameter in PLAIN else formulas.name(parameter)


def is_readable(text: str) -> bool:
    """Whether a formula is shown in some case."""
    tree = formulas.parsed(text)
    if tree is None:
        return False
    cases = itertools.islice(alternatives(ast.Expression(copy.deepcopy(tree))), BRANCHES)
    return any(formulas.build(ast.unparse(case), shown) is not None for case in cases)


def unreadable() -> set[str]:
    found = set()
    for operator in catalogue.operators():
        texts = derivatives.texts(operator)
        for position in operator.differentiable:
            argument = operator.signature.names[position]
            text = texts.get(argument, texts.get("joint", ""))
            if not refuses(operator, argument if argument in operator.sources else "joint") and not is_readable(text):
                found.add(operator.name)
    return found


def refuses(operator: Any, argument: str) -> bool:
    """Whether PyTorch has not written the derivative either: it raises, so no step shows it."""
    return getattr(operator.sources[argument], "refuses", False)


def test_a_derivative_that_is_refused_has_no_formula_and_no_other_is_without() -> None:
    play("import torch")  # the drop-in reads all derivatives
    told = {
        (each, argument): derivatives.texts(each)[argument]
        for each in catalogue.operators()
        for argument in each.sources
    }
    assert {key for key, text in told.items() if not text} == {key for key in told if refuses(*key)}


def test_every_derivative_is_a_formula_or_says_why_not() -> None:
    play("import torch")  # the drop-in reads all derivatives
    assert unreadable() == set(UNREAD)
    assert all(UNREAD.values())


def test_every_reading_is_of_an_operator_that_exists() -> None:
    names = {operator.name for operator in catalogue.operators()} | {"CopySlices", "BackwardHookFunction"}
    assert set(BY_OPERATOR) <= names
    assert set(UNREAD) <= names


def program(expression: str) -> str:
    made = [
        *(
            f"{name} = torch.tensor({data}, dtype=torch.float64, requires_grad=True)"
            for name, data in leaves.REALS.items()
        ),
        *(f"{name} = torch.tensor({data})" for name, data in leaves.OTHERS.items()),
        *(f"{name} = torch.tensor({data}, requires_grad=True)" for name, data in leaves.COMPLEX.items()),
    ]
    return "\n".join([
        "import math\nimport torch\nimport torch.nn.functional as F\nfrom math import inf, nan",
        *made,
        f"r = {expression}",
        "results = list(r) if isinstance(r, (list, tuple)) else [r]",
        "results = [t for t in results if isinstance(t, torch.Tensor) and t.requires_grad]",
        "torch.autograd.backward(results, [torch.full_like(t, 2.0) for t in results])",
    ])  # fmt: skip


@pytest.mark.parametrize("expression", list(operator_cases.EXPRESSIONS)[::EVERY])
def test_formulas_with_numbers_in_give_what_was_computed(expression: str) -> None:
    trace = play(program(expression))
    assert verify(trace) == []
    for step in trace.steps:
        if isinstance(step, events.MessageSent) and step.value is not None and step.value.data and step.derivative:
            row = trace.nodes[step.node]
            text = row.edges[step.slot].derivative
            told = step.formula is not None or step.derivative == "grad"
            assert told or len(step.value.data) > 6, f"{row.name}: {text} of {step.value.text} is not drawn"
