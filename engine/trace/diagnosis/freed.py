"""A second backward pass through a graph that was freed: by which call, what is shared, and which fix is right."""

from __future__ import annotations

from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.history import History, Pass
from engine.trace.diagnosis.places import around, enclosing_turn, inside, turns_around
from engine.trace.marks import bare
from engine.trace.narration.amounts import listed
from engine.trace.state import State


def graph_freed(history: History, state: State) -> tuple[int | None, Answer] | None:
    """Which call freed it, where the shared part was built, and which of the three fixes is right."""
    failed = history.passes[-1] if history.passes else None
    ran = [node for node in state.ran if node in state.freed]
    if failed is None or not ran:
        return None
    node = ran[-1]
    row, (_, freed_at) = history.trace.nodes[node], state.freed[node]
    tensor = row.outputs[0] if row.outputs else None
    built, freed = history.line_of(row.step), history.line_of(freed_at)
    here = history.trace.steps[failed.start].scope
    shared = f"{row.name} ({history.quoted(row.span)}, {built}) was freed by the backward pass on {freed}"
    turn = enclosing_turn(history, here)
    first = next((task for task in history.passes if task.start < freed_at <= task.end), failed)
    roots = sorted({history.label(root) for task in (first, failed) for root in task.roots})
    if (
        turn is not None
        and not inside(history, row.scope, turn)
        and not (len(roots) > 1 and ready(history, failed, turn))
    ):
        loop = history.trace.scopes[turn]
        if any(history.trace.scopes[scope].span == loop.span for scope in turns_around(history, row.scope)):
            carried = carrier(history, node, turn)
            name = history.label(carried) if carried is not None else "what is carried over"
            owner = history.expression(carried) if carried is not None else None
            cut = f": `{owner} = {owner}.detach()`" if owner is not None else " with detach()"
            return tensor, Answer(
                "graph_freed",
                f"{shared}. This turn's graph reaches back into it through {name}, which an earlier turn made.",
                f"Cut the tie at the start of each turn{cut}.",
                failed.start,
                row.span,
            )
        if failed.function == "grad":
            return tensor, Answer(
                "graph_freed",
                f"{shared} in an earlier turn; this turn asks the same graph again.",
                "Keep it for the turns to come: `torch.autograd.grad(…, retain_graph=True)`.",
                failed.start,
                history.trace.steps[failed.start].span,
            )
        return tensor, Answer(
            "graph_freed",
            f"{shared} in an earlier turn. It was built once, before the loop, so every turn needs it again.",
            f"Move {built} into the loop, so that each turn builds its own graph.",
            failed.start,
            row.span,
        )
    function = called_again(history, first, failed)
    if turn is None and function is not None and not inside(history, row.scope, function):
        title = history.trace.scopes[function].title
        return tensor, Answer(
            "graph_freed",
            f"{shared} in an earlier call of {title}. It was built once, outside of it, so every call needs it again.",
            f"Move {built} into {title}, so that each call builds its own graph.",
            failed.start,
            row.span,
        )
    if len(roots) > 1:
        total = bare(" + ".join(roots))
        fix = f"Add them and call backward() once: `({total}).backward()`. Or give the first call retain_graph=True."
        text = f"{shared}. {listed(roots)} share it, so the second call needs what the first one freed."
    else:
        root = roots[0] if roots else "the loss"
        fix = f"Compute {root} again before the second backward(), or call backward() only once."
        text = f"{shared}; the second call needs it again."
    return tensor, Answer("graph_freed", text, fix, failed.start, history.trace.steps[failed.start].span)


def ready(history: History, task: Pass, turn: int) -> bool:
    """Whether what a pass starts from had been computed before the turn of the loop that runs it: one of several losses."""
    nodes = [history.trace.tensors[root].grad_fn for root in task.roots]
    return all(node is not None and not inside(history, history.trace.nodes[node].scope, turn) for node in nodes)


def called_again(history: History, first: Pass, failed: Pass) -> int | None:
    """The call of the snippet's function that ran the failing pass, where another call of it ran the first one."""
    rows, steps = history.trace.scopes, history.trace.steps
    before = {
        rows[place].title for place in around(history, steps[first.start].scope) if rows[place].kind == "function"
    }
    for place in around(history, steps[failed.start].scope):
        if rows[place].kind == "function" and rows[place].title in before:
            return None if inside(history, steps[first.start].scope, place) else place
    return None


def carrier(history: History, freed: int, turn: int) -> int | None:
    """The tensor through which this turn's graph reaches the freed one: an edge from inside the turn to outside."""
    for row in reversed(history.trace.nodes):
        if inside(history, row.scope, turn):
            for edge in row.edges:
                if edge.node is None or edge.tensor is None or history.trace.nodes[edge.node].leaf is not None:
                    continue
                if not inside(history, history.trace.nodes[edge.node].scope, turn):
                    return edge.tensor
    outputs = history.trace.nodes[freed].outputs
    return outputs[0] if outputs else None
