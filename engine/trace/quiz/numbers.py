"""Questions whose answer is a number: what arrives, what it adds up to, what ``.grad`` and a parameter become."""

from __future__ import annotations

from engine.trace import events
from engine.trace import formula as formulas
from engine.trace.document import Question
from engine.trace.elements import single
from engine.trace.narration.symbols import with_names
from engine.trace.narration.telling import Reader, begun
from engine.trace.quiz.draft import Draft
from engine.trace.values import spelled

NEAR = 40
"""Steps behind a node's own in which it saves what it needs."""


def addition(left: float, right: float, total: float) -> str:
    """``1 + (-4) = -3``."""
    parts = formulas.operator("+", formulas.number(spelled(left)), formulas.number(spelled(right)))
    return f"{formulas.plain(parts)} = {spelled(total)}"


def arriving_gradient(reader: Reader, step: events.MessageSent) -> Question | None:
    """What does this node send to that tensor?"""
    state, row = reader.state, reader.trace.nodes[step.node]
    edge = row.edges[step.slot]
    ran, sent = state.ran.get(step.node), single(step.value)
    incoming = single(ran.gradients[0]) if ran is not None and len(ran.gradients) == 1 else None
    if edge.tensor is None or sent is None or incoming is None or edge.derivative in ("", "grad") or not row.outputs:
        return None
    if (step.node, step.slot) in state.unbroadcast or step.value is None or step.value.nonfinite:
        return None
    label, output = reader.label(edge.tensor), reader.label(row.outputs[0])
    shape = with_names(reader, step.node, step.slot, formulas.name("grad"))
    if shape is None or shape == formulas.name("grad") or spelled(sent) == spelled(incoming):
        return None  # what arrived is the answer
    draft = Draft(
        "arriving_gradient",
        f"The gradient of {output} is {ran.gradients[0].text if ran and ran.gradients[0] else '?'}. "
        f"What does {row.name} send to {label}?",
        state.step,
    )
    worked = f"The derivative for {label} is `{formulas.plain(shape)}`"
    draft.right(spelled(sent), f"{worked}: `{step.substituted or step.value.text}`.")
    own = single(state.value(edge.tensor))
    ran_at, made_at = state.ran_at.get(step.node), reader.trace.tensors[row.outputs[0]].step
    if row.operator in ("mul", "div"):
        draft.wrong_number(
            None if own is None else incoming * own,
            f"That multiplies by {label} itself; the slope for {label} is the other factor, which the node saved."
            if row.operator == "mul"
            else f"That multiplies by {label} itself; the derivative is `{formulas.plain(shape)}`.",
            saved_at(reader, step.node),
        )
    draft.wrong_number(
        incoming, f"That is what arrived at {row.name}; it still has to be multiplied by the slope.", ran_at
    )
    slope = sent / incoming if incoming else None
    draft.wrong_number(slope, "That is the slope alone; the chain rule multiplies it by what arrived.", ran_at)
    draft.wrong_number(single(state.value(row.outputs[0])), f"That is the value of {output}, not a gradient.", made_at)
    draft.wrong_number(-sent, "The number is right, the sign is not.")
    draft.wrong_number(0.0, f"{label} does influence {output}, so its gradient is not 0.", made_at)
    return draft.question()


def saved_at(reader: Reader, node: int) -> int | None:
    """The step at which the node saved something; None where it did not."""
    steps, first = reader.trace.steps, reader.trace.nodes[node].step
    after = range(first, min(first + NEAR, len(steps)))
    kept = (index for index in after if isinstance(step := steps[index], events.TensorSaved) and step.node == node)
    return next(kept, None)


def origin(reader: Reader, step: events.MessagesSummed) -> tuple[int | None, int | None]:
    """The steps of the first message that waited, and of the one that arrives now."""
    sent = [
        reader.state.sent_at.get((message.node, message.slot))
        for message in reader.state.arrived.get((step.node, step.input_nr), [])
    ]
    return (sent[0], sent[-1]) if sent else (None, None)


def accumulated(reader: Reader, step: events.MessagesSummed) -> Question | None:
    """What do the messages at a tensor add up to?"""
    row = reader.trace.nodes[step.node]
    before, incoming, total = single(step.before), single(step.incoming), single(step.value)
    tensor = row.leaf if row.leaf is not None else row.outputs[0] if row.outputs else None
    if before is None or incoming is None or total is None or tensor is None or step.arrived < step.expected:
        return None
    if step.value.nonfinite or spelled(total) in (spelled(before), spelled(incoming)):
        return None  # one of them is too small to be seen in the sum
    label = reader.label(tensor)
    draft = Draft(
        "accumulated",
        f"{spelled(before)} already waits at {label}, and {spelled(incoming)} arrives by another path. "
        f"What is the gradient of {label}?",
        reader.state.step,
    )
    draft.right(spelled(total), f"Paths add up: {addition(before, incoming, total)}.")
    first, last = origin(reader, step)
    draft.wrong_number(incoming, f"That forgets the path that brought {spelled(before)}.", first)
    draft.wrong_number(before, f"That forgets the path that brought {spelled(incoming)}.", last)
    draft.wrong_number(before * incoming, "Factors multiply along one path; different paths add up.")
    draft.wrong_number(total / 2, "Paths are added, not averaged.")
    draft.wrong_number(0.0, "The two do not cancel: their sum is not 0.")
    return draft.question()


def stored_again(reader: Reader, step: events.GradientStored) -> Question | None:
    """What is .grad after a second pass?"""
    old, incoming, new = single(step.old), single(step.incoming), single(step.new)
    if old is None or incoming is None or new is None or step.retained or step.new.nonfinite:
        return None
    if spelled(new) in (spelled(old), spelled(incoming)):
        return None
    grad = reader.gradient(step.tensor)
    draft = Draft(
        "stored_again",
        begun(f"{grad} is {spelled(old)} from before, and backward() brings {spelled(incoming)}. What is {grad} then?"),
        reader.state.step,
    )
    draft.right(spelled(new), f"backward() adds to .grad: {addition(old, incoming, new)}.")
    before = reader.state.stored_by.get(step.tensor, [])[:1]
    stored = before[0][1] if before else None
    draft.wrong_number(incoming, "backward() does not replace .grad; only zero_grad() or None clears it.", stored)
    draft.wrong_number(old, "The new gradient does come in: it is added.")
    draft.wrong_number(new / 2, "Gradients are added, not averaged.")
    draft.wrong_number(0.0, "Nothing has cleared what was stored before.", stored)
    return draft.question()


def optimizer_update(reader: Reader, step: events.OptimizerStepped) -> Question | None:
    """What is the parameter after a plain SGD step?"""
    settings = step.settings
    if step.optimizer != "SGD" or any(settings.get(name) for name in ("momentum", "weight_decay", "maximize")):
        return None
    for change in step.changes:
        before, after, gradient = single(change.before), single(change.after), single(change.gradient)
        rate = settings.get("lr")
        if before is None or after is None or gradient is None or not isinstance(rate, float | int) or not gradient:
            continue
        if change.after.nonfinite:
            continue
        label = reader.label(change.tensor)
        draft = Draft(
            "optimizer_update",
            begun(
                f"{label} is {spelled(before)}, {reader.gradient(change.tensor)} is {spelled(gradient)}, the learning "
                f"rate is {spelled(rate)}. What is {label} after the step?"
            ),
            reader.state.step,
        )
        product = formulas.operator("·", formulas.number(spelled(rate)), formulas.number(spelled(gradient)))
        update = formulas.operator("−", formulas.number(spelled(before)), product)
        draft.right(spelled(after), f"{formulas.plain(update)} = {spelled(after)}.")
        draft.wrong_number(before + rate * gradient, "That climbs; SGD goes against the gradient.")
        draft.wrong_number(before - gradient, "That forgets the learning rate.")
        draft.wrong_number(before, "step() changes the parameter; backward() alone would not.")
        draft.wrong_number(-rate * gradient, "That is the change alone; it is added to the old value.")
        return draft.question()
    return None
