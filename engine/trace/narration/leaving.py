"""Where values leave the graph, and how."""

from __future__ import annotations

from engine.trace import events
from engine.trace.marks import code
from engine.trace.narration.amounts import alone
from engine.trace.narration.names import own
from engine.trace.narration.telling import Reader, Telling
from engine.trace.parts import Claim

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


def graph_left(reader: Reader, step: events.GraphLeft, tell: Telling) -> None:
    """A value left the graph."""
    source = reader.label(step.source)
    if step.source == step.result:
        then = "has no history" if reader.trace.tensors[step.source].role == "intermediate" else "does not require grad"
        tell.say(
            f"`{step.operator}_()` takes {source} itself out of the graph: from now on it {then}.",
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
