"""What nodes keep for their derivatives."""

from __future__ import annotations

from engine.trace import events
from engine.trace import formula as formulas
from engine.trace.marks import code
from engine.trace.narration.amounts import is_spelled, shown
from engine.trace.narration.beside import told_beside
from engine.trace.narration.messages import is_persons_own, symbols_told
from engine.trace.narration.parameters import is_number, tensor_behind, tidy
from engine.trace.narration.symbols import GRAD, meanings, with_names
from engine.trace.narration.telling import Reader, Telling
from engine.trace.parts import Claim
from engine.trace.values import MINUS

PACKED, RECOMPUTED = "packed by a hook", "left to the checkpoint"
"""How the recording says that a hook took what was to be saved."""


def tensor_saved(reader: Reader, step: events.TensorSaved, tell: Telling) -> None:
    """A node keeps something for its derivative."""
    row = reader.trace.nodes[step.node]
    claim = Claim("saved", node=step.node, tensor=step.tensor, text=step.name)
    what = what_was_saved(reader, step.node, step.name, step.tensor, step.value, with_value=True)
    if step.value == RECOMPUTED:
        tell.say(f"{reader.node(step.node)} will need {what}, and the checkpoint has it computed again then.", claim)
    else:
        tell.say(f"{reader.node(step.node)} saves {what}.", claim)
    if is_persons_own(row):
        function = f"{row.operator}.backward()"
        tell.say(
            f"You asked for that with save_for_backward(): it waits for your {function}.",
            Claim("own_derivative", node=step.node, text=row.operator),
        )
    for slot, edge in enumerate(row.edges):
        if (
            edge.node is None
            or edge.tensor is None
            or step.name.partition("[")[0] not in formulas.names_in(edge.derivative)
        ):
            continue
        formula = with_names(reader, step.node, slot, GRAD)
        if formula is not None:
            told, derivative = meanings(reader, step.node, slot), formulas.plain(formula)
            tell.say(
                f"The gradient for {reader.label(edge.tensor)} will be `{derivative}`{symbols_told(row.operator, derivative)}"
                f"{''.join(f'; {words}' for _, words in told)}.",
                Claim("derivative", node=step.node, number=slot, text=edge.derivative),
                *[Claim("stands_for", tensor, step.node, text=reader.symbol(tensor)) for tensor, _ in told],
            )


def what_was_saved(
    reader: Reader, node: int, name: str, tensor: int | None, text: str, with_value: bool = False
) -> str:
    """A saved thing as words: a tensor by name, a number by itself, an output by what it is."""
    row = reader.trace.nodes[node]
    if text in (PACKED, RECOMPUTED):
        behind = row.outputs[0] if name == "result" and row.outputs else tensor_behind(row, name)
        what = code(name) if behind is None else reader.label(behind)
        return f"{what} (packed by your hook)" if with_value and text == PACKED else what
    if tensor is None:
        return (
            f"the number {tidy(text).replace('-', MINUS)}"
            if is_number(text)
            else f"`{name} = {text}`"
            if text
            else f"its {name}"
        )
    value = reader.state.value(tensor)
    told = shown(value)
    if tensor in row.outputs:
        alone = len(row.outputs) == 1 and is_persons_own(row)
        own = "its own result" if name == "result" or alone else f"its own {code(name)}"
        if not with_value:
            return own
        what = told_beside(row, tensor, value) if name.startswith("result") else ""  # `indices` says it by itself
        return f"{own} ({what}), {told}" if what else f"{own}, {told}"
    label = reader.label(tensor)
    if not with_value:
        return label
    if label == code(told):
        return label  # a list of places that stands in the source: `x[[0, 2]]`
    return f"{label} = {told}" if value is not None and is_spelled(value) else f"{label} ({told})"
