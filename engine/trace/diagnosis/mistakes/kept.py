"""Graphs of finished turns that something still holds: a running total, a list of losses, a state never detached."""

from __future__ import annotations

import ast
import re
from collections import defaultdict

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.errors.ties import tied
from engine.trace.diagnosis.flow import path
from engine.trace.diagnosis.history import History, Pass
from engine.trace.diagnosis.mistakes.averages import growing_averages
from engine.trace.diagnosis.mistakes.watcher import Watcher
from engine.trace.diagnosis.places import inside, turns_around
from engine.trace.document import Node
from engine.trace.instrument import GROWS
from engine.trace.marks import code
from engine.trace.parts import Span
from engine.trace.spans import within
from engine.trace.state import State

TURNS = 3
"""Turns of a loop whose graphs are alive at once before it is called growing: two may be a window that moves."""


class Carried(Watcher):
    """At the end of each pass: does it run, once more, the graphs of all turns before (``retain_graph=True`` made it possible)?"""

    hears = (events.BackwardEnded,)

    def hear(self, state: State, step: events.Step) -> tuple[int, Answer] | None:
        """The tensor that ties the turns together and the answer, from the third turn on."""
        task = next((task for task in self.history.passes if task.end == state.step), None)
        if task is None or task.function != "backward" or task.recorded or task.raised:
            return None
        turn, earlier = turns_reached(self.history, task)
        if turn is None or len(earlier) < TURNS - 1:
            return None
        tensor, names, cut = tied(self.history, min(earlier.values()), turn)
        if tensor is None:
            return None
        return tensor, Answer(
            "graph_kept",
            f"This pass runs the graphs of {len(earlier) + 1} turns, not of this one alone: "
            f"{names} {'leads' if ' and ' not in names else 'lead'} back into the turns before, and `retain_graph=True` keeps what they "
            "built. Every turn takes longer and holds more memory than the one before.",
            f"Cut the tie {cut}, and leave `retain_graph=True` out.",
            state.step,
            self.history.trace.steps[task.start].span,
        )


def turns_reached(history: History, task: Pass) -> tuple[int | None, dict[int, int]]:
    """(the turn that a pass belongs to, earlier turns of the same loop that it runs again with one of their nodes each).

    Run again: a pass of that earlier turn had been there before.
    """
    rows, nodes = history.trace.scopes, history.trace.nodes
    ran_before = {node for other in history.passes if other.start < task.start for node in other.nodes}
    again = [node for node in task.nodes & ran_before if nodes[node].leaf is None]
    for turn in turns_around(history, history.trace.steps[task.start].scope):
        earlier: dict[int, int] = {}
        for node in again:
            for place in turns_around(history, nodes[node].scope):
                same = rows[place].span == rows[turn].span and rows[place].parent == rows[turn].parent
                if same and place != turn:
                    earlier.setdefault(place, node)
        if earlier:
            return turn, earlier
    return None, {}


def piled_up(history: History) -> list[tuple[int, Answer]]:
    """At the end of a run: results that hold the graphs of several passes though no pass ever needs them so."""
    trace = history.trace
    if trace.outcome.status != "ok":
        return []
    passes = [task for task in history.passes if task.function == "backward" and not task.recorded]
    by_node: dict[int, set[int]] = defaultdict(set)
    for task in passes:
        for node in task.nodes:
            by_node[node].add(task.call)
    ran = {node for task in history.passes for node in task.nodes}
    return (
        _totals(history, by_node, ran)
        or _lists(history, passes)
        or _results(history, by_node)
        or growing_averages(history, ran, TURNS)
    )


def _totals(history: History, by_node: dict[int, set[int]], ran: set[int]) -> list[tuple[int, Answer]]:
    """``total += loss``: a node that no pass ran, over another one of an earlier turn and of the same name."""
    nodes = history.trace.nodes
    held: dict[int, set[int]] = {}
    """For each node that no pass ran: passes (a few of them) that ran what lies behind it."""
    behind: dict[int, int | None] = {}
    """For each of them: the nearest such node that made a tensor with a name."""
    for number, row in enumerate(nodes):
        if number in ran or row.leaf is not None:
            continue
        held[number], before = set(), None
        for edge in row.edges:
            if edge.node is None or nodes[edge.node].leaf is not None:
                continue
            held[number] |= set(sorted(by_node[edge.node] or held.get(edge.node, set()))[:TURNS])
            if held.get(edge.node):
                before = edge.node if names_of(history, nodes[edge.node]) else behind[edge.node] or before
        behind[number] = before
        if before is None or len(held[number]) < 2:
            continue
        shared = names_of(history, row) & names_of(history, nodes[before])
        if shared and another_turn(history, row, nodes[before]) and not needed_later(history, row.span):
            return [_total(history, row, min(shared, key=len))]
    return []


def _total(history: History, row: Node, name: str) -> tuple[int, Answer]:
    text, line = history.quoted(row.span), history.line_of(row.step)
    return row.outputs[0], Answer(
        "graph_kept",
        f"{code(name)} holds the graph of every turn so far: {text} on {line} adds a loss together with its history, and "
        "no backward pass ever starts from the sum. Memory grows with every turn.",
        "Add plain numbers: put `.item()` behind the loss that is added, or `.detach()` where a tensor is wanted.",
        row.step,
        row.span,
    )


def names_of(history: History, row: Node) -> set[str]:
    """Every name of what a node made."""
    return {name for output in row.outputs for name in history.trace.tensors[output].names}


def another_turn(history: History, row: Node, before: Node) -> bool:
    """Whether two nodes were made in different turns of one loop."""
    rows = history.trace.scopes
    turns = turns_around(history, row.scope)
    return any(
        rows[place].span == rows[turn].span and place != turn
        for place in turns_around(history, before.scope)
        for turn in turns
    ) and not set(turns[:1]) & set(turns_around(history, before.scope)[:1])


def _lists(history: History, passes: list[Pass]) -> list[tuple[int, Answer]]:
    """``losses.append(loss)``: a list that holds what several turns' passes started from, and no pass needs again."""
    rows = history.trace.tensors
    found: dict[str, list[int]] = defaultdict(list)
    for task in passes:
        root = task.roots[0] if len(task.roots) == 1 else None
        if root is None or task.raised or rows[root].grad_fn is None:
            continue
        node = rows[root].grad_fn or 0
        turn = next(iter(turns_around(history, history.trace.steps[task.start].scope)), None)
        later = any(node in other.nodes for other in history.passes if other.start > task.end)
        if turn is None or later or not inside(history, history.trace.nodes[node].scope, turn):
            continue
        for name in rows[root].names:
            item = re.fullmatch(r"(.+)\[\d+\]", name)
            if item is not None:
                found[item[1]].append(root)
    for name, roots in found.items():
        if emptied(history, name):
            continue
        span = where_collected(history, name)
        if len(roots) >= TURNS and span is not None and not needed_later(history, span):
            return [(roots[-1], _list(history, name, len(roots), span, "losses"))]
    return []


def _results(history: History, by_node: dict[int, set[int]]) -> list[tuple[int, Answer]]:
    """``outputs.append(out)``: a list that holds results which passes went through, one of each turn, used by nobody later."""
    rows, ends = history.trace.tensors, {task.call: task.end for task in history.passes}
    found: dict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
    for tensor, row in enumerate(rows):
        calls = by_node.get(row.grad_fn, set()) if row.grad_fn is not None else set()
        if len(calls) != 1 or tensor in history.left_with:
            continue
        (call,) = calls
        if any(history.made.get(user, 0) > ends[call] for user in history.users[tensor]):
            continue
        for name in row.names:
            item = re.fullmatch(r"(.+)\[(\d+)\]", name)
            if item is not None:
                found[item[1]][item[2]] = (tensor, call)
    for name, items in found.items():
        calls_met = {call for _, call in items.values()}
        span = where_collected(history, name)
        if span is None or emptied(history, name) or needed_later(history, span):
            continue
        if len(items) >= TURNS and len(calls_met) == len(items):
            tensors = [tensor for tensor, _ in items.values()]
            return [(tensors[-1], _list(history, name, len(tensors), span, "results"))]
    return []


def emptied(history: History, name: str) -> bool:
    """Whether the source takes things out of a list again, or puts others in their place: ``losses[-1] = …``."""
    for node in history.nodes:
        match node:
            case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()):
                owner = value
            case ast.Call(func=ast.Attribute(value=value, attr="pop" | "popleft" | "clear" | "remove")):
                owner = value
            case _:
                continue
        if path(owner) in (name, f"self.{name.rpartition('.')[2]}"):
            return True
    return False


def needed_later(history: History, span: Span | None) -> bool:
    """Whether steps were left out, and the source hands what goes in at ``span`` on to a backward pass, perhaps among them."""
    if not history.trace.folded or span is None:
        return False
    place = history.statement(span) or span
    given: list[Span] = []
    for node in history.nodes:
        match node:
            case ast.AugAssign(value=value) | ast.Assign(value=value) if within(history.source.span(node), place):
                given.append(history.source.span(value))
            case ast.Call(func=ast.Attribute(), args=args) if history.source.span(node) == span:
                given += map(history.source.span, args)
            case _:
                pass
    roots: list[Span] = []
    for node in history.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "backward":
            roots += map(history.source.span, [node.func.value, *node.args])
    return any(history.flow.carries(seed, root) for seed in given for root in roots)


def where_collected(history: History, name: str) -> Span | None:
    """The call that puts something into the list of a name, which may be an attribute of the object around the call."""
    known_as = (name, f"self.{name.rpartition('.')[2]}")
    for node in history.nodes:
        if isinstance(node, ast.AugAssign) and isinstance(node.value, ast.List) and path(node.target) in known_as:
            return history.source.span(node)
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr in GROWS and (path(node.func.value) in known_as or chosen_in(node.func.value, name)):
            return history.source.span(node)
    return None


def chosen_in(target: ast.expr, name: str) -> bool:
    """Whether ``log[key]`` may be the list that is known as ``log['loss']``: a container's entry, chosen by a variable."""
    if not isinstance(target, ast.Subscript) or isinstance(target.slice, ast.Constant):
        return False
    return re.fullmatch(rf"{re.escape(path(target.value))}\[[^\[\]]+\]", name) is not None


def _list(history: History, name: str, count: int, span: Span, what: str) -> Answer:
    put = [
        index for index, step in enumerate(history.trace.steps) if step.span is not None and step.span.line == span.line
    ]
    return Answer(
        "graph_kept",
        f"{code(name)} holds {count} {what} with the graphs they came from: {history.quoted(span)} on "
        f"line {span.line} keeps each one's history, though its backward pass is over. Memory grows with every turn.",
        f"Keep plain numbers: put `.item()` behind what goes into {code(name)}, or `.detach()` where a tensor is wanted."
        if what == "losses"
        else f"Keep the numbers without their history: put `.detach()` behind each tensor that goes into {code(name)}.",
        put[-1] if put else None,
        span,
    )
