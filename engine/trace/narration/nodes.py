"""Operations that are recorded as nodes of the graph, and the paths along which gradients will come back."""

from __future__ import annotations

from collections import Counter

from engine.trace import events
from engine.trace.labels.label import UNBIND
from engine.trace.marks import code
from engine.trace.narration.amounts import MOST, counted, listed, times
from engine.trace.narration.mapping import slice_of
from engine.trace.narration.messages import is_persons_own
from engine.trace.narration.names import own
from engine.trace.narration.telling import Reader, Telling
from engine.trace.narration.writers import ASSIGNMENT, RESHAPING, writer
from engine.trace.parts import Claim

NEAR = 8
"""Steps between the record of a write and the write: what is saved for it stands between."""


def node_made(reader: Reader, step: events.NodeMade, tell: Telling) -> None:
    """An operation was recorded, or a leaf got its AccumulateGrad."""
    row = reader.trace.nodes[step.node]
    if row.leaf is not None:
        accumulator_made(reader, step.node, row.leaf, tell)
        return
    recorded_as(reader, step.node, tell)
    nodes = reader.state.nodes
    is_first = len(nodes) < 2 or reader.trace.nodes[nodes[-2]].scope != row.scope
    if is_first and reader.in_pass(row.scope) and reader.state.passes_recorded():
        tell.say(
            "create_graph=True: what this pass computes becomes a graph of its own.",
            Claim("recorded_pass", number=reader.state.call),
        )
    if row.explains:
        tell.say(row.explains, Claim("explains", node=step.node, text=row.explains))
    if is_persons_own(row):
        tell.say(
            f"You wrote its derivative: {row.operator}.backward() will compute the gradients.",
            Claim("own_derivative", node=step.node, text=row.operator),
        )
    targets = [edge.tensor for edge in row.edges if edge.node is not None and edge.tensor is not None]
    if targets:
        edges = [Claim("edge", node=step.node, tensor=tensor) for tensor in dict.fromkeys(targets)]
        one = len(set(targets)) == 1
        what = "a gradient" if len(targets) == 1 else counted(len(targets), "gradient") if one else "gradients"
        tell.say(f"In backward it will send {what} to {reader.list(targets)}.", *edges)
    for tensor in dict.fromkeys(targets):
        paths(reader, tensor, tell)


def accumulator_made(reader: Reader, node: int, leaf: int, tell: Telling) -> None:
    """What an AccumulateGrad is for, and why it is made now."""
    label = reader.label(leaf)
    tell.say(
        f"{label} gets its AccumulateGrad: the node that will put what arrives into {reader.gradient(leaf)}.",
        Claim("accumulator", tensor=leaf, node=node),
    )
    if isinstance(reader.following(events.NodeMade), events.BackwardStarted):
        why = f"the pass asks for {own(label, 'gradient')}"
    elif leaf in reader.accumulated:
        why = "its earlier one went with the graphs that led to it, and this operation begins a new graph"
    else:
        why = f"this operation is the first in the graph to use {label}"
    tell.say(f"It is made now because {why}.", Claim("leaf", tensor=leaf))
    reader.accumulated.add(leaf)


def recorded_as(reader: Reader, node: int, tell: Telling) -> None:
    """Which operation a node stands for; of a write in place, which tensor gets it as its grad_fn."""
    row, name = reader.trace.nodes[node], reader.node(node)
    recorded = Claim("node", node=node, text=row.name)
    written = next((output for output in row.outputs if output in reader.state.values), None)
    if written is not None and row.operator == "CopySlices":
        tell.say(f"The write into {reader.label(written)} is recorded as {name}.", recorded)
    elif written is not None and (write := recorded_write(reader, node)) is not None:
        what = "write into" if write.operator not in RESHAPING else f"{code(write.operator)} of"
        tell.say(f"The {what} {reader.called_by_now(written)} is recorded as {name}.", recorded)
    elif written is not None and row.operator == "as_strided":
        tell.say(f"{reader.label(written)} gets another grad_fn, {name}: its storage was written to.", recorded)
    elif (parts := gone_through(reader, node)) is not None:
        tell.say(f"Going through {reader.label(parts)} is recorded as {name}.", recorded)
    elif is_persons_own(row) and row.operator not in reader.operation(node):
        tell.say(f"{code(row.operator)} is recorded as {name}.", recorded)
    else:
        source = row.edges[0].tensor if row.operator == "select" and row.edges else None
        taken = "" if source is None else slice_of(reader, source, row.scope)
        tell.say(f"{taken or reader.operation(node)} is recorded as {name}.", recorded)


def recorded_write(reader: Reader, node: int) -> events.ValueWritten | None:
    """The write that a node records, where the source is no call that says so: an assignment, or a change of form alone."""
    for step in reader.trace.steps[reader.state.step + 1 :][:NEAR]:
        if isinstance(step, events.ValueWritten) and step.node == node:
            assigns = writer(reader.source, step) == ASSIGNMENT
            return step if assigns or step.operator in RESHAPING else None
    return None


def gone_through(reader: Reader, node: int) -> int | None:
    """The tensor whose parts a loop or an assignment takes by going through it, where a node records that."""
    row = reader.trace.nodes[node]
    goes = row.operator == UNBIND and row.outputs and reader.labels.element(row.outputs[0])
    return row.edges[0].tensor if goes else None


def paths(reader: Reader, tensor: int, tell: Telling) -> None:
    """A tensor that feeds the graph more than once."""
    uses = reader.state.uses(tensor)
    if len(uses) < 2:
        return
    label = reader.label(tensor)
    if reader.in_pass(reader.trace.nodes[reader.state.nodes[-1]].scope):
        return
    through = Counter(reader.operation(node) for node, _ in uses) if len(uses) <= MOST else {}
    claim = Claim("fed_by", tensor=tensor, number=len(uses))
    last = reader.operation(uses[-1][0])
    many = counted(len(uses), "path")
    if not through:
        tell.say(f"{label} now feeds the graph through {many}, the latest through {last}.", claim)
    elif len({node for node, _ in uses}) == 1:
        places = counted(len(uses), "place")
        tell.say(f"{last} uses {label} in {places}: the gradients that come back from them add up.", claim)
    elif len(through) == 1:
        tell.say(
            f"{last} has used {label} {times(len(uses))} by now: gradients that come back from each add up.", claim
        )
    else:
        names = listed([name if count == 1 else f"{name} ({times(count)})" for name, count in through.items()])
        tell.say(
            f"{label} now feeds the graph through {many}: {names}. Gradients that come back along them add up.", claim
        )
