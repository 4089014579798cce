"""Batches that hold one class each: data in the order of its classes, loaded without shuffling."""

from __future__ import annotations

import ast

from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.flow import called
from engine.trace.diagnosis.history import History
from engine.trace.elements import sample
from engine.trace.parts import Number, Span, Value

BATCHES = 4
"""Passes that must all have seen one class only."""
LOSSES = frozenset({"nll_loss_forward", "binary_cross_entropy_with_logits", "binary_cross_entropy"})
CHOOSES = frozenset({"shuffle", "sampler", "batch_sampler"})
"""Arguments of a loader that decide on the order themselves."""


def one_class_each(history: History) -> list[tuple[int, Answer]]:
    """At the end of a run: every loss that was trained on had targets of one class, and the loader does not shuffle."""
    loader = unshuffled(history)
    if loader is None or not history.steps or history.trace.folded:
        return []
    # Beside the loss nll_loss gives the sum of the weights: only the first result is one.
    trained = {loss for task in history.passes for node in task.nodes for loss in history.trace.nodes[node].outputs[:1]}
    classes: list[float] = []
    last = None
    for tensor in sorted(trained):
        event = history.event.get(tensor)
        if event is None or event.operator not in LOSSES or len(event.inputs) < 2:
            continue
        target = history.event.get(event.inputs[1])
        data = [] if target is None else sample(target.value)
        if target is None or len(data) < 2 or len({*data, *ends(target.value)}) > 1:
            return []
        classes.append(float(data[0]))
        last = tensor
    if last is None or len(classes) < BATCHES or len(set(classes)) < 2:
        return []
    return [
        (
            last,
            Answer(
                "one_class_batches",
                f"Each of the {len(classes)} batches that were trained on holds targets of one class only: "
                f"{history.quoted(loader)} on line {loader.line} keeps the order of the data, so the model forgets one class "
                "while it sees the other.",
                "Pass `shuffle=True`.",
                history.made[last],
                loader,
            ),
        )
    ]


def ends(value: Value) -> list[Number]:
    """The smallest and the largest element, where they are told apart from the elements."""
    return [end for end in (value.low, value.high) if end is not None]


def unshuffled(history: History) -> Span | None:
    """The snippet's only DataLoader, where it leaves the order as it is."""
    loaders = [n for n in history.nodes if isinstance(n, ast.Call) and called(n.func) == "DataLoader"]
    if len(loaders) != 1:
        return None
    given = {keyword.arg: keyword.value for keyword in loaders[0].keywords}
    chosen = [given[name] for name in CHOOSES if name in given]
    plain = all(isinstance(value, ast.Constant) and not value.value for value in chosen)
    return history.source.span(loaders[0]) if plain and len(loaders[0].args) < 3 and None not in given else None
