"""Whole numbers of more digits than Python writes end no run, wherever a program keeps them."""

from __future__ import annotations

import pytest

from engine.trace.play import play

LARGE = "import torch\nx = torch.ones(3, requires_grad=True)\nlarge = 10**5000\n"


@pytest.mark.parametrize(
    "code",
    [
        "kept = {large: x}",
        "kept = {(large, 1): x}",
        "y = x[:large]\ny.sum().backward()",
        "y = x[-large:]\ny.sum().backward()",
        "optimizer = torch.optim.SGD([x], lr=large)\nx.sum().backward()",
        "net = torch.nn.Linear(3, 2)\nnet.large = large\nnet(x)",
    ],
)
def test_a_program_that_keeps_a_number_of_5000_digits_runs(code: str) -> None:
    assert play(LARGE + code + "\n").outcome.status == "ok"


def test_a_key_that_nobody_reads_as_part_of_a_name_gives_none() -> None:
    trace = play("import torch\nkept = {'k' * 1000: torch.ones(1), 'short': torch.zeros(1)}\n")
    assert [name for row in trace.tensors for name in row.names] == ["kept['short']"]
