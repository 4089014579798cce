"""Claims about what is done between passes: learning rates set, gradients clipped."""

from __future__ import annotations

import math

import numpy as np

from engine.trace import events
from engine.trace.agreement import close, numbers_of
from engine.trace.claims.registry import check
from engine.trace.parts import Claim
from engine.trace.state import State
from engine.trace.values import spelled


@check("schedule")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """It is that schedule's step, at that place of it; no number says that it begins."""
    if not isinstance(step, events.ScheduleStepped) or step.scheduler != claim.text:
        return False
    return claim.number in (None, step.count)


@check("schedule_set")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """A setting of that parameter's group went from one number to another."""
    return isinstance(step, events.ScheduleStepped) and any(
        claim.tensor in change.tensors
        and change.after == claim.number
        and f"{change.name} {spelled(float(change.before))}" == claim.text
        for change in step.changes
    )


@check("schedule_factor")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """Every learning rate that it changes is that many times what it was."""
    if not isinstance(step, events.ScheduleStepped) or claim.number is None:
        return False
    moved = [change for change in step.changes if change.name == "lr" and change.before != change.after]
    return bool(moved) and all(
        math.isclose(float(change.before) * float(claim.number), float(change.after))
        if change.before
        else claim.number == "inf"
        for change in moved
    )


@check("watched")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """It was told that number, which had not improved so often; the best is one that it was told."""
    if not isinstance(step, events.ScheduleStepped) or step.metric != claim.number:
        return False
    told = [
        other.metric
        for other in state.trace.steps[: state.step + 1]
        if isinstance(other, events.ScheduleStepped) and other.scheduler == step.scheduler
    ]
    unseen = any(isinstance(other, events.StepsLeftOut) for other in state.trace.steps[: state.step])
    return str(step.unimproved) == claim.text and (step.best in told or unseen or step.best in ("inf", "-inf"))


@check("schedule_setting")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return isinstance(step, events.ScheduleStepped) and step.settings.get(str(claim.text)) == claim.number


@check("rate_set_by")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """The last schedule that changed that parameter's learning rate did so on that line, to what it is."""
    if not isinstance(step, events.OptimizerStepped):
        return False
    setters = [
        (other, change)
        for other in state.trace.steps[: state.step]
        if isinstance(other, events.ScheduleStepped)
        for change in other.changes
        if change.name == "lr" and change.before != change.after and claim.tensor in change.tensors
    ]
    if not setters:
        return False
    last, change = setters[-1]
    where = last.span.line if last.span is not None else None
    return (last.scheduler, where, change.after) == (claim.text, claim.number, step.settings.get("lr"))


@check("clips")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """It is about so many gradients, all of which are there."""
    if not isinstance(step, events.GradientsClipped) or len(step.tensors) != claim.number:
        return False
    return all(state.grads.get(tensor) is not None for tensor in step.tensors)


@check("clip_norm")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """The norm is that of the gradients as they are."""
    if not isinstance(step, events.GradientsClipped) or step.norm != claim.number or step.norm is None:
        return False
    held = [state.grads.get(tensor) for tensor in step.tensors]
    arrays = [None if value is None else numbers_of(value) for value in held]
    known = [array.ravel() for array in arrays if array is not None]
    if step.norm_type is None or len(known) < len(arrays):  # it was given, or not all elements are in the trace
        return True
    return close(float(np.linalg.norm(np.concatenate(known), float(step.norm_type))), float(step.norm))


@check("clip_factor")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """Each gradient is multiplied by limit / norm, or by 1 where that is more."""
    if not isinstance(step, events.GradientsClipped) or step.factor != claim.number or step.factor is None:
        return False
    norm, factor = float(step.norm or 0), float(step.factor)
    if math.isnan(norm):
        return math.isnan(factor)
    return close(factor, min(1.0, float(step.limit) / (norm + 1e-6)))


@check("clip_beyond")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    """So many of so many elements of the gradients as they are lie beyond the limit."""
    if not isinstance(step, events.GradientsClipped) or (step.beyond, str(step.elements)) != (claim.number, claim.text):
        return False
    held = [state.grads.get(tensor) for tensor in step.tensors]
    arrays = [None if value is None else numbers_of(value) for value in held]
    known = [array for array in arrays if array is not None]
    if len(known) < len(arrays):
        return True
    return sum(int((np.abs(array) > float(step.limit)).sum()) for array in known) == step.beyond
