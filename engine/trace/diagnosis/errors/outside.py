"""A graph that was built before a loop whose every turn runs it: the lines to move, or what to cut off."""

from __future__ import annotations

import ast

from engine.trace.diagnosis.history import History, Pass
from engine.trace.diagnosis.places import inside
from engine.trace.enclosing import around
from engine.trace.marks import code
from engine.trace.narration.amounts import listed
from engine.trace.parts import Span


def into_loop(history: History, node: int, failed: Pass, turn: int) -> str:
    """What to do so that each turn builds the graph of its pass itself.

    Args:
        node: the node whose saved tensors were gone.
        failed: the pass that needed them.
        turn: the turn of the loop that ran it.
    """
    made = history.trace.nodes[node]
    function = constructed_in(history, made.scope)
    if function is not None:
        return f"Move {history.line_of(made.step)} out of `__init__` into `forward()`, so that each call builds its own graph."
    lines = lines_before(history, failed, turn) or [made.span.line if made.span is not None else 0]
    moved = f"line {lines[0]}" if len(lines) == 1 else f"lines {listed([str(line) for line in lines])}"
    fix = f"Move {moved} into the loop, so that each turn builds its own graph."
    constant = used_beside(history, failed, turn)
    return (
        f"{fix} If {code(constant)} should stay as it was: `{constant} = {constant}.detach()` before the loop."
        if constant
        else fix
    )


def constructed_in(history: History, scope: int) -> int | None:
    """The call of a module's ``__init__`` around a scope."""
    rows = history.trace.scopes
    calls = (place for place in around(history.trace, scope) if rows[place].kind == "function")
    return next((place for place in calls if "__init__" in rows[place].title), None)


def lines_before(history: History, failed: Pass, turn: int) -> list[int]:
    """The lines beside the loop that build what a pass needs and cannot have twice, in order, with what depends on them."""
    frame = history.trace.scopes[turn].parent or 0
    beside = statements_before(history, history.trace.scopes[turn].span)
    again = {line for number in rebuilt(history, failed, turn) if (line := line_in(history, number, frame)) is not None}
    names: set[str] = set()
    found: list[int] = []
    for statement in beside:
        read = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        if statement.lineno in again or read & names:
            found.append(statement.lineno)
            names |= {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return found if again <= set(found) else []


def statements_before(history: History, loop: Span | None) -> list[ast.stmt]:
    """The simple statements that stand in one block with a loop, before it."""
    for node in history.nodes:
        body: list[ast.stmt] = getattr(node, "body", []) if isinstance(node, ast.stmt | ast.Module) else []
        for place, statement in enumerate(body):
            if isinstance(statement, ast.For | ast.While) and loop is not None and statement.lineno == loop.line:
                return [
                    other for other in body[:place] if isinstance(other, ast.Assign | ast.AnnAssign | ast.AugAssign)
                ]
    return []


def rebuilt(history: History, failed: Pass, turn: int) -> set[int]:
    """The nodes of a pass from outside of its turn that saved something, or lead to such."""
    nodes = history.trace.nodes
    found: set[int] = set()
    for number in sorted(reached(history, failed)):  # a node's inputs were made before it
        row = nodes[number]
        behind = {edge.node for edge in row.edges if edge.node is not None}
        if row.leaf is None and not inside(history, row.scope, turn) and (row.saved or behind & found):
            found.add(number)
    return found


def reached(history: History, task: Pass) -> set[int]:
    """The nodes that a pass may run."""
    nodes = history.trace.nodes
    waiting = [history.trace.tensors[root].grad_fn for root in task.roots]
    found: set[int] = set()
    while waiting:
        number = waiting.pop()
        if number is not None and number not in found:
            found.add(number)
            waiting += [edge.node for edge in nodes[number].edges]
    return found


def line_in(history: History, node: int, frame: int) -> int | None:
    """The line in a frame (a scope) on which a node was made, perhaps by a call from there; None where it was not there."""
    row = history.trace.nodes[node]
    span = row.span
    for place in around(history.trace, row.scope):
        if place == frame:
            return span.line if span is not None else None
        span = history.trace.scopes[place].span
    return None


def used_beside(history: History, failed: Pass, turn: int) -> str | None:
    """The name of what a turn takes from outside, where its graph has a way to leaves of its own beside that."""
    nodes, names = history.trace.nodes, []
    outside = rebuilt(history, failed, turn)
    own = {number for number in reached(history, failed) if inside(history, nodes[number].scope, turn)}
    leaves: dict[bool, set[int]] = {True: set(), False: set()}
    """The leaves that the turn's own nodes, and those from outside, lead to."""
    for number in own | outside:
        for edge in nodes[number].edges:
            if number in own and edge.node in outside and edge.tensor is not None:
                names += [
                    name for name in [history.expression(edge.tensor)] if name is not None and name.isidentifier()
                ]
            if edge.node is not None and nodes[edge.node].leaf is not None:
                leaves[number in own].add(edge.node)
    return names[0] if leaves[False] <= leaves[True] and len(set(names)) == 1 else None
