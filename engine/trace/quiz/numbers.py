"""Questions whose answer is a number: what arrives, what it adds up to, what ``.grad`` and a parameter become."""

from __future__ import annotations

from engine.trace import events
from engine.trace import formula as formulas
from engine.trace.document import Question
from engine.trace.narration.symbols import with_names
from engine.trace.narration.telling import Reader
from engine.trace.quiz.draft import Draft
from engine.trace.state import single
from engine.trace.values import spelled


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
    if shape is None or shape == formulas.name("grad"):
        return None
    draft = Draft(
        "arriving_gradient",
        f"The gradient of {output} is {ran.gradients[0].text if ran and ran.gradients[0] else '?'}. "
        f"What does {row.name} send to {label}?",
        state.step,
    )
    worked = f"The derivative for {label} is `{formulas.plain(shape)}`"
    draft.right(spelled(sent), f"{worked}: `{step.substituted or step.value.text}`.")
    own = single(state.value(edge.tensor))
    if row.operator in ("mul", "div"):
        draft.wrong_number(
            None if own is None else incoming * own,
            f"That multiplies by {label} itself; the slope for {label} is the other factor.",
        )
    draft.wrong_number(incoming, f"That is what arrived at {row.name}; it still has to be multiplied by the slope.")
    slope = sent / incoming if incoming else None
    draft.wrong_number(slope, "That is the slope alone; the chain rule multiplies it by what arrived.")
    draft.wrong_number(single(state.value(row.outputs[0])), f"That is the value of {output}, not a gradient.")
    draft.wrong_number(-sent, "The number is right, the sign is not.")
    draft.wrong_number(0.0, f"{label} does influence {output}, so its gradient is not 0.")
    draft.wrong_number(sent + 1, f"{worked}; there is nothing to add.")
    return draft.question()


def accumulated(reader: Reader, step: events.MessagesSummed) -> Question | None:
    """What do the messages at a tensor add up to?"""
    row = reader.trace.nodes[step.node]
    before, incoming, total = single(step.before), single(step.incoming), single(step.value)
    tensor = row.leaf if row.leaf is not None else row.outputs[0] if row.outputs else None
    if before is None or incoming is None or total is None or tensor is None or step.arrived < step.expected:
        return None
    if step.value.nonfinite:
        return None
    label = reader.label(tensor)
    draft = Draft(
        "accumulated",
        f"{step.before.text} already waits at {label}, and {step.incoming.text} arrives by another path. "
        f"What is the gradient of {label}?",
        reader.state.step,
    )
    draft.right(spelled(total), f"Paths add up: {step.before.text} + {step.incoming.text} = {step.value.text}.")
    draft.wrong_number(incoming, f"That forgets the path that brought {step.before.text}.")
    draft.wrong_number(before, f"That forgets the path that brought {step.incoming.text}.")
    draft.wrong_number(before * incoming, "Factors multiply along one path; different paths add up.")
    draft.wrong_number(total / 2, "Paths are added, not averaged.")
    draft.wrong_number(0.0, "Nothing cancels here unless the sum is 0.")
    return draft.question()


def stored_again(reader: Reader, step: events.GradientStored) -> Question | None:
    """What is .grad after a second pass?"""
    old, incoming, new = single(step.old), single(step.incoming), single(step.new)
    if old is None or incoming is None or new is None or step.retained or step.new.nonfinite or step.old is None:
        return None
    label = reader.label(step.tensor)
    draft = Draft(
        "stored_again",
        f"{label}.grad is {step.old.text} from before, and backward() brings {step.incoming.text}. "
        f"What is {label}.grad then?",
        reader.state.step,
    )
    draft.right(spelled(new), f"backward() adds to .grad: {step.old.text} + {step.incoming.text} = {step.new.text}.")
    draft.wrong_number(incoming, "backward() does not replace .grad; only zero_grad() or None clears it.")
    draft.wrong_number(old, "The new gradient does come in: it is added.")
    draft.wrong_number(new / 2, "Gradients are added, not averaged.")
    draft.wrong_number(0.0, "Nothing has cleared it.")
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
        if change.after.nonfinite or change.gradient is None:
            continue
        label = reader.label(change.tensor)
        draft = Draft(
            "optimizer_update",
            f"{label} is {change.before.text}, {label}.grad is {change.gradient.text}, the learning rate is {rate}. "
            f"What is {label} after the step?",
            reader.state.step,
        )
        draft.right(spelled(after), f"{change.before.text} − {rate} · {change.gradient.text} = {change.after.text}.")
        draft.wrong_number(before + rate * gradient, "That climbs; SGD goes against the gradient.")
        draft.wrong_number(before - gradient, "That forgets the learning rate.")
        draft.wrong_number(before, "step() changes the parameter; backward() alone would not.")
        draft.wrong_number(-rate * gradient, "That is the change alone; it is added to the old value.")
        return draft.question()
    return None
