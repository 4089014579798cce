"""A write through a view, as the trace tells it: the nodes that stand in PyTorch's graph are made, and no others."""

from __future__ import annotations

from engine.trace import events
from engine.trace.limits import Limits
from engine.trace.play import record

CODE = """import torch
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = x * 2
r = y[0]
r.mul_(3)
(r * y[1]).sum().backward()
"""


def test_every_node_of_a_written_view_is_announced_before_it_runs() -> None:
    trace = record(CODE, Limits(), None)
    made = [trace.nodes[step.node].name for step in trace.steps if isinstance(step, events.NodeMade)]
    assert made == [
        "AccumulateGrad", "MulBackward0", "SelectBackward0", "CopySlices", "AsStridedBackward0", "SelectBackward0",
        "MulBackward0", "SumBackward0",
    ]  # fmt: skip
    ran = {step.node for step in trace.steps if isinstance(step, events.NodeRan)}
    announced = {step.node for step in trace.steps if isinstance(step, events.NodeMade)}
    assert ran <= announced


def test_the_base_comes_from_the_write_and_the_view_from_the_base() -> None:
    trace = record(CODE, Limits(), None)
    outputs = {node.name: node.outputs for node in trace.nodes if node.name in ("CopySlices", "AsStridedBackward0")}
    names = {step.tensor: step.name for step in trace.steps if isinstance(step, events.NameBound)}
    assert [names[t] for t in outputs["CopySlices"]] == ["y"]
    assert [names[t] for t in outputs["AsStridedBackward0"]] == ["r"]
