"""A second backward pass through a graph that was freed: by which call, what is shared, and which fix is right."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.trace.diagnosis.answer import Answer, Found
from engine.trace.diagnosis.errors.outside import into_loop
from engine.trace.diagnosis.errors.ties import tied
from engine.trace.diagnosis.history import History, Pass
from engine.trace.diagnosis.places import enclosing_turn, inside, turns_around
from engine.trace.enclosing import around
from engine.trace.marks import bare, code
from engine.trace.narration.amounts import listed
from engine.trace.state import State


@dataclass(frozen=True, slots=True)
class Freed:
    """The node whose buffers were gone, the pass that freed it, and the one that needed them."""

    node: int
    first: Pass
    failed: Pass
    turn: int | None
    """The turn of a loop in which the failing pass ran."""
    roots: list[str]
    """What both passes started from."""
    said: str
    """Who freed what, for a sentence."""


def graph_freed(history: History, state: State) -> Found:
    """Which call freed it, where the shared part was built, and which of the three fixes is right."""
    failed = history.passes[-1] if history.passes else None
    looked = looked_at(history, state)
    if looked is not None:
        return looked
    ran = [node for node in state.ran if node in state.freed]
    if failed is None or not ran:
        return None
    node = ran[-1]
    row, (_, freed_at) = history.trace.nodes[node], state.freed[node]
    first = next((task for task in history.passes if task.start < freed_at <= task.end), failed)
    freed = Freed(
        node,
        first,
        failed,
        enclosing_turn(history, history.trace.steps[failed.start].scope),
        sorted({history.label(root) for task in (first, failed) for root in task.roots}),
        f"{row.name} ({history.quoted(row.span)}, {history.line_of(row.step)}) was freed by the backward pass on "
        f"{history.line_of(freed_at)}",
    )
    answer = built_before_the_turn(history, freed) or built_before_the_call(history, freed) or run_twice(history, freed)
    return row.outputs[0] if row.outputs else None, answer


def looked_at(history: History, state: State) -> Found:
    """No pass needed it: the snippet itself asks a node for what it had saved (``y.grad_fn._saved_self``)."""
    span = history.trace.outcome.span
    asked = re.search(r"([\w.\[\]]+?)\.(_saved_\w+|saved_tensors)", history.text(span))
    if span is None or asked is None or not state.freed:
        return None
    holder = history.named(asked[1].removesuffix(".grad_fn"))
    node = history.trace.tensors[holder].grad_fn if holder is not None else None
    freed = node if node is not None and node in state.freed else max(state.freed)
    row, (_, freed_at) = history.trace.nodes[freed], state.freed[freed]
    what = (
        f"{row.name} ({history.quoted(row.span)}, {history.line_of(row.step)}) had saved"
        if freed == node
        else "the graph had saved"
    )
    return holder, Answer(
        "graph_freed",
        f"{code(asked[0])} on line {span.line} is read after the backward pass on {history.line_of(freed_at)}, which freed what "
        f"{what}.",
        "Read it before backward(), or keep it: `backward(retain_graph=True)`.",
        freed_at,
        span,
    )


def built_before_the_turn(history: History, freed: Freed) -> Answer | None:
    """The graph is of an earlier turn of the loop, or was there before the loop."""
    row, turn, failed = history.trace.nodes[freed.node], freed.turn, freed.failed
    if turn is None or inside(history, row.scope, turn) or (len(freed.roots) > 1 and ready(history, failed, turn)):
        return None
    loop = history.trace.scopes[turn]
    if any(history.trace.scopes[scope].span == loop.span for scope in turns_around(history, row.scope)):
        _, name, cut = tied(history, freed.node, turn)
        return Answer(
            "graph_freed",
            f"{freed.said}. This turn's graph reaches back into it through {name}, which an earlier turn made.",
            f"Cut the tie {cut}.",
            failed.start,
            row.span,
        )
    if failed.function == "grad":
        return Answer(
            "graph_freed",
            f"{freed.said} in an earlier turn; this turn asks the same graph again.",
            "Keep it for the turns to come: `torch.autograd.grad(…, retain_graph=True)`.",
            failed.start,
            history.trace.steps[failed.start].span,
        )
    return Answer(
        "graph_freed",
        f"{freed.said} in an earlier turn. It was built once, before the loop, so every turn needs it again.",
        into_loop(history, freed.node, failed, turn),
        failed.start,
        row.span,
    )


def built_before_the_call(history: History, freed: Freed) -> Answer | None:
    """The graph was there before a function of the snippet's was called that runs a pass each time."""
    row = history.trace.nodes[freed.node]
    function = called_again(history, freed.first, freed.failed)
    if freed.turn is not None or function is None or inside(history, row.scope, function):
        return None
    title = history.trace.scopes[function].title
    return Answer(
        "graph_freed",
        f"{freed.said} in an earlier call of {title}. It was built once, outside of it, so every call needs it again.",
        f"Move {history.line_of(row.step)} into {title}, so that each call builds its own graph.",
        freed.failed.start,
        row.span,
    )


def run_twice(history: History, freed: Freed) -> Answer:
    """Two calls in one place run the same graph: from several roots, or from one."""
    roots = freed.roots
    again = history.text(history.trace.steps[freed.first.start].span)
    if len(roots) > 1:
        total = " + ".join(written(history, (freed.first, freed.failed)) or [bare(root) for root in roots])
        fix = f"Add them and call backward() once: `({total}).backward()`. Or give the first call retain_graph=True."
        if history.trace.steps[freed.first.start].span == history.trace.steps[freed.failed.start].span:
            fix = f"Add them and call backward() once, not in a loop: `({total}).backward()`. Or give it retain_graph=True."
        if "grad" in (freed.first.function, freed.failed.function) and again.endswith(")"):
            fix = f"Keep the graph at the first call: {code(f'{again[:-1]}, retain_graph=True)')}."
        text = f"{freed.said}. {listed(roots)} share it, so the second call needs what the first one freed."
    else:
        root = roots[0] if roots else "the loss"
        fix = f"Compute {root} again before the second backward(), or call backward() only once."
        if freed.first.function == "grad" and again.endswith(")"):
            fix = f"Keep the graph at the first call: {code(f'{again[:-1]}, retain_graph=True)')}."
        text = f"{freed.said}; the second call needs it again."
    start = freed.failed.start
    return Answer("graph_freed", text, fix, start, history.trace.steps[start].span)


def written(history: History, tasks: tuple[Pass, ...]) -> list[str]:
    """What ``backward()`` was called on, as it is written at each call; empty where one call runs several times."""
    texts = [history.text(history.trace.steps[task.start].span).partition(".backward(") for task in tasks]
    owners = [owner for owner, called, _ in texts if called]
    return owners if len(set(owners)) == len(tasks) else []


def ready(history: History, task: Pass, turn: int) -> bool:
    """Whether what a pass starts from had been computed before the turn of the loop that runs it: one of several losses."""
    nodes = [history.trace.tensors[root].grad_fn for root in task.roots]
    return all(node is not None and not inside(history, history.trace.nodes[node].scope, turn) for node in nodes)


def called_again(history: History, first: Pass, failed: Pass) -> int | None:
    """The call of the snippet's function that ran the failing pass, where another call of it ran the first one."""
    rows, steps = history.trace.scopes, history.trace.steps
    before = {
        rows[place].title for place in around(history.trace, steps[first.start].scope) if rows[place].kind == "function"
    }
    for place in around(history.trace, steps[failed.start].scope):
        if rows[place].kind == "function" and rows[place].title in before:
            return None if inside(history, steps[first.start].scope, place) else place
    return None
