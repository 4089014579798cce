"""Claims about the program: lines, names, modes, output, and how the run ends."""

from __future__ import annotations

from engine.trace import events
from engine.trace.claims.registry import check
from engine.trace.parts import Claim
from engine.trace.state import State


@check("line")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return step.span is not None and step.span.line == claim.number


@check("times")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    earlier = state.trace.steps[: state.step + 1]
    lines = [other for other in earlier if isinstance(other, events.Line) and other.span == step.span]
    return isinstance(step, events.Line) and len(lines) == claim.number == step.times


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
    told = isinstance(step, events.ModeChanged) and step.mode == claim.text and int(step.enabled) == claim.number
    return told and modes.get(str(claim.text), step.enabled) == step.enabled  # type: ignore[union-attr]


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


@check("optimizer")
def _(state: State, step: events.Step, claim: Claim) -> bool:
    return isinstance(step, events.OptimizerStepped) and step.optimizer == claim.text
