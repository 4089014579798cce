"""A pass that starts from a tensor without history: which tensor was meant to be differentiated by, where the code tells."""

from __future__ import annotations

import ast

from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.calls import OPTIMIZERS, calls_of, ran
from engine.trace.diagnosis.flow import path
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.tensors.departures import is_real, untracked


def why_untracked(history: History, root: int) -> Answer:
    """Why nothing tracked leads to the root of a pass: a departure, or what was left out or never asked for."""
    what = "has no history, so backward() cannot start from it"
    answer = untracked(history, root, history.last, what)
    if answer.cause not in ("requires_grad_false", "frozen"):
        return answer
    label = history.label(root)
    return optimized(history, root, f"{label} {what}") or left_out(history, root, f"{label} {what}") or answer


def optimized(history: History, root: int, sentence: str) -> Answer | None:
    """An optimizer was given a tensor that the root was computed from and that was made without requires_grad."""
    for statement, call in calls_of(history, OPTIMIZERS):
        if not ran(history, statement) or not call.args or not isinstance(call.args[0], ast.List | ast.Tuple):
            continue
        for part in call.args[0].elts:
            leaf = history.named(path(part)) if isinstance(part, ast.Name | ast.Attribute) else None
            if leaf is None or leaf not in history.ancestors(root) or not is_real(history, leaf):
                continue
            if history.inputs[leaf] or history.switched[leaf] or history.tracked(leaf, history.last):
                continue
            name, made = history.label(leaf), history.made.get(leaf)
            return Answer(
                "requires_grad_false",
                f"{sentence}: {name}, which the optimizer made on line {call.lineno} is to change, was made without "
                f"requires_grad=True on {history.line_of(made)}.",
                f"Create {name} with requires_grad=True, or call {name}.requires_grad_() first.",
                made,
                history.trace.tensors[leaf].span,
            )
    return None


def left_out(history: History, root: int, sentence: str) -> Answer | None:
    """The tracked result that has a name, was computed before the root at the same place in the program, and is unused."""
    scopes = {history.trace.steps[step].scope for step, _ in history.bound[root]}
    before = history.made.get(root, 0)
    unused = [
        tensor
        for tensor, made in history.made.items()
        if made < before and not history.users[tensor] and history.trace.tensors[tensor].grad_fn is not None
        if scopes & {history.trace.steps[step].scope for step, _ in history.bound[tensor]}
    ]
    if not unused:
        return None
    return Answer(
        "root_untracked",
        f"{sentence}: {history.quoted(history.trace.tensors[root].span)} on {history.line_of(before)} does not use "
        f"{history.label(unused[-1])} ({history.line_of(history.made[unused[-1]])}), which does have a history.",
        f"Use {history.label(unused[-1])} itself in the computation of {history.label(root)}.",
        before,
        history.trace.tensors[root].span,
    )
