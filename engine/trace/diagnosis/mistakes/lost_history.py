"""Parameters that lead to a loss in numbers only: something between took the values out of the graph."""

from __future__ import annotations

import dataclasses

from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.tensors.cuts import cut_between
from engine.trace.diagnosis.tensors.departures import TEXTS
from engine.trace.diagnosis.tensors.gradients import why_no_grad
from engine.trace.narration.amounts import listed
from engine.trace.parts import Span

WAYS_OUT = frozenset(TEXTS) | {"none_sent"}
"""Causes that name the place where numbers leave the graph."""


def cut_off(history: History, never: list[int], holder: str) -> list[tuple[list[int], Answer]]:
    """Of parameters that never got a gradient: those whose numbers left the graph, each group with where they did.

    ``holder`` says whose they are: ``in the optimizer``.
    """
    groups: dict[tuple[str, Span | None], list[int]] = {}
    ways = {tensor: why_no_grad(history, tensor, history.last) for tensor in never}
    for tensor, way in ways.items():
        if way.cause in WAYS_OUT:
            groups.setdefault((way.cause, way.span), []).append(tensor)
    found = []
    for group in groups.values():
        one = len(group) == 1
        names = listed([history.label(tensor) for tensor in group])
        sentence = f"{names} {'is' if one else 'are'} {holder} and never {'gets' if one else 'get'} a gradient"
        way = ways[group[0]]
        told = cut_between(history, group[0], history.passes[-1], sentence) if way.cause in TEXTS else None
        found.append((group, with_new_leaf(history, told or way)))
    return found


def with_new_leaf(history: History, answer: Answer) -> Answer:
    """The same, where the last pass starts from a leaf that was made of what had lost its history: that hides the error."""
    for root in history.passes[-1].roots:
        for leaf in history.ancestors(root):
            on = next((step for step, switch in history.switched[leaf] if switch), None)
            if on is not None and history.is_leaf(leaf, history.last) and history.inputs[leaf]:
                hidden = f"Switching requires_grad on for {history.label(leaf)} ({history.line_of(on)}) brings no history back."
                return dataclasses.replace(answer, text=f"{answer.text} {hidden}")
    return answer
