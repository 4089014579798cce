"""What ties a turn of a loop to the turns before, and the code that cuts it off."""

from __future__ import annotations

import ast
import re

from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.places import inside, turns_around
from engine.trace.enclosing import around
from engine.trace.marks import code
from engine.trace.narration.amounts import listed


def tied(history: History, node: int, turn: int) -> tuple[int | None, str, str]:
    """(the first tensor that ties a turn to the turns before, their names for a sentence, where and how to cut them off).

    Args:
        node: one of the nodes that the turn reaches back to.
        turn: the scope of the turn.
    """
    found = carried(history, turn)
    outputs = history.trace.nodes[node].outputs
    tensor = found[0] if found else outputs[0] if outputs else None
    owners = list(dict.fromkeys(filter(None, (called(history, other, turn) for other in found))))
    labels = list(map(code, owners)) or list(dict.fromkeys(history.label(other) for other in found))
    return tensor, listed(labels or ["what is carried over"]), cut_off(history, owners, turn)


def called(history: History, tensor: int, turn: int) -> str | None:
    """The name by which a tensor is carried on: the last that it was given beside the loop.

    A variable that the loop gives a value before it reads it carries nothing, where an attribute holds the tensor too.
    """
    here, steps = frame(history, turn), history.trace.steps
    names = [
        name
        for step, name in history.bound[tensor]
        if frame(history, steps[step].scope) == here and name.isidentifier()
    ]
    attributes = [name for _, name in history.bound[tensor] if "." in name]
    if names and attributes and not read_first(history, names[-1], turn):
        return attributes[-1]
    return names[-1] if names else history.expression(tensor)


def read_first(history: History, name: str, turn: int) -> bool:
    """Whether a loop reads a variable in an earlier statement than the one that gives it a value, or in the same."""
    span = history.trace.scopes[turn].span
    for loop in history.nodes:
        if isinstance(loop, ast.For | ast.While) and span is not None and loop.lineno == span.line:
            uses = [
                node for part in loop.body for node in ast.walk(part) if isinstance(node, ast.Name) and node.id == name
            ]
            given = [node.lineno for node in uses if isinstance(node.ctx, ast.Store)]
            return not given or any(isinstance(node.ctx, ast.Load) and node.lineno <= min(given) for node in uses)
    return True


def frame(history: History, scope: int) -> int | None:
    """The program or the function call that a scope belongs to."""
    rows = history.trace.scopes
    return next((place for place in around(history.trace, scope) if rows[place].kind != "loop_turn"), None)


def cut_off(history: History, owners: list[str], turn: int) -> str:
    """Where to detach what is called so, and the code; entries of one tuple or list are taken together.

    What is no tensor yet when the first turn begins (None, 0) can be detached at a turn's end only, or once it is one.
    """
    if not owners:
        return "at the start of each turn: detach() what is carried over"
    entries = [re.fullmatch(r"(.+)\[\d+\]", owner) for owner in owners]
    holders = {entry[1] if entry is not None else "" for entry in entries}
    if len(holders) == 1 and "" not in holders:
        holder = holders.pop()
        cut = f"{holder} = tuple(part.detach() for part in {holder})"
    else:
        cut = f"{', '.join(owners)} = {', '.join(f'{owner}.detach()' for owner in owners)}"
    if all(there_before(history, owner, turn) for owner in owners):
        return f"at the start of each turn: `{cut}`"
    if owners[0].startswith("self."):
        holder = re.sub(r"\[\d+\]$", "", owners[0])
        there = f"{holder} is not None" if holder != owners[0] else f"torch.is_tensor({holder})"
        return f"before it is used again: `if {there}: {cut}`"
    return f"at the end of each turn: `{cut}`"


def there_before(history: History, owner: str, turn: int) -> bool:
    """Whether a name stood for a tensor before the loop of a turn began."""
    rows = history.trace.scopes
    begins = next(
        (
            index
            for index, step in enumerate(history.trace.steps)
            if any(rows[place].span == rows[turn].span for place in turns_around(history, step.scope))
        ),
        0,
    )
    last = owner.rpartition(".")[2]
    return any(
        name == owner or ("." in owner and name.rpartition(".")[2] == last)
        for bindings in history.bound.values()
        for step, name in bindings
        if step < begins
    )


def carried(history: History, turn: int) -> list[int]:
    """The tensors of earlier turns of the same loop that a turn computes with, in the order of use."""
    rows, nodes, found = history.trace.scopes, history.trace.nodes, []
    for row in nodes:
        if not inside(history, row.scope, turn):
            continue
        for edge in row.edges:
            if edge.node is None or edge.tensor is None or nodes[edge.node].leaf is not None:
                continue
            places = turns_around(history, nodes[edge.node].scope)
            if turn not in places and any(rows[place].span == rows[turn].span for place in places):
                found.append(edge.tensor)
    return found
