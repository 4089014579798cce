"""What is said of relus, losses, layers and sizes of gradients, worked out anew from the numbers that the run recorded."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence

from engine.trace import events
from engine.trace.claims.reasons.causes import made, means
from engine.trace.claims.reasons.record import Record
from engine.trace.document import Reason
from engine.trace.narration.amounts import number_word
from engine.trace.parts import Value

CLOSE = 1e-3
"""How far sums of probabilities, which are kept to some digits, may be from 1."""


def now(record: Record, tensor: int, step: int | None) -> Value | None:
    """What a tensor held at a step."""
    held = [value for at, value in record.values[tensor] if step is None or at <= step]
    return held[-1] if held else None


def numbers(value: Value | None) -> list[float]:
    """Its elements; of more than were kept, the least and the greatest."""
    if value is None:
        return []
    kept = value.data if value.data is not None else (value.low, value.high)
    return [float(one) for one in kept if isinstance(one, int | float)]


def matrix(value: Value | None) -> list[list[float]]:
    """The rows of a matrix; none where it is no matrix or not all of it was kept."""
    if value is None or len(value.shape) != 2 or value.data is None:
        return []
    flat, width = numbers(value), value.shape[1]
    return [flat[start : start + width] for start in range(0, len(flat), width)] if width else []


def is_nothing(value: Value | None) -> bool:
    """Whether nothing but zeros is in it."""
    found = numbers(value)
    return value is not None and bool(found) and not any(found) and not value.nonfinite


# ── relus ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@means("dead_relu")
def _(record: Record, reason: Reason) -> bool:
    """Its last inputs were below 0, or outside of the limits of a clamp; its messages were zeros in as many passes in a row.

    Each of them for something: in every pass that counts, a gradient had arrived.
    """
    count = re.search(r"no gradient through in (\w+) passes", reason.text)
    node = record.trace.tensors[reason.tensor].grad_fn if reason.tensor is not None else None
    if count is None or node is None or reason.span is None or record.trace.nodes[node].span != reason.span:
        return False
    given = record.trace.nodes[node].edges[0].tensor
    inputs = numbers(now(record, given, reason.step)) if given is not None else []
    blocked = list(itertools.takewhile(bool, reversed(list(blocking(record, reason)))))
    flat = bool(inputs) and (max(inputs) < 0 or "lie outside its limits" in reason.text)
    return flat and count[1] in (str(len(blocked)), number_word(len(blocked)))


def blocking(record: Record, reason: Reason) -> Iterator[bool]:
    """For each pass in which relus of the reason's place got something: whether that tensor's place sent zeros only.

    Of several at one place, the one that is as far from the pass's first as the reason's own.
    """
    nodes, steps = record.trace.nodes, record.trace.steps[: (reason.step or 0) + 1]
    passes: list[list[tuple[int, bool]]] = []
    got: dict[int, bool] = {}
    for step in steps:
        match step:
            case events.BackwardStarted():
                passes.append([])
            case events.NodeRan(node=node, gradients=gradients):
                got[node] = any(not is_nothing(value) for value in gradients if value is not None)
            case events.MessageSent(node=node, value=value) if nodes[node].span == reason.span and nodes[node].outputs:
                if passes and nodes[node].operator in ("relu", "threshold", "clamp_min", "clamp") and got.get(node):
                    passes[-1].append((node, is_nothing(value)))
            case _:
                pass
    sent = [one for one in passes if one]
    own = next((at for at, (node, _) in enumerate(sent[-1]) if reason.tensor in nodes[node].outputs), 0) if sent else 0
    return (one[own][1] for one in sent if len(one) > own)


# ── losses ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def alike(record: Record, tensor: int, operator: str, line: int) -> Iterator[int]:
    """The results of an operator on a line that hold the very numbers of a tensor, in whatever shape."""
    wanted = record.trace.tensors[tensor].value
    for step in record.trace.steps:
        if isinstance(step, events.TensorMade) and step.operator.strip("_") == operator and step.span is not None:
            there = step.span.line <= line <= step.span.end_line
            if there and wanted is not None and numbers(step.value) == numbers(wanted):
                yield step.tensor


@means("squashed_twice")
def _(record: Record, reason: Reason) -> bool:
    """What the loss was given is what a softmax (a sigmoid) made on that line: numbers from 0 to 1."""
    said = re.search(r"went through (\w+) already \(line (\d+)\), and `(\w+)` takes", reason.text)
    event = made(record, reason.tensor)
    if said is None or event is None or not event.inputs:
        return False
    losses = {
        "cross_entropy": ("log_softmax", "softmax"),
        "nll_loss": ("nll_loss_forward", "softmax"),
        "binary_cross_entropy_with_logits": ("binary_cross_entropy_with_logits", "sigmoid"),
    }
    given = event.inputs[0]
    inside = all(-CLOSE <= number <= 1 + CLOSE for number in numbers(now(record, given, reason.step)))
    same = any(True for _ in alike(record, given, said[1], int(said[2])))
    return losses.get(said[3]) == (event.operator, said[1]) and inside and same


@means("scores_given")
def _(record: Record, reason: Reason) -> bool:
    """The loss was given a layer's results, or numbers outside of what it takes."""
    if reason.about == "error":
        held = [numbers(now(record, tensor, reason.step)) for tensor in range(len(record.trace.tensors))]
        own = numbers(now(record, reason.tensor, reason.step)) if reason.tensor is not None else max(held, key=len)
        return bool(own) and not all(0 <= number <= 1 for number in own)
    event = made(record, reason.tensor)
    said = re.search(r"\(line (\d+)\) holds (raw scores|numbers above 0), but `(\w+)`", reason.text)
    if event is None or said is None or not event.inputs:
        return False
    operator = {"nll_loss": "nll_loss_forward"}.get(said[3], said[3])
    given = numbers(now(record, event.inputs[0], reason.step))
    if event.operator != operator:
        return False
    if said[2] == "numbers above 0":
        return max(given, default=0.0) > 0
    weighted = ("addmm", "mm", "bmm", "baddbmm", "mv", "addmv", "convolution")
    return any(True for operator in weighted for _ in alike(record, event.inputs[0], operator, int(said[1])))


@means("wrong_dim")
def _(record: Record, reason: Reason) -> bool:
    """The results' own numbers: what adds up to 1, what is 1 throughout, and where the largest stand."""
    rows = [
        tensor
        for tensor, row in enumerate(record.trace.tensors)
        if row.span is not None and row.span == reason.span and row.value is not None
    ]
    values = [record.trace.tensors[tensor].value for tensor in rows]
    single = re.search(
        r"a dimension of length 1 \(shape (\[[\d, ]*\])\): every (logarithm of a )?probability is ([01])", reason.text
    )
    if single is not None:
        same = (v for v in values if v is not None and str(v.shape) == single[1])
        return any(set(numbers(value)) == {float(single[3])} and 1 in value.shape for value in same)
    if "looks along dimension 0" in reason.text:
        return any(best_of_columns(record, tensor) for tensor in rows)
    said = re.search(r"normalises over dimension 0 of shape (\[[\d, ]*\])", reason.text)
    return said is not None and any(adds_up(value, said[1]) for value in values)


def adds_up(value: Value | None, shape: str) -> bool:
    """Whether each column (and not each row) of probabilities, or of their logarithms, adds up to 1."""
    rows = matrix(value)
    if value is None or str(value.shape) != shape or not rows:
        return value is not None and str(value.shape) == shape and value.data is None
    if min(map(min, rows)) < 0:
        rows = [list(map(math.exp, row)) for row in rows]
    return ones(map(math.fsum, zip(*rows, strict=True))) and not ones(map(math.fsum, rows))


def ones(sums: Iterator[float]) -> bool:
    """Whether all are 1, as far as digits were kept."""
    return all(abs(total - 1) < CLOSE for total in sums)


def best_of_columns(record: Record, tensor: int) -> bool:
    """Whether a result says, for each column of what it was made from, in which row the largest number stands."""
    event = made(record, tensor)
    table = matrix(now(record, event.inputs[0], None)) if event is not None and event.inputs else []
    best = [float(max(range(len(column)), key=column.__getitem__)) for column in zip(*table, strict=True)]
    return bool(best) and numbers(record.trace.tensors[tensor].value) == best


# ── layers ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@means("symmetric")
def _(record: Record, reason: Reason) -> bool:
    """So many rows (or columns) of the weight are the same now, and those of every gradient that it was left with."""
    said = re.search(
        r"The (\w+) units of .+ have equal weights since line (\d+) and get (equal gradients|gradients of 0)",
        reason.text,
    )
    if said is None or reason.tensor is None:
        return False
    shape = record.trace.tensors[reason.tensor].shape
    weights = [value for at, value in record.values[reason.tensor] if at <= (reason.step or 0)][-1:]
    gradients = [step.incoming for at, step in record.stored[reason.tensor] if at <= (reason.step or 0)]
    if len(shape) != 2 or not weights or not gradients:
        return False
    along = [dimension for dimension in (0, 1) if number_word(shape[dimension]) == said[1]]
    zeros = all(map(is_nothing, gradients))
    same = any(all(units_alike(value, dimension) for value in (*weights, *gradients)) for dimension in along)
    return same and (zeros or said[3] == "equal gradients") and bool(record.on_line[int(said[2])])


def units_alike(value: Value | None, dimension: int) -> bool:
    """Whether all rows (columns) are the same; of more than were kept, whether all elements are."""
    rows: Sequence[Sequence[float]] = matrix(value)
    if not rows:
        return len(set(numbers(value))) == 1
    units = rows if dimension == 0 else list(zip(*rows, strict=True))
    return len(set(map(tuple, units))) == 1


# ── sizes of gradients ───────────────────────────────────────────────────────────────────────────────────────────────


@means("vanishing", "exploding")
def _(record: Record, reason: Reason) -> bool:
    """The two sizes are told in the direction that the sentence says, and are orders of magnitude apart; a pass has run."""
    number = r"(\d+(?:\.\d+)?(?:e[−+-]?\d+)?)"
    apart = re.search(rf"The gradient (shrinks|grows) from {number} at .+ to {number} at", reason.text)
    passes = any(isinstance(step, events.BackwardStarted) for step in record.trace.steps)
    if apart is not None:
        last, first = (float(text.replace("−", "-")) for text in apart.groups()[1:])
        smaller = first < 1e-4 * last if apart[1] == "shrinks" else first > 1e4 * last
        return passes and smaller and (apart[1] == "shrinks") == (reason.cause == "vanishing")
    jumps = re.search(rf"(?:grows|each time): (?:by )?{number} (?:became|at first and by) {number}", reason.text)
    if jumps is None or reason.cause != "exploding":
        return False
    return passes and float(jumps[2].replace("−", "-")) > float(jumps[1].replace("−", "-"))
