"""Sparse tensors in a trace: told by what they store, and every sentence about them true."""

from __future__ import annotations

import numpy as np
import pytest

from engine.ops.sparse.compressed import compress
from engine.ops.sparse.coordinates import Coordinates, from_dense
from engine.trace import events
from engine.trace.claims.verify import verify
from engine.trace.play import play
from engine.trace.sparse_values import sparse_value

GRAPH_NETWORK = """
import torch
edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
weights = torch.tensor([1.0, 2.0, 0.5, -1.0], requires_grad=True)
A = torch.sparse_coo_tensor(edges, weights, (3, 3))
x = torch.tensor([[1.0, 0.0], [0.5, 2.0], [-1.0, 1.0]], requires_grad=True)
h = torch.relu(torch.sparse.mm(A, x))
loss = (A.to_dense() * h.sum()).sum() + torch.sparse.sum(A * 2)
loss.backward()
print(weights.grad)
"""
TABLE = """
import torch
table = torch.nn.Embedding(1000, 100, sparse=True)
optimizer = torch.optim.SparseAdam(table.parameters())
for row in (3, 7):
    optimizer.zero_grad()
    loss = table(torch.tensor([row, row, 5])).pow(2).sum()
    loss.backward()
    optimizer.step()
print(table.weight.grad.coalesce().indices())
"""
LAYOUTS = """
import torch
d = torch.tensor([[0.0, 1.0], [2.0, 0.0]], requires_grad=True)
s = d.to_sparse()
t = s.t() + s
u = torch.sparse.softmax(t.coalesce(), 1)
v = u.coalesce().values()
c = d.to_sparse_csr()
m = d.sparse_mask(s.detach())
loss = v.sum() + (c @ torch.ones(2)).sum() + torch.sparse.sum(m, 0).to_dense().sum()
loss.backward()
a = torch.eye(2).to_sparse().requires_grad_()
(a * a).backward(torch.eye(2).to_sparse())
a.grad.add_(a.grad)
a.grad = None
"""


@pytest.mark.parametrize("program", [GRAPH_NETWORK, TABLE, LAYOUTS], ids=["graph network", "table", "layouts"])
def test_every_sentence_about_sparse_tensors_is_true(program: str) -> None:
    trace = play(program)
    assert trace.outcome.status == "ok", trace.outcome
    assert verify(trace) == []
    assert not [step for step in trace.steps if not step.text]


def test_narration_says_how_much_is_stored() -> None:
    trace = play(GRAPH_NETWORK)
    made = next(step for step in trace.steps if isinstance(step, events.TensorMade) and "sparse_coo" in step.operator)
    assert made.value.text == "[[·, 1, ·], [2, ·, 0.5], [·, −1, ·]]"
    assert made.value.data == [0, 1, 0, 2, 0, 0.5, 0, -1, 0]
    assert "3 × 3 numbers from −1 to 2, 4 stored" in made.text


def test_a_gradient_of_rows_is_told_by_its_rows() -> None:
    trace = play(TABLE)
    stored = [step for step in trace.steps if isinstance(step, events.GradientStored)]
    assert stored[0].new.text == "float32 [1000, 100], 200 stored"
    assert stored[0].new.data is None
    assert "1000 × 100 numbers" in stored[0].text
    assert "200 stored" in stored[0].text


def test_what_is_stored_twice_is_added_up_and_counted_once() -> None:
    value = sparse_value(Coordinates(np.array([[1, 1, 0]]), np.array([1.0, 2.0, 0.0]), (3,)), "float64")
    assert (value.text, value.data) == ("[0, 3, ·]", [0, 3, 0])


def test_rows_that_are_compressed_are_told_alike() -> None:
    dense = np.array([[0.0, 1.5], [0.0, 0.0]])
    assert sparse_value(compress(from_dense(dense, 2), by_row=True), "float64").text == "[[·, 1.5], [·, ·]]"


def test_a_tensor_too_large_to_write_out_has_its_range() -> None:
    places = np.array([[5, 70_000]])
    value = sparse_value(Coordinates(places, np.array([2.0, np.nan]), (100_000,)), "float64")
    assert (value.low, value.high, value.nonfinite, value.nan) == (0, 2, 1, 1)
    assert value.text == "float64 [100000], 2 stored"
    assert value.thumbnail is None


def test_one_that_stores_everything_reads_like_a_dense_one() -> None:
    value = sparse_value(from_dense(np.array([1.0, 2.0]), 1), "float64")
    assert value.text == "[1, 2]"
