"""What is written through ``.data`` or ``detach()`` of what no graph holds reaches the tensor that they came from."""

from __future__ import annotations

import pytest

from engine.trace import events
from engine.trace.document import Trace
from engine.trace.play import play
from engine.trace.state import State

STEP = "w = torch.tensor([1.0, 2.0], requires_grad=True)\nw.sum().backward()\n"
# program: what PyTorch 2.13.0 holds in the end
GRADIENTS = {
    "w.grad.data.zero_()": [0, 0],
    "w.grad.data.mul_(3)": [3, 3],
    "g = w.grad.detach()\ng += 1": [2, 2],
    "w.grad.data[0] = 7": [7, 1],
    "for p in [w]:\n    p.grad.data.clamp_(max=0.5)": [0.5, 0.5],
    "with torch.no_grad():\n    w.grad.detach().add_(w)": [2, 3],
}


def played(code: str) -> Trace:
    return play(f"import torch\n{code}\n")


def in_the_end(trace: Trace) -> State:
    state = State(trace)
    for step in trace.steps:
        state.advance(step)
    return state


@pytest.mark.parametrize("write", GRADIENTS)
def test_a_gradient_that_is_written_by_another_way_is_told_as_it_is(write: str) -> None:
    trace = played(STEP + write)
    assert trace.outcome.status == "ok"
    [w] = [index for index, row in enumerate(trace.tensors) if row.names[:1] == ["w"]]
    value = in_the_end(trace).grads[w]
    assert value is not None
    assert value.data == GRADIENTS[write]


def test_two_names_of_one_untracked_storage_change_together() -> None:
    trace = played("a = torch.zeros(2)\nb = a.detach()\nb[0] = 5")
    rows = {name: index for index, row in enumerate(trace.tensors) for name in row.names}
    values = in_the_end(trace).values
    assert [values[rows[name]].data for name in ("a", "b")] == [[5, 0], [5, 0]]


def test_the_tensor_in_between_bears_its_own_name() -> None:
    trace = played(f"{STEP}w.grad.data.zero_()")
    [written] = [step for step in trace.steps if isinstance(step, events.ValueWritten)]
    assert "writes into `w.grad.data`" in written.text
    assert trace.tensors[written.tensor].gradient_of is None


def test_a_tensor_that_nothing_is_done_with_gets_no_row() -> None:
    assert len(played("a = torch.zeros(2)\na.detach().tolist()\na.data.shape").tensors) == 1
