"""Claims about the program: lines, names, modes, output, and how the run ends."""

from __future__ import annotations

import numpy as np

from engine.trace import events
from engine.trace.agreement import close, numbers_of
from engine.trace.claims.registry import check
from engine.trace.parts import Claim
from engine.trace.state import State
from engine.trace.values import spelled


@check("line")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return step.span is not None and step.span.line == claim.number


@check("times")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    earlier = state.trace.steps[: state.step + 1]
    if not isinstance(step, events.Line) or step.times != claim.number:
        return False
    lines = sum(isinstance(other, events.Line) and other.span == step.span for other in earlier)
    unseen = sum(other.statements for other in earlier if isinstance(other, events.StepsLeftOut))
    return lines <= step.times <= lines + unseen


@check("scope")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return state.trace.scopes[step.scope].title == claim.text


@check("names")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return state.names.get((state.holder(step.scope), str(claim.text))) == claim.tensor


@check("unnamed")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return (state.holder(step.scope), claim.text) not in state.names


@check("mode")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    modes = {"grad": state.grad_enabled, "inference": state.inference}
    if not isinstance(step, events.ModeChanged) or step.mode != claim.text or int(step.enabled) != claim.number:
        return False
    return modes.get(step.mode, step.enabled) == step.enabled


@check("printed")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return isinstance(step, events.Printed) and (step.stream == "stderr" or step.output in state.trace.stdout)


@check("warned")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return isinstance(step, events.Warned) and step.message == claim.text


@check("kind")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return step.__struct_config__.tag == claim.text


@check("outcome")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return state.step == len(state.trace.steps) - 1 and state.trace.outcome.status == claim.text


@check("folded")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return state.trace.folded == claim.number


@check("left_out")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return isinstance(step, events.StepsLeftOut) and step.statements == claim.number


@check("printed_unkept")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    if not isinstance(step, events.StepsLeftOut) or not step.output:
        return False
    return step.output in state.trace.stdout and step.output.count("\n") == claim.number


@check("passes_left_out")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return isinstance(step, events.StepsLeftOut) and step.passes == claim.number


@check("optimizer")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return isinstance(step, events.OptimizerStepped) and step.optimizer == claim.text


@check("mapped")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """vmap takes as many slices of that tensor along that dimension."""
    if not isinstance(step, events.Mapped) or claim.tensor is None or not isinstance(claim.number, int):
        return False
    shape = state.trace.tensors[claim.tensor].shape
    pairs = zip(step.tensors, step.dims, strict=True)
    return (claim.tensor, claim.number) in pairs and str(shape[claim.number]) == claim.text == str(step.size)


@check("slice")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """What was made is that example's slice of the tensor along that dimension."""
    if not isinstance(step, events.TensorMade) or claim.tensor is None or not isinstance(claim.number, int):
        return False
    batch = state.value(claim.tensor)
    whole, part = numbers_of(batch) if batch is not None else None, numbers_of(step.value)
    if whole is None or part is None:
        return True
    return close(np.take(whole, int(claim.text or 0) - 1, axis=claim.number), part)


@check("copied_for_transform")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """A leaf that no source made holds what an untracked tensor of its name holds."""
    if claim.tensor is None or not isinstance(claim.number, int):
        return False
    copy, given = state.trace.tensors[claim.tensor], state.trace.tensors[claim.number]
    same = copy.label == given.label and state.value(claim.tensor) == state.value(claim.number)
    return same and copy.span is None and state.tracked(claim.tensor) and not state.tracked(claim.number)


@check("outdated")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """The node was not freed, and what it saved lies in the storage of a parameter that this step changed."""
    if not isinstance(step, events.OptimizerStepped) or claim.node is None or claim.tensor is None:
        return False
    saved = any(entry.tensor == claim.tensor for entry in state.trace.nodes[claim.node].saved)
    owner = state.storage.get(claim.tensor, claim.tensor)
    return (
        saved
        and claim.node not in state.freed
        and any(change.tensor == owner and change.before != change.after for change in step.changes)
    )


@check("setting")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return isinstance(step, events.OptimizerStepped) and step.settings.get(str(claim.text)) == claim.number


@check("rate")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """The learning rate is this one, and at the last step of the same parameters it was another."""
    if not isinstance(step, events.OptimizerStepped) or step.settings.get("lr") != claim.number:
        return False
    whose = [change.tensor for change in step.changes]
    earlier = [
        other.settings.get("lr")
        for other in state.trace.steps[: state.step]
        if isinstance(other, events.OptimizerStepped) and [change.tensor for change in other.changes] == whose
    ]
    return bool(earlier) and earlier[-1] != claim.number and spelled(float(earlier[-1] or 0)) == claim.text


@check("moved")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """So many parameters hold something else than before."""
    if not isinstance(step, events.OptimizerStepped):
        return False
    return sum(change.before != change.after for change in step.changes) == claim.number


@check("unmoved")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """The parameter holds what it held, though it has a gradient (of 0, if that is said)."""
    if not isinstance(step, events.OptimizerStepped):
        return False
    change = next((change for change in step.changes if change.tensor == claim.tensor), None)
    if change is None or change.gradient is None or change.before != change.after:
        return False
    return claim.number is None or all(element == 0 for element in change.gradient.data or [1])


@check("recording")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """Switching a module's mode leaves recording as it was."""
    return isinstance(step, events.ModeChanged) and step.mode == "training" and int(state.grad_enabled) == claim.number


@check("unsaid")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """Words are missing: this step's, or at the end any."""
    return any(gap.step in (None, state.step) for gap in state.trace.unsaid) or isinstance(step, events.Ended)


@check("advised")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """What is to be done is what the error's own reason says, if one was found."""
    outcome = state.trace.outcome
    fixes = [reason.fix for reason in state.trace.reasons if reason.about == "error"]
    told = outcome.advice in step.detail and outcome.status == claim.text != "ok"
    return told and (not fixes or any(fix in outcome.advice for fix in fixes))
