"""Tensors that come to be: created, computed, or looking at another one's storage."""

from __future__ import annotations

from engine.trace import events
from engine.trace.enclosing import around
from engine.trace.marks import code
from engine.trace.narration.amounts import shown
from engine.trace.narration.beside import told_beside
from engine.trace.narration.clipping import total_norm
from engine.trace.narration.mapping import slice_made
from engine.trace.narration.telling import Reader, Telling
from engine.trace.parts import Claim

PRODUCTS = frozenset({"mm", "bmm", "mv", "matmul", "outer", "ger", "kron", "tensordot", "cdist", "_cdist_forward"})
"""Operators whose two shapes are no pair that is stretched, even where the numbers would allow it."""
TAUGHT = 3
"""Operations whose results are explained at length; what holds for every result is said shortly from then on."""


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
    inside = step.node is None and reader.function_around(step.scope) is not None  # it comes out as another thing
    text = (reader.text(step.span) if inside else reader.made_as(tensor)) or label
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
    total_norm(reader, step, tell)
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
        what = told_beside(reader.trace.nodes[maker], tensor, step.value)
        made = f"It is {what}, which {reader.node(maker)} made" if what else f"{reader.node(maker)} made it"
        tell.say(f"{made} beside its result: no gradient comes back through it.", holds)
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


def view_made(reader: Reader, step: events.ViewMade, tell: Telling) -> None:
    """Two tensors share storage."""
    view, base = reader.label(step.tensor), reader.label(step.base)
    tell.say(
        f"{view} is a view of {base}: both look at the same numbers, so writing into one changes the other.",
        Claim("view", tensor=step.tensor, number=step.base),
    )
