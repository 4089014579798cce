"""What training does between passes: gradients cleared, parameters changed."""

from __future__ import annotations

from engine.trace import events
from engine.trace import formula as formulas
from engine.trace.narration.telling import MOST, Reader, Telling, is_spelled, shown
from engine.trace.parts import Claim, Formula


def gradients_zeroed(reader: Reader, step: events.GradientsZeroed, tell: Telling) -> None:
    """zero_grad() or ``t.grad = None``."""
    grads = [f"{reader.label(tensor)}.grad" for tensor in step.tensors]
    text = reader.text(step.span) or "zero_grad()"
    if not grads:
        tell.say(f"{text} finds no gradient to clear.", Claim("kind", text="gradients_zeroed"))
        return
    names = ", ".join(grads[:MOST]) + (f" and {len(grads) - MOST} more" if len(grads) > MOST else "")
    verb = "is" if len(grads) == 1 else "are"
    if step.to_none:
        tell.say(f"{text} clears: {names} {verb} None again.", *[Claim("grad_none", tensor=t) for t in step.tensors])
    else:
        tell.say(
            f"{text} sets {names} to 0: a number, where None would mean that no gradient came.",
            *[Claim("grad_zero", tensor=tensor) for tensor in step.tensors],
        )


def optimizer_stepped(reader: Reader, step: events.OptimizerStepped, tell: Telling) -> None:
    """Parameters changed."""
    moved = [change for change in step.changes if change.before != change.after]
    still = [change for change in step.changes if change.gradient is None]
    kind = Claim("kind", text="optimizer_stepped")
    if not moved:
        tell.say(f"{step.optimizer} steps, and no parameter changes.", kind)
    elif len(moved) == 1:
        tell.say(f"{step.optimizer} steps: {change_text(reader, step, moved[0])}.", *change_claims(moved[0]))
    else:
        tell.say(f"{step.optimizer} steps: it changes {reader.list([change.tensor for change in moved])}.", kind)
        for change in moved[:MOST]:
            tell.say(f"{change_text(reader, step, change)}.", *change_claims(change))
    if len(moved) == 1 and (update := plain_update(step, moved[0])) is not None:
        tell.formula = formulas.equals(update, formulas.number(moved[0].after.text))
    if still:
        names = reader.list([change.tensor for change in still])
        verb = "has" if len(still) == 1 else "have"
        them = "it" if len(still) == 1 else "them"
        tell.say(
            f"{names} {verb} no gradient (.grad is None), so the optimizer leaves {them} alone.",
            *[Claim("grad_none", tensor=change.tensor) for change in still],
        )


def change_text(reader: Reader, step: events.OptimizerStepped, change: events.ParameterChange) -> str:
    """``w: 3 − 0.1 · 5 = 2.5`` where that is all the optimizer does, else before and after."""
    label = reader.label(change.tensor)
    update = plain_update(step, change)
    if update is not None:
        return f"{label}: `{formulas.plain(update)} = {shown(change.after)}`"
    return f"{label}: {shown(change.before)} → {shown(change.after)}"


def plain_update(step: events.OptimizerStepped, change: events.ParameterChange) -> Formula | None:
    """before − lr · gradient, for SGD without momentum or decay on few numbers."""
    settings = step.settings
    if step.optimizer != "SGD" or any(settings.get(name) for name in ("momentum", "weight_decay", "maximize")):
        return None
    gradient, rate = change.gradient, settings.get("lr")
    if gradient is None or rate is None or not is_spelled(change.before) or not is_spelled(gradient):
        return None
    product = formulas.operator("·", formulas.number(str(rate)), formulas.number(gradient.text))
    return formulas.operator("−", formulas.number(change.before.text), product)


def change_claims(change: events.ParameterChange) -> tuple[Claim, ...]:
    """That the parameter holds its new value."""
    return (Claim("value", tensor=change.tensor, text=change.after.text),)
