"""Every operator's value, graph, saved names, first and second gradients are those real PyTorch recorded."""

from __future__ import annotations

import pytest

from engine import torch
from tests.oracle.derivatives import derived
from tests.oracle.golden import as_json, differences, golden
from tests.oracle.operator_cases import EXPRESSIONS, FAMILIES

RECORDED = golden("operators")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", EXPRESSIONS, ids=[f"{family}: {e}" for e, family in EXPRESSIONS.items()])
def test_value_graph_and_gradients_are_those_of_pytorch(expression: str) -> None:
    ours = as_json(derived(expression, torch))
    assert not list(differences(ours, RECORDED[expression], relative=1e-9, absolute=1e-12))


def test_every_recorded_expression_is_still_asked_for() -> None:
    assert RECORDED.keys() == EXPRESSIONS.keys()
    assert all(FAMILIES.values())
