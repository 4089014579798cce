"""Scores, probabilities and their logarithms, each given to a loss that takes another of them, or taken along the wrong dimension."""

from __future__ import annotations

import ast
import re

from engine.trace import events
from engine.trace.diagnosis.answer import Answer, Found
from engine.trace.diagnosis.flow import called
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.mistakes.watcher import Watcher
from engine.trace.diagnosis.tensors.flats import ALONE
from engine.trace.document import Node
from engine.trace.elements import sample
from engine.trace.marks import code
from engine.trace.narration.amounts import shown
from engine.trace.parts import Value
from engine.trace.state import State

LAYOUT = frozenset({"squeeze", "unsqueeze", "view", "reshape", "flatten", "select", "slice", "index", "t", "clone"})
"""Operations that move numbers and change none."""
SCORES = frozenset({"addmm", "mm", "bmm", "baddbmm", "mv", "addmv", "convolution"})
"""What makes scores: any number may come out."""
FROM_SCORES = "Use `binary_cross_entropy_with_logits` (nn.BCEWithLogitsLoss), or put a sigmoid before it."
"""How scores come to a loss of probabilities."""
NORMALISED = frozenset({"log_softmax", "softmax"})
CLASS_LOSS = "nll_loss_forward"
ROW_WISE = frozenset({CLASS_LOSS, "binary_cross_entropy", "mse_loss", "l1_loss"})
"""Losses that read a matrix row by row, one sample each."""
SQUASHED = {
    "log_softmax": (
        ("softmax", "_softmax"),
        (
            "`cross_entropy` takes raw scores (logits) and applies softmax itself: twice squashed, scores differ "
            "little and learning is slow"
        ),
        "Hand over the scores as they are: leave the softmax out.",
    ),
    "binary_cross_entropy_with_logits": (
        ("sigmoid",),
        (
            "`binary_cross_entropy_with_logits` takes raw scores (logits) and applies sigmoid itself: twice squashed, "
            "scores differ little and learning is slow"
        ),
        "Leave the sigmoid out, or use `binary_cross_entropy` with it.",
    ),
    CLASS_LOSS: (
        ("softmax", "_softmax"),
        "`nll_loss` takes logarithms of probabilities: without them a bad guess costs hardly more than a good one",
        "Use `log_softmax` in place of softmax, or give the scores to `cross_entropy`.",
    ),
}
"""For a loss's first operation: what must not stand before it, why, and the fix."""


class Scores(Watcher):
    """Looks at what every loss is given, and at guesses that are compared with a loss's target."""

    hears = (events.TensorMade,)

    def hear(self, state: State, step: events.Step) -> tuple[int, Answer] | None:
        """The loss (or guess) concerned and the answer, where something should be said."""
        if not isinstance(step, events.TensorMade) or not step.inputs:
            return None
        if step.operator == "eq":
            return wrong_guess(self.history, step)
        if not step.requires_grad:
            return None
        return (
            squashed_twice(self.history, step)
            or wrong_dimension(self.history, step)
            or unnormalised(self.history, state, step)
        )


def behind_layout(history: History, tensor: int) -> events.TensorMade | None:
    """What made the numbers of a tensor, before they were moved."""
    source = history.event.get(tensor)
    while source is not None and source.operator in LAYOUT and source.inputs:
        source = history.event.get(source.inputs[0])
    return source


def squashed_twice(history: History, step: events.TensorMade) -> tuple[int, Answer] | None:
    """Probabilities where a loss wants scores."""
    if step.operator not in SQUASHED:
        return None
    earlier, why, fix = SQUASHED[step.operator]
    source = behind_layout(history, step.inputs[0])
    if source is None or source.operator not in earlier:
        return None
    label, line = history.label(source.tensor), history.line_of(history.made.get(source.tensor))
    return step.tensor, Answer(
        "squashed_twice",
        f"{label} went through {source.operator.strip('_')} already ({line}), and {why}.",
        fix,
        history.made[step.tensor],
        step.span,
    )


def wrong_dimension(history: History, step: events.TensorMade) -> tuple[int, Answer] | None:
    """A softmax over the batch, or over a single score, whose result a loss reads row by row."""
    if picks_by_row(history, step):
        return over_the_batch(history, step, "A class is picked of each row here, as of one sample.")
    source = history.event.get(step.inputs[0]) if step.operator in ROW_WISE else None
    while source is not None and source.operator in ("log", *LAYOUT) and source.inputs:
        source = history.event.get(source.inputs[0])
    if source is None or source.operator not in NORMALISED or source.node is None:
        return None
    shape = history.trace.tensors[source.tensor].shape
    if len(shape) != 2:
        return None
    dimension = saved_dimension(history.trace.nodes[source.node], len(shape))
    text, line = history.quoted(source.span), history.line_of(history.made[source.tensor])
    if dimension is not None and shape[dimension] == 1:
        always = "probability is 1" if source.operator == "softmax" else "logarithm of a probability is 0"
        return step.tensor, Answer(
            "wrong_dim",
            f"{text} on {line} normalises over a dimension of length 1 (shape {shape}): every {always}, whatever the "
            "scores are, and no gradient comes through.",
            ALONE.fix,
            history.made[source.tensor],
            source.span,
        )
    if step.operator != CLASS_LOSS:
        return None
    return over_the_batch(history, step, "The loss reads each row as the classes of one sample.")


def over_the_batch(history: History, step: events.TensorMade, reads: str) -> tuple[int, Answer] | None:
    """A softmax of a matrix over dimension 0, where ``reads`` says what follows that takes each row for one sample."""
    source = history.event.get(step.inputs[0])
    while source is not None and source.operator in ("log", *LAYOUT) and source.inputs:
        source = history.event.get(source.inputs[0])
    if source is None or source.operator not in NORMALISED or source.node is None:
        return None
    shape = history.trace.tensors[source.tensor].shape
    if len(shape) != 2 or shape[0] == 1 or saved_dimension(history.trace.nodes[source.node], len(shape)) != 0:
        return None
    text, line = history.quoted(source.span), history.line_of(history.made[source.tensor])
    return step.tensor, Answer(
        "wrong_dim",
        f"{text} on {line} normalises over dimension 0 of shape {shape}, the batch: samples share their probability. {reads}",
        "Normalise over the classes: `dim=1`.",
        history.made[source.tensor],
        source.span,
    )


def picks_by_row(history: History, step: events.TensorMade) -> bool:
    """Whether one entry is taken of each row of a matrix: ``p[torch.arange(n), y]``, or ``p.gather(1, y)``."""
    shape = history.trace.tensors[step.inputs[0]].shape
    if step.operator == "gather" and step.node is not None and len(shape) == 2:
        return saved_dimension(history.trace.nodes[step.node], 2) == 1
    if step.operator != "index" or len(step.inputs) != 3 or len(shape) != 2:
        return False
    rows = history.event.get(step.inputs[1])
    return rows is not None and rows.operator == "arange" and history.trace.tensors[rows.tensor].shape == shape[:1]


def saved_dimension(node: Node, dimensions: int) -> int | None:
    """The dimension that a softmax's node kept, counted from 0."""
    kept = next((saved.text for saved in node.saved if saved.name == "dim"), "")
    return int(kept) % dimensions if re.fullmatch(r"-?\d+", kept) else None


def unnormalised(history: History, state: State, step: events.TensorMade) -> tuple[int, Answer] | None:
    """Raw scores where a loss takes probabilities, or logarithms of them."""
    if step.operator not in (CLASS_LOSS, "binary_cross_entropy"):
        return None
    source, value = behind_layout(history, step.inputs[0]), state.value(step.inputs[0])
    raw = source is not None and source.operator in SCORES
    if not raw and not (step.operator == CLASS_LOSS and has_positive(value)):
        return None
    label = history.label(step.inputs[0])
    line = history.line_of(history.made.get(source.tensor if source is not None else step.inputs[0]))
    given = f"{label} ({line}) holds raw scores" if raw else f"{label} ({line}) holds numbers above 0"
    if step.operator == CLASS_LOSS:
        text = f"{given}, but `nll_loss` takes logarithms of probabilities, which are never above 0: the loss has no lower end."
        fix = "Give the scores to `cross_entropy`, or put `log_softmax` before `nll_loss`."
    else:
        text = f"{given}, but `binary_cross_entropy` takes probabilities: it raises as soon as one leaves 0 to 1."
        fix = FROM_SCORES
    return step.tensor, Answer("scores_given", text, fix, history.made[step.tensor], step.span)


def has_positive(value: Value | None) -> bool:
    """Whether an element is known to be above 0, by more than rounding."""
    return value is not None and any(float(element) > 1e-4 for element in (*sample(value), value.high or 0))


def wrong_guess(history: History, step: events.TensorMade) -> tuple[int, Answer] | None:
    """``out.argmax(0) == y`` where a loss reads the same scores row by row, one sample each, against the same target."""
    if len(step.inputs) != 2:
        return None
    for guess, target in (step.inputs, step.inputs[::-1]):
        made = history.event.get(guess)
        if made is None or made.operator not in ("argmax", "max") or not made.inputs or not along_batch(history, made):
            continue
        scores = made.inputs[0]
        for user in history.users[target]:
            loss = history.event.get(user)
            if loss is None or loss.operator != CLASS_LOSS or scores not in history.ancestors(loss.inputs[0]):
                continue
            turned = [history.event[u] for u in history.users[scores] if u in history.event]
            if any(event.operator in ("t", "transpose", "permute") for event in turned):
                return None  # pairs, scored in both directions
            shape = history.trace.tensors[scores].shape
            return guess, Answer(
                "wrong_dim",
                f"{history.quoted(made.span)} on {history.line_of(history.made[guess])} looks along dimension 0 of shape "
                f"{shape}, the batch: it finds the best sample of each class, not the best class of each sample.",
                "Look along the classes: `argmax(dim=1)`.",
                history.made[guess],
                made.span,
            )
    return None


def along_batch(history: History, made: events.TensorMade) -> bool:
    """Whether the source of an argmax (or max) of a matrix says dimension 0."""
    if len(history.trace.tensors[made.inputs[0]].shape) != 2 or made.span is None:
        return False
    try:
        call = ast.parse(history.text(made.span), mode="eval").body
    except SyntaxError:
        return False
    while isinstance(call, ast.Subscript | ast.Attribute):
        call = call.value
    if not isinstance(call, ast.Call) or called(call.func) not in ("argmax", "max"):
        return False
    function = (
        isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name) and call.func.value.id == "torch"
    )
    given = [keyword.value for keyword in call.keywords if keyword.arg in ("dim", "axis")] or call.args[function:]
    return bool(given) and isinstance(given[0], ast.Constant) and given[0].value == 0


def not_probabilities(history: History, state: State) -> Found:
    """binary_cross_entropy() raised: its input leaves 0 to 1."""
    outcome = history.trace.outcome
    for node in history.nodes:
        if not isinstance(node, ast.Call) or outcome.span is None or history.source.span(node) != outcome.span:
            continue
        given = next((k.value for k in node.keywords if k.arg == "input"), node.args[0] if node.args else None)
        if given is None:
            return None
        span = history.source.span(given)
        tensor = history.named(ast.unparse(given))
        if tensor is None:
            made = [tensor for tensor, event in history.event.items() if event.span == span]
            tensor = made[-1] if made else None
        value = state.value(tensor) if tensor is not None else None
        numbers = f" ({shown(value)})" if value is not None else ""
        return tensor, Answer(
            "scores_given",
            f"{code(history.text(span))} on line {outcome.span.line} holds raw scores{numbers}, and "
            "`binary_cross_entropy` takes probabilities, from 0 to 1.",
            FROM_SCORES,
            history.last,
            outcome.span,
        )
    return None
