"""What the forward pass builds: tensors, nodes, writes in place, and where values leave the graph."""

from __future__ import annotations

import re
from collections import Counter

from engine.trace import events
from engine.trace.enclosing import around
from engine.trace.marks import code
from engine.trace.narration.amounts import MOST, alone, counted, listed, shown, times
from engine.trace.narration.clipping import clipped_write, is_clipped
from engine.trace.narration.mapping import slice_made, slice_of
from engine.trace.narration.messages import is_persons_own
from engine.trace.narration.names import own
from engine.trace.narration.telling import Reader, Telling, begun
from engine.trace.parts import Claim

PRODUCTS = frozenset({"mm", "bmm", "mv", "matmul", "outer", "ger", "kron", "tensordot", "cdist", "_cdist_forward"})
"""Operators whose two shapes are no pair that is stretched, even where the numbers would allow it."""
TAUGHT = 3
"""Operations whose results are explained at length; what holds for every result is said shortly from then on."""


COUNTED_ONLY = frozenset({"increment_version", "_unsafe_preserve_version_counter", "_unsafe_set_version_counter"})
"""Functions that set a version without writing."""
RESHAPING = frozenset({
    "t_", "transpose_", "swapaxes_", "swapdims_", "squeeze_", "unsqueeze_", "as_strided_", "resize_", "resize_as_",
})  # fmt: skip
"""Functions that change a tensor in place, and none of its numbers."""
LEAVING = {
    "detach": "detach() gives {numbers} without the history: no gradient comes back through it.",
    "data": ".data gives {numbers} without the history: autograd does not see what is done to them.",
    "item": "item() reads {source} as the plain number {value}, and numbers have no history.",
    "numpy": "numpy() hands out {numbers}, which have no history outside of tensors.",
    "tolist": "tolist() hands out {numbers}, which have no history outside of tensors.",
    "no_grad": "{text} is computed under no_grad, so it is not recorded: no gradient goes back to {source}.",
    "inference_mode": "{text} is computed in inference mode, so it is not recorded.",
    "integer": "{text} gives {kind}, and those have no slope: the path back to {source} ends here.",
    "not_differentiable": "{operator} has no derivative: the path back to {source} ends here.",
    "copied": "torch.tensor() copies {numbers}: the copy is a new tensor without history.",
}
"""By how a value left the graph."""


def tensor_made(reader: Reader, step: events.TensorMade, tell: Telling) -> None:
    """A tensor was created or computed."""
    if step.how in ("created", "random", "loaded"):
        created(reader, step, tell)
    else:
        computed(reader, step, tell)


def created(reader: Reader, step: events.TensorMade, tell: Telling) -> None:
    """By the person, from data or at random."""
    tensor, label, value = step.tensor, reader.label(step.tensor), shown(step.value)
    verb = "is drawn at random" if step.how == "random" else "is created"
    holds = Claim("value", tensor=tensor, text=step.value.text)
    if not step.requires_grad:
        tell.say(
            f"{label} {verb}: {value}. It does not require grad, so autograd does not follow it.",
            holds,
            Claim("untracked", tensor=tensor),
        )
        return
    # One that is frozen later is no parameter in the table of tensors, and was made as one all the same.
    if step.operator == "Parameter" or reader.trace.tensors[tensor].role == "parameter":
        tell.say(
            f"{label} {verb}: {value}. It is a parameter: a leaf that requires grad.", holds, Claim("leaf", tensor)
        )
    else:
        tell.say(
            f"{label} {verb}: {value}. You asked for requires_grad=True, so it is a leaf.", holds, Claim("leaf", tensor)
        )
    tell.say(
        f"{reader.gradient(tensor)} is None: no backward pass has filled it yet.", Claim("grad_none", tensor=tensor)
    )
    before = reader.trace.steps[reader.state.step - 1]
    with_another = isinstance(before, events.TensorMade) and before.span == step.span  # a layer makes several at once
    if not reader.state.nodes and not with_another:
        tell.say("No operation is recorded yet, so the graph is empty.", Claim("graph_size", number=0))


def computed(reader: Reader, step: events.TensorMade, tell: Telling) -> None:
    """By an operation."""
    tensor, label = step.tensor, reader.label(step.tensor)
    row = reader.trace.tensors[tensor]
    own = row.names and not reader.in_pass(step.scope) and reader.is_last_of_span(tensor)
    inside = step.node is None and reader.function_around(step.scope) is not None  # it comes out as another thing
    text = (reader.text(step.span) if own or inside else "") or label
    if not slice_made(reader, step, tell):
        tell.say(f"{text} is computed: {shown(step.value)}.", Claim("value", tensor=tensor, text=step.value.text))
    shapes = [reader.trace.tensors[source].shape for source in step.inputs]
    pair = len(shapes) == 2 and shapes[0] != shapes[1] and step.operator not in PRODUCTS
    if pair and stretched(shapes[0], shapes[1]) == step.value.shape:
        short = [shape for shape in shapes if shape != step.value.shape]
        which = f"The shape {short[0]} is" if len(short) == 1 else f"The shapes {short[0]} and {short[1]} are"
        tell.say(
            f"{which} stretched to {step.value.shape}.",
            Claim("stretched", tensor=tensor, text=str(step.value.shape)),
        )
    if step.node is not None:
        name = reader.trace.nodes[step.node].name
        made = Claim("grad_fn", tensor=tensor, node=step.node, text=name)
        if len(reader.state.nodes) > TAUGHT:
            tell.say(f"Its grad_fn is {code(name)}: gradients pass through it.", made)
            return
        tell.say(
            f"Its grad_fn is {code(name)}, so it is not a leaf: gradients pass through it, and its own .grad stays None.",
            made,
            Claim("grad_none", tensor=tensor),
        )
    else:
        untracked(reader, step, tell)


def untracked(reader: Reader, step: events.TensorMade, tell: Telling) -> None:
    """Why a computed tensor has no grad_fn."""
    tensor, state = step.tensor, reader.state
    before = reader.trace.steps[state.step - 1]
    if isinstance(before, events.GraphLeft) and before.result == tensor:
        return  # the step before says it
    holds = Claim("untracked", tensor=tensor)
    scope = reader.trace.scopes[state.holder(step.scope)]
    left = state.left.get(tensor)
    if not any(state.tracked(source) for source in step.inputs):
        tell.say("Nothing it was made from requires grad, so nothing is recorded.", holds)
    elif left in ("no_grad", "inference_mode"):
        mode = "under no_grad" if left == "no_grad" else "in inference mode"
        tell.say(f"It was computed {mode}, so it has no grad_fn: no gradient can come back through it.", holds)
    elif left is not None:
        tell.say("The operation has no derivative, so it has no grad_fn: no gradient can come back through it.", holds)
    elif (own := reader.function_around(step.scope)) is not None:
        tell.say(
            f"Inside {scope.title} nothing is recorded: what {code(own)} does counts as one operation, with the backward() "
            "that you wrote.",
            holds,
            Claim("own_forward", text=own),
        )
    elif (maker := next(reversed(state.nodes), None)) is not None and tensor in reader.trace.nodes[maker].outputs:
        tell.say(f"{reader.node(maker)} made it beside its result: no gradient comes back through it.", holds)
    elif scope.title.endswith(".backward()") or any(map(reader.in_pass, around(reader.trace, step.scope))):
        tell.say("This pass is not recorded (create_graph=False), so it has no grad_fn.", holds)
    else:
        tell.say("Nothing is recorded here, so it has no grad_fn: no gradient can come back through it.", holds)


def stretched(left: list[int], right: list[int]) -> list[int] | None:
    """The two shapes broadcast together; None where they do not fit."""
    longest = max(len(left), len(right))
    padded = [[1] * (longest - len(shape)) + shape for shape in (left, right)]
    pairs = list(zip(*padded, strict=True))
    return [max(pair) for pair in pairs] if all(1 in pair or pair[0] == pair[1] for pair in pairs) else None


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
    elif written is not None and row.operator == "as_strided":
        tell.say(f"{reader.label(written)} gets another grad_fn, {name}: its storage was written to.", recorded)
    elif is_persons_own(row) and row.operator not in reader.operation(node):
        tell.say(f"{code(row.operator)} is recorded as {name}.", recorded)
    else:
        source = row.edges[0].tensor if row.operator == "select" and row.edges else None
        taken = "" if source is None else slice_of(reader, source, row.scope)
        tell.say(f"{taken or reader.operation(node)} is recorded as {name}.", recorded)


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


def view_made(reader: Reader, step: events.ViewMade, tell: Telling) -> None:
    """Two tensors share storage."""
    view, base = reader.label(step.tensor), reader.label(step.base)
    tell.say(
        f"{view} is a view of {base}: both look at the same numbers, so writing into one changes the other.",
        Claim("view", tensor=step.tensor, number=step.base),
    )


def value_written(reader: Reader, step: events.ValueWritten, tell: Telling) -> None:
    """A write in place."""
    if is_clipped(reader, step):
        clipped_write(reader, step, tell)
        return
    label = reader.label(step.tensor)
    version = f"Its version goes from {step.version_before} to {step.version_after}."
    if step.version_before == step.version_after:
        version = f"Its version stays {step.version_after}: PyTorch does not count this write."
    counted = step.operator in COUNTED_ONLY
    versioned = Claim("version", tensor=step.tensor, number=step.version_after)
    if step.operator in RESHAPING:
        now = reader.trace.tensors[step.tensor].shape if step.value is None else step.value.shape
        tell.say(
            f"{code(step.operator)} lays the numbers of {label} out anew, in shape {now}, and changes none of them. {version}",
            Claim("value", tensor=step.tensor, text=step.value.text),
            versioned,
        )
    elif counted:
        tell.say(f"{code(step.operator)} changes no number of {label}. {version}", versioned)
    else:
        writes = "The assignment" if step.operator == "copy_" and assigns(reader, step) else code(step.operator)
        tell.say(
            f"{writes} writes into {label}: it now holds {shown(step.value)}. {version}",
            Claim("value", tensor=step.tensor, text=step.value.text),
            versioned,
        )
    if step.shared_with and not counted:
        others = reader.list(step.shared_with)
        verb = "shares" if len(step.shared_with) == 1 else "share"
        tell.say(f"{others} {verb} its storage, so the numbers change there too.", Claim("shared", step.tensor))
        by_data = reader.state.left.get(reader.state.counter(step.tensor)) == "data"
        apart = [
            other
            for other in step.shared_with
            if by_data and reader.state.counter(other) != reader.state.counter(step.tensor)
        ]
        if apart:
            stays = "version stays" if len({reader.label(other) for other in apart}) == 1 else "versions stay"
            tell.say(
                f"{begun(own(reader.list(apart), stays))} as {'it is' if 'stays' in stays else 'they are'}: what is written by "
                "way of .data is not counted, so autograd does not notice.",
                *[Claim("counted_apart", tensor=other, number=step.tensor) for other in apart],
            )
    spoiled(reader, step, tell)


def spoiled(reader: Reader, step: events.ValueWritten, tell: Telling) -> None:
    """The nodes that saved what was written over, and notice it by its version, or do not."""
    state = reader.state
    counted = {
        other for other in (step.tensor, *step.shared_with) if state.counter(other) == state.counter(step.tensor)
    }
    claims: dict[int, list[Claim]] = {}
    unnoticed: list[Claim] = []
    for node in reader.state.nodes:
        if node == step.node or node in reader.state.freed:
            continue
        for saved in reader.trace.nodes[node].saved:
            if saved.tensor in counted and saved.version is not None and saved.version < step.version_after:
                claim = Claim("saved_version", node=node, tensor=saved.tensor, number=saved.version)
                claims.setdefault(saved.version, []).append(claim)
            elif saved.tensor in step.shared_with and saved.tensor not in counted:
                unnoticed.append(Claim("saved_unnoticed", node=node, tensor=saved.tensor))
    for version, held in claims.items():
        nodes = list(dict.fromkeys(claim.node for claim in held if claim.node is not None))
        names = listed([reader.of_line(node) for node in nodes])
        needs, them = ("needs it", "it") if len(nodes) == 1 else ("need it", "any of them")
        tell.say(f"{names} saved version {version} and {needs}: backward through {them} will raise.", *held)
    if unnoticed:
        nodes = list(dict.fromkeys(claim.node for claim in unnoticed if claim.node is not None))
        what = reader.list([claim.tensor for claim in unnoticed if claim.tensor is not None])
        tell.say(
            f"{listed([reader.of_line(node) for node in nodes])} saved {what} and will take the new numbers for the old ones: "
            "nothing raises, and the gradient comes out wrong.",
            *unnoticed,
        )


def assigns(reader: Reader, step: events.ValueWritten) -> bool:
    """Whether the statement that writes is ``x[…] = …``: what PyTorch does for it is no method that anybody called."""
    span = step.span
    if span is None:
        return False
    behind = reader.source.lines[span.end_line - 1][span.end_column :]
    return reader.source.text(span).endswith("]") and re.match(r"\s*=(?!=)", behind) is not None


def graph_left(reader: Reader, step: events.GraphLeft, tell: Telling) -> None:
    """A value left the graph."""
    source = reader.label(step.source)
    if step.source == step.result:
        tell.say(
            f"`{step.operator}_()` takes {source} itself out of the graph: from now on it has no history.",
            Claim("untracked", tensor=step.source),
        )
        return
    sentence = LEAVING[step.how].format(
        source=source,
        numbers=own(source, "numbers"),
        value=alone(reader.state.value(step.source)) if step.how == "item" else "",
        text=result_text(reader, step),
        operator=code(step.operator),
        kind="True or False" if result_dtype(reader, step) == "bool" else "whole numbers",
    )
    tell.say(sentence, Claim("left", tensor=step.source, text=step.how))
    result = None if step.result is None else reader.label(step.result)
    if result is not None and step.how in ("detach", "data"):
        tell.say(
            f"{'The result' if result == source else result} does not require grad, and it still shares "
            f"{own(source, 'storage')}.",
            Claim("untracked", step.result),
        )


def result_text(reader: Reader, step: events.GraphLeft) -> str:
    """The source of what came out; of what an operation makes on its way to a result (``t(weight)``), that."""
    made = reader.trace.tensors[step.result] if step.result is not None else None
    if made is not None and not made.names and made.label:
        return code(made.label)
    return reader.text(step.span) or code(step.operator)


def result_dtype(reader: Reader, step: events.GraphLeft) -> str:
    """The dtype of what came out."""
    return "" if step.result is None else reader.trace.tensors[step.result].dtype
