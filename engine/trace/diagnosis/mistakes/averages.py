"""Averages of weights that are computed while recording: each holds the graph of all before it, and no pass ever runs them."""

from __future__ import annotations

from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.history import History
from engine.trace.marks import code
from engine.trace.narration.amounts import number_word


def growing_averages(history: History, ran: set[int], least: int) -> list[tuple[int, Answer]]:
    """``shadow = 0.9 * shadow + 0.1 * w`` after every update: the first that grew over as many updates as are asked for.

    Args:
        ran: nodes that a pass has run; an average is none of them.
        least: how many results of one name, an update apart, make a chain.
    """
    nodes, tensors = history.trace.nodes, history.trace.tensors
    behind: dict[int, tuple[int, frozenset[str]] | None] = {}
    """For each node that no pass ran: the nearest one with a named result among itself and what lies behind it."""
    length: dict[int, int] = {}
    updates = [index for index, _ in history.steps]
    for number, row in enumerate(nodes):
        if number in ran or row.leaf is not None:
            continue
        before = next((found for edge in row.edges if (found := behind.get(edge.node or -1)) is not None), None)
        names = frozenset(name for output in row.outputs for name in tensors[output].names)
        behind[number] = (number, names) if names else before
        length[number] = 1
        if before is None or not names & before[1]:
            continue
        if any(nodes[before[0]].step < index < row.step for index in updates):
            length[number] += length[before[0]]
        if length[number] >= least:
            name = min(names & before[1], key=len)
            return [
                (
                    row.outputs[0],
                    Answer(
                        "graph_kept",
                        f"{code(name)} holds the graphs of {number_word(least)} updates and more: {history.quoted(row.span)} on "
                        f"{history.line_of(row.step)} is recorded, each time on top of what it was before, and no backward "
                        "pass ever starts from it. Memory grows with every turn.",
                        "Compute it under `with torch.no_grad():`.",
                        row.step,
                        row.span,
                    ),
                )
            ]
    return []
