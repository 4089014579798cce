"""What training does between passes: gradients cleared, parameters changed."""

from __future__ import annotations

import functools
import inspect
import re

from engine import optim
from engine.trace import events
from engine.trace import formula as formulas
from engine.trace.agreement import numbers_of
from engine.trace.describe import first_sentences
from engine.trace.elements import is_zero
from engine.trace.narration.amounts import MOST, is_spelled, listed, shown
from engine.trace.narration.telling import Reader, Telling
from engine.trace.parts import Claim, Formula
from engine.trace.values import spelled


def gradients_zeroed(reader: Reader, step: events.GradientsZeroed, tell: Telling) -> None:
    """zero_grad() or ``t.grad = None``."""
    text = reader.text(step.span) or "zero_grad()"
    if text.endswith(".grad`"):
        text = f"`{text.strip('`')} = None`"  # an assignment's span is its target
    if not step.tensors:
        tell.say(f"{text} finds no gradient to clear.", Claim("kind", text="gradients_zeroed"))
        return
    names = listed([reader.gradient(tensor) for tensor in step.tensors])
    verb = "is" if len(step.tensors) == 1 else "are"
    if step.to_none:
        tell.say(
            f"{text} clears what earlier passes left: {names} {verb} None again.",
            *[Claim("grad_none", tensor=t) for t in step.tensors],
        )
    else:
        tell.say(
            f"{text} sets {names} to 0: a number, where None would mean that no gradient came.",
            *[Claim("grad_zero", tensor=tensor) for tensor in step.tensors],
        )


def gradient_set(reader: Reader, step: events.GradientSet, tell: Telling) -> None:
    """``t.grad = g``."""
    name = reader.gradient(step.tensor)
    was = "None" if step.old is None else shown(step.old)
    tell.say(
        f"{name} is set by hand: {was} → {shown(step.value)}. The next step() uses it, the next backward() adds to it.",
        Claim("gradient", tensor=step.tensor, text=step.value.text),
    )


def optimizer_stepped(reader: Reader, step: events.OptimizerStepped, tell: Telling) -> None:
    """Parameters changed."""
    moved = [change for change in step.changes if change.before != change.after]
    still = [change for change in step.changes if change.gradient is None]
    if not moved:
        tell.say(f"{step.optimizer} steps, and no parameter changes.", Claim("moved", number=0))
    elif len(moved) == 1:
        tell.say(f"{step.optimizer} moves {change_text(reader, step, moved[0])}.", *change_claims(moved[0]))
    else:
        tell.say(
            f"{step.optimizer} moves {reader.list([change.tensor for change in moved])}.",
            Claim("moved", number=len(moved)),
        )
        for change in moved[:MOST]:
            tell.say(f"{change_text(reader, step, change)}.", *change_claims(change))
    own = re.search(rf"\bclass\s+{re.escape(step.optimizer)}\b", reader.trace.code)
    if moved and not own and step.optimizer not in reader.explained and (how := explained(step.optimizer)):
        tell.say(how, Claim("optimizer", text=step.optimizer))
        if update_told := settings_text(step):
            tell.say(f"Here {update_told}.", *setting_claims(step))
        reader.explained.add(step.optimizer)
    changed_rate(reader, step, tell)
    spoiled(reader, step, tell)
    if len(moved) == 1 and (update := plain_update(step, moved[0])) is not None:
        tell.formula = formulas.equals(update, formulas.number(moved[0].after.text))
    flat = [change for change in step.changes if change.gradient is not None and change.before == change.after]
    if flat:
        names, one = reader.list([change.tensor for change in flat]), len(flat) == 1
        zero = all(change.gradient is not None and is_zero(change.gradient) for change in flat)
        why = f": {'its gradient is' if one else 'their gradients are'} 0" if zero else ""
        tell.say(
            f"{names} {'stays' if one else 'stay'} as {'it was' if one else 'they were'}{why}.",
            *[Claim("unmoved", tensor=change.tensor, number=0 if zero else None) for change in flat],
        )
    if still:
        names = reader.list([change.tensor for change in still])
        verb = "has" if len(still) == 1 else "have"
        them = "it" if len(still) == 1 else "them"
        tell.say(
            f"{names} {verb} no gradient (.grad is None), so the optimizer leaves {them} alone.",
            *[Claim("grad_none", tensor=change.tensor) for change in still],
        )


def spoiled(reader: Reader, step: events.OptimizerStepped, tell: Telling) -> None:
    """The nodes that the last pass kept for another one, and that saved what the update has changed."""
    state = reader.state
    changed = {change.tensor for change in step.changes if change.before != change.after}
    kept = [node for node in state.ran if node not in state.freed and node not in state.finished]
    held = [
        Claim("outdated", node=node, tensor=saved.tensor)
        for node in kept
        for saved in reader.trace.nodes[node].saved
        if saved.tensor is not None and state.storage.get(saved.tensor, saved.tensor) in changed
    ]
    if held:
        nodes = list(dict.fromkeys(claim.node for claim in held if claim.node is not None))
        what = reader.list([claim.tensor for claim in held if claim.tensor is not None])
        has, them = ("has", "it") if len(nodes) == 1 else ("have", "any of them")
        tell.say(
            f"{listed([reader.of_line(node) for node in nodes])} {has} kept {what} for another pass, and this step has "
            f"changed that: backward through {them} will raise.",
            *held,
        )


def telling_settings(step: events.OptimizerStepped) -> dict[str, float]:
    """The settings that are numbers other than 0, and no details of arithmetic (``eps``)."""
    numbers = {name: value for name, value in step.settings.items() if isinstance(value, float | int)}
    return {name: value for name, value in numbers.items() if value and not isinstance(value, bool) and name != "eps"}


def settings_text(step: events.OptimizerStepped) -> str:
    """``lr = 0.1 and momentum = 0.9``."""
    return listed([f"`{name} = {spelled(value)}`" for name, value in telling_settings(step).items()])


def setting_claims(step: events.OptimizerStepped) -> list[Claim]:
    """That the optimizer was made with these settings."""
    return [Claim("setting", number=value, text=name) for name, value in telling_settings(step).items()]


def changed_rate(reader: Reader, step: events.OptimizerStepped, tell: Telling) -> None:
    """The learning rate, where something (a scheduler, as a rule) changed it since these parameters' last step."""
    rate = step.settings.get("lr")
    if isinstance(rate, bool) or not isinstance(rate, float | int):
        return
    whose = tuple(change.tensor for change in step.changes)
    before = reader.rates.get(whose)
    if before is not None and before != rate:
        claim = Claim("rate", number=rate, text=spelled(before))
        by = reader.set_by.get(whose[0]) if whose else None
        if by is not None and by.span is not None and any(change.after == rate for change in by.changes):
            set_by = f", set by {by.scheduler} on line {by.span.line}"
            tell.say(
                f"The learning rate is {spelled(rate)} now{set_by}; at the step before it was {spelled(before)}.",
                claim,
                Claim("rate_set_by", tensor=whose[0], number=by.span.line, text=by.scheduler),
            )
        else:
            tell.say(
                f"The learning rate is {spelled(rate)} by now; at the step before it was {spelled(before)}.", claim
            )
    reader.rates[whose] = rate


@functools.cache
def explained(optimizer: str) -> str:
    """How PyTorch's optimizer of that name finds its steps: the first paragraph of its own description."""
    declared = getattr(optim, optimizer, None)
    known = isinstance(declared, type) and issubclass(declared, optim.Optimizer) and declared is not optim.Optimizer
    documented = inspect.getdoc(declared) if known and not optimizer.startswith("_") else None
    told = first_sentences(documented or "")
    lowered = f"{told[:1].lower()}{told[1:]}" if told.partition(" ")[0] in ("Steps", "Like") else told
    return f"{optimizer}: {lowered}" if told else ""


def change_text(reader: Reader, step: events.OptimizerStepped, change: events.ParameterChange) -> str:
    """``w: 3 − 0.1 · 5 = 2.5`` where that is all the optimizer does, else before and after."""
    label = reader.label(change.tensor)
    update = plain_update(step, change)
    if update is not None:
        return f"{label}: `{formulas.plain(update)} = {shown(change.after)}`"
    return f"{label}: {shown(change.before)} → {shown(change.after)}"


def plain_update(step: events.OptimizerStepped, change: events.ParameterChange) -> Formula | None:
    """before − lr · gradient, for SGD without momentum or decay on few numbers; None where that is not what happened.

    A parameter's group may have a learning rate of its own.
    """
    settings = step.settings
    if step.optimizer != "SGD" or any(settings.get(name) for name in ("momentum", "weight_decay", "maximize")):
        return None
    gradient, rate = change.gradient, settings.get("lr")
    if gradient is None or rate is None or not is_spelled(change.before) or not is_spelled(gradient):
        return None
    product = formulas.operator("·", formulas.number(spelled(rate)), formulas.number(gradient.text))
    update = formulas.operator("−", formulas.number(change.before.text), product)
    after = numbers_of(change.after)
    return update if after is not None and formulas.gives(update, after, 2e-3) else None


def change_claims(change: events.ParameterChange) -> tuple[Claim, ...]:
    """That the parameter holds its new value."""
    return (Claim("value", tensor=change.tensor, text=change.after.text),)
