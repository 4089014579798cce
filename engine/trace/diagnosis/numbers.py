"""The first NaN or infinite number: which operation made it, from which inputs, and the usual trap behind it."""

from __future__ import annotations

from engine.trace import events
from engine.trace.diagnosis.departures import Answer
from engine.trace.diagnosis.history import History
from engine.trace.narration.amounts import shown
from engine.trace.parts import Value
from engine.trace.state import State

FORWARD = {
    "log": "the logarithm of a negative number is not a number",
    "sqrt": "the square root of a negative number is not a number",
    "div": "0 ÷ 0 is not a number",
    "sub": "∞ − ∞ is not a number",
    "add": "∞ − ∞ is not a number",
    "mul": "0 · ∞ is not a number",
    "pow": "a negative number to a broken power is not a number",
    "softmax": "a row of −inf only has no largest element: 0 ÷ 0",
    "log_softmax": "a row of −inf only has no largest element: ∞ − ∞",
    "_softmax": "a row of −inf only has no largest element: 0 ÷ 0",
    "_log_softmax": "a row of −inf only has no largest element: ∞ − ∞",
    "mean": "the mean of nothing is 0 ÷ 0",
    "std": "the spread of a single number divides by zero",
    "var": "the spread of a single number divides by zero",
}
BACKWARD = {
    "sqrt": "the slope of a square root at 0 is infinite",
    "pow": "the slope of a broken power at 0 is infinite",
    "log": "the slope of a logarithm at 0 is infinite",
    "div": "dividing by 0 has an infinite slope",
    "norm": "the slope of a norm at 0 is not defined",
    "linalg_vector_norm": "the slope of a norm at 0 is not defined",
    "acos": "the slope of acos at ±1 is infinite",
    "asin": "the slope of asin at ±1 is infinite",
}
INFINITE = {
    "log": "the logarithm of 0 is −∞",
    "exp": "e to a number above 88 is more than a float32 holds",
    "div": "something divided by 0 is infinite",
    "reciprocal": "1 divided by 0 is infinite",
    "pow": "0 to a negative power is infinite, and so is what a float32 cannot hold",
    "rsqrt": "1 divided by the root of 0 is infinite",
    "tan": "it is infinitely steep there",
}
GIVEN = frozenset({"full", "full_like", "masked_fill", "where", "tensor", "Parameter"})
"""Operators that only put in what they were given: a mask of −∞ is meant."""
FIXES = {
    "exp": "Subtract the largest element first, or use torch.softmax, torch.logsumexp or log-probabilities.",
    "log": "Keep the input above zero: log(x.clamp(min=1e-6)), or a function that takes logits.",
    "sqrt": "Add a small number under the root: sqrt(x + 1e-8).",
    "norm": "Add a small number before the root, or use the squared norm.",
    "linalg_vector_norm": "Add a small number before the root, or use the squared norm.",
    "div": "Add a small number to the divisor: x / (y + 1e-8).",
    "pow": "Keep the base away from zero and below: x.clamp(min=1e-6).",
    "softmax": "Leave at least one entry of each row unmasked.",
    "_softmax": "Leave at least one entry of each row unmasked.",
    "log_softmax": "Leave at least one entry of each row unmasked.",
    "_log_softmax": "Leave at least one entry of each row unmasked.",
}
WHERE = (
    "Make the input safe as well (a where inside, one outside): torch.where sends 0 into the branch it did not take, "
    "and 0 · ∞ is not a number."
)


class BadNumbers:
    """Meets every result and every message, and notes where NaN or an infinite number first comes from.

    Args:
        origins: filled with the answer for each tensor that was made not finite out of finite ones.
    """

    def __init__(self, history: History, origins: dict[int, Answer]) -> None:
        self.history = history
        self.origins = origins

    def hear(self, state: State, step: events.TensorMade | events.MessageSent) -> tuple[int, Answer] | None:
        """The tensor and the answer, where it should be said: an infinite result alone may be meant (a mask)."""
        if isinstance(step, events.TensorMade):
            answer = made_bad(self.history, state, step)
            if answer is None:
                return None
            self.origins[step.tensor] = answer
            return (step.tensor, answer) if answer.cause == "nan" else None
        answer = sent_bad(self.history, state, step)
        target = self.history.trace.nodes[step.node].edges[step.slot].tensor
        return None if answer is None else (target or 0, answer)


def made_bad(history: History, state: State, step: events.TensorMade) -> Answer | None:
    """For an operation that makes NaN out of inputs without any, or infinite numbers out of finite ones."""
    if not step.value.nonfinite or step.operator in GIVEN:
        return None
    inputs = [value for value in map(state.value, step.inputs) if value is not None]
    kind = "nan" if step.value.nan else "infinite"
    if any(value.nan or (kind == "infinite" and value.nonfinite) for value in inputs):
        return None
    if not step.inputs and (step.how == "created" or kind == "nan"):
        return None
    given = " and ".join(f"{history.label(t)} = {shown(v)}" for t, v in zip(step.inputs[:2], inputs, strict=False))
    text = history.quoted(step.span) or step.operator
    why = (FORWARD if kind == "nan" else INFINITE).get(step.operator, "")
    what = "The first NaN is made" if kind == "nan" else f"{history.label(step.tensor)} turns infinite: this is made"
    return Answer(
        kind,
        f"{what} by {text} on {history.line_of(state.step)}, from {given}{': ' + why if why else ''}.",
        FIXES.get(step.operator, "Look at the inputs of this operation."),
        state.step,
        step.span,
    )


def sent_bad(history: History, state: State, step: events.MessageSent) -> Answer | None:
    """For a node that makes NaN or infinity out of a finite gradient."""
    ran = state.ran.get(step.node)
    if step.value is None or not step.value.nonfinite or ran is None:
        return None
    arrived = [value for value in ran.gradients if value is not None]
    kind = "nan" if step.value.nan else "inf"
    if any(value.nan or (kind == "inf" and value.nonfinite) for value in arrived):
        return None
    row = history.trace.nodes[step.node]
    edge = row.edges[step.slot]
    to = history.label(edge.tensor) if edge.tensor is not None else "its input"
    why = BACKWARD.get(row.operator, "")
    word = "NaN" if kind == "nan" else "infinite"
    incoming = shown(arrived[0]) if arrived else "nothing"
    text = (
        f"The gradient turns {word} in {row.name} ({history.quoted(row.span)}, {history.line_of(row.step)}): "
        f"{incoming} came in, {shown(step.value)} goes to {to}{'; ' + why if why else ''}."
    )
    fix = FIXES.get(row.operator, "Keep this operation's input away from the place where its slope is infinite.")
    if has_zero(arrived) and comes_from_where(history, step.node):
        fix = WHERE
    return Answer("gradient_nan" if kind == "nan" else "gradient_infinite", text, fix, state.step, row.span)


def has_zero(values: list[Value]) -> bool:
    """Whether an element is zero."""
    return any(0 in (value.data or []) for value in values)


def comes_from_where(history: History, node: int) -> bool:
    """Whether a ``where`` uses what the node made, possibly after other operations."""
    tensors = history.trace.nodes[node].outputs
    later = {user for tensor in tensors for user in history.recorded_descendants(tensor)}
    return any(
        history.trace.tensors[tensor].grad_fn is not None
        and history.trace.nodes[history.trace.tensors[tensor].grad_fn or 0].operator == "where"
        for tensor in later
    )


def why_not_finite(history: History, tensor: int, origins: dict[int, Answer]) -> Answer | None:
    """Where the NaN or the infinite number in a tensor first came from; None where there is none.

    ``origins`` are the answers of `BadNumbers` by tensor.
    """
    value = history.trace.tensors[tensor].value
    if value is None or not value.nonfinite:
        return None
    kind = "nan" if value.nan else "infinite"
    for wanted in (kind, "infinite"):
        for ancestor in history.ancestors(tensor):
            if ancestor in origins and origins[ancestor].cause == wanted:
                return origins[ancestor]
    for ancestor in history.ancestors(tensor):
        event = history.event.get(ancestor)
        if event is not None and event.how == "created" and event.value.nan and kind == "nan":
            return Answer(
                "nan",
                f"{history.label(ancestor)} was created with NaN, on {history.line_of(history.made.get(ancestor))}.",
                "Look at the data.",
                history.made.get(ancestor),
                event.span,
            )
    return None
