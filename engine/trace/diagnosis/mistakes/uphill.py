"""Updates by hand that add the gradient of a loss in place of subtracting it, so that the loss goes up."""

from __future__ import annotations

import ast
import math
import re

from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.history import History, Pass
from engine.trace.elements import single
from engine.trace.parts import Span, Value
from engine.trace.values import spelled

UPDATES = 3
"""Updates in a row that must have gone up the slope, each with a larger loss than the one before."""
LOSS = re.compile(r"(?:^|_)(?:loss|losses|error|err|cost|mse|mae|nll|rmse|bce)\d*(?:_|$)", re.IGNORECASE)
"""Names of what should become small."""
SAME_WAY = 0.999
"""The cosine from which on a change goes along the gradient."""


def goes_uphill(history: History) -> list[tuple[int, Answer]]:
    """At the end of a run: every leaf that the passes reached was moved along its gradient, and the loss rose each time."""
    passes = [task for task in history.passes if task.function == "backward" and not task.raised]
    if history.steps or len(passes) <= UPDATES or any(len(task.roots) != 1 for task in passes):
        return []
    losses = [single(history.trace.tensors[task.roots[0]].value) for task in passes]
    known = [loss for loss in losses if loss is not None and math.isfinite(loss)]
    named = all(any(map(LOSS.search, history.trace.tensors[task.roots[0]].names)) for task in passes)
    rises = all(before < after for before, after in zip(known, known[1:], strict=False))
    leaves = set.intersection(*(task.reached for task in passes))
    if len(known) <= UPDATES or not named or not rises or not leaves:
        return []
    if not all(moved_along(history, leaf, passes[:UPDATES]) for leaf in leaves):
        return []
    leaf = min(leaves)
    index, write = next((i, w) for i, w in history.written[leaf] if i > passes[0].end)
    whole = history.statement(write.span) or write.span
    if whole is None:
        return []
    root = history.label(passes[0].roots[0])
    return [
        (
            leaf,
            Answer(
                "uphill",
                f"{history.quoted(whole)} on line {whole.line} moves {history.label(leaf)} along its gradient, in which {root} "
                f"rises: it goes from {spelled(known[0])} to {spelled(known[-1])}.",
                f"Subtract the gradient to bring {root} down{subtracting(history, whole)}.",
                index,
                whole,
            ),
        )
    ]


def moved_along(history: History, leaf: int, passes: list[Pass]) -> bool:
    """Whether what was written into a leaf after each of the passes went along the gradient that it left."""
    for task in passes:
        gradient = history.grad(leaf, task.end)
        write = next((index for index, _ in history.written[leaf] if index > task.end), None)
        before, after = history.value(leaf, task.end), history.value(leaf, write if write is not None else task.end)
        if gradient is None or before is None or after is None or not along(before, after, gradient):
            return False
    return True


def along(before: Value, after: Value, gradient: Value) -> bool:
    """Whether a change points where a gradient does."""
    if before.data is None or after.data is None or gradient.data is None or after.nonfinite or gradient.nonfinite:
        return False
    pairs = zip(before.data, after.data, strict=True)
    change, slope = [float(new) - float(old) for old, new in pairs], [float(element) for element in gradient.data]
    size = math.hypot(*change) * math.hypot(*slope)
    return (
        len(change) == len(slope)
        and size > 0
        and math.fsum(a * b for a, b in zip(change, slope, strict=True)) >= SAME_WAY * size
    )


def subtracting(history: History, span: Span) -> str:
    """``: `w -= 0.1 * w.grad``` for a statement that adds."""
    for node in history.nodes:
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add) and history.source.span(node) == span:
            return f": `{ast.unparse(node.target)} -= {ast.unparse(node.value)}`"
    return ""
