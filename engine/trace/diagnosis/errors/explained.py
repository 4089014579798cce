"""What an error of PyTorch's comes from: the guilty lines, versions and passes, and the change that mends it."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Callable

from engine.trace.diagnosis.answer import Answer, Found
from engine.trace.diagnosis.calls import assigned_to
from engine.trace.diagnosis.errors.freed import graph_freed
from engine.trace.diagnosis.errors.in_place import leaf_written, modified
from engine.trace.diagnosis.errors.python_calls.arguments import unfitting
from engine.trace.diagnosis.errors.python_calls.methods import no_function, uncalled
from engine.trace.diagnosis.errors.python_calls.returned import of_another_kind
from engine.trace.diagnosis.errors.python_calls.unpacking import unmatched
from engine.trace.diagnosis.errors.refusals import (
    flag_of_a_result,
    input_untracked,
    made_in_inference,
    no_parameters,
    no_path,
    no_tensor,
    not_a_leaf,
)
from engine.trace.diagnosis.errors.refused_calls.by_phrase import refused_for
from engine.trace.diagnosis.errors.refused_calls.call import Call
from engine.trace.diagnosis.errors.returned_gradients import wrong_shape
from engine.trace.diagnosis.errors.signs import told_by
from engine.trace.diagnosis.errors.untracked_roots import why_untracked
from engine.trace.diagnosis.flow import called
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.mistakes.schedulers import TOO_FAR, at_wrong_pace
from engine.trace.diagnosis.mistakes.scores import not_probabilities
from engine.trace.diagnosis.tensors.constants import after_pass
from engine.trace.diagnosis.tensors.gradients import why_no_grad
from engine.trace.marks import code
from engine.trace.parts import Span
from engine.trace.state import State


def why_error(history: History, state: State) -> tuple[int | None, Answer]:
    """(tensor it is about, answer) for the error that ended the run.

    ``state`` is the replay's last moment.
    """
    message = history.trace.outcome.message
    for phrase, explain in EXPLAINED:
        if phrase in message:
            found = explain(history, state)
            if found is not None:
                return found
    return refused_for(history) or as_it_says(history)


def as_it_says(history: History) -> tuple[int | None, Answer]:
    """The error's own words, where they say all there is to say, and the advice."""
    outcome = history.trace.outcome
    where = f"Line {outcome.span.line}" if outcome.span is not None else "The snippet"
    said = GLUED.sub(". ", " ".join(outcome.message.strip().split("\n")[0].split())).rstrip(" .,:")
    if outcome.status == "limit":
        return None, Answer("limit", f"{said}, on {where[0].lower()}{where[1:]}.", outcome.advice, None, outcome.span)
    cause = told_by(outcome.error or "", said)
    text = f"{where} raises {outcome.error or 'an error'}{': ' + said if said else ''}.{given_here(history)}"
    return None, Answer(cause, text, outcome.advice or UNSAID.get(cause, ""), history.last, outcome.span)


def given_here(history: History) -> str:
    """A sentence on the shapes of what a refused call was given."""
    refused = history.trace.outcome.refused
    if refused is None or history.trace.outcome.error not in (
        "RuntimeError",
        "ValueError",
        "IndexError",
        "AssertionError",
    ):
        return ""
    call = Call(history, refused)
    told = list(dict.fromkeys(map(call.told, call.tensors)))[:3]
    return f" Given here: {', and '.join(told)}." if told else ""


GLUED = re.compile(r"(?<=[a-z]{3})\.(?=(?:You|See|This|If|The|Please|It|Use)\b)")
"""Where PyTorch leaves out the space between two sentences, so that they look like one dotted name."""
UNSAID = {
    "shape_mismatch": "Print the shapes of what goes in (`print(x.shape)`) and compare them with what is expected here.",
    "dtype_mismatch": "Print the types of what goes in (`print(x.dtype)`) and bring them together with `.float()` or `.to()`.",
}
"""What to do where the advice has nothing more exact to say."""


# ── where backward starts ────────────────────────────────────────────────────────────────────────────────────────────


def not_scalar(history: History, state: State) -> Found:
    """backward() from several numbers."""
    outcome = history.trace.outcome
    tensor = _root(history)
    label = history.label(tensor) if tensor is not None else "the tensor"
    name = (history.expression(tensor) if tensor is not None else None) or "loss"
    shape = f" of shape {history.trace.tensors[tensor].shape}" if tensor is not None else ""
    kept = unreduced(history, tensor) if tensor is not None else None
    fix = f"Reduce first: `{name}.sum().backward()` or `{name}.mean().backward()`; or pass `gradient=` with its shape."
    asked = ""
    if kept is not None:
        asked = f", one for each element, as {history.quoted(kept)} on line {kept.line} asks for"
        if tensor is not None and _is_call(history.text(history.trace.tensors[tensor].span)):
            fix = f"Leave `reduction` out (then it is the mean), or reduce yourself: `{name}.mean().backward()`."
    text = f"{label} holds several numbers{shape}{asked}, and backward() has to start from one."
    return tensor, Answer("not_scalar", text, fix, history.last, outcome.span)


def _is_call(text: str) -> bool:
    """Whether some source is one call and nothing more: what that returns is not computed with any further."""
    try:
        return isinstance(ast.parse(text, mode="eval").body, ast.Call)
    except SyntaxError:
        return False


def unreduced(history: History, tensor: int) -> Span | None:
    """The call that asks for ``reduction="none"``, where a loss that it made or gave is what the tensor is."""
    for node in history.nodes:
        if not isinstance(node, ast.Call):
            continue
        asked = [k.value for k in node.keywords if k.arg == "reduction"]
        if not asked or not isinstance(asked[0], ast.Constant) or asked[0].value != "none":
            continue
        place, made = history.source.span(node), history.trace.tensors[tensor].span
        name = assigned_to(history, node)
        if made == place or (name is not None and history.text(made).startswith(f"{name}(")):
            return place
    return None


def root_untracked(history: History, state: State) -> Found:
    """backward() from a tensor without history: the first departure behind it."""
    tensor = _root(history)
    if tensor is None:
        return None
    task = history.passes[-1] if history.passes else None
    if history.tracked(tensor, history.last) and task is not None and not task.recorded:
        return None, after_pass(history, task, "What the pass should start from has no history")
    return tensor, why_untracked(history, tensor)


def _root(history: History) -> int | None:
    """The tensor that the failing call started from, by the name in the source."""
    text = history.text(history.trace.outcome.span)
    found = re.match(r"(?:torch\.)?(?:autograd\.)?(?:backward|grad)\(\s*([\w.\[\]]+)", text) or re.match(
        r"([\w.\[\]]+)(?:\.\w+\([^()]*\))*\.backward\(", text
    )
    if found:
        tensor = history.named(found.group(1))
        if tensor is not None and ".backward" in text and text.startswith(f"{found.group(1)}.backward"):
            return tensor
        if tensor is not None and ".backward" not in text:
            return tensor
    last = max(history.made, key=lambda made: history.made[made], default=None)
    event = history.event.get(last) if last is not None else None
    if event is None:
        return last
    same = (event.operator, event.span, event.inputs)  # of several results of one call, the first is handed on
    return min(t for t, other in history.event.items() if (other.operator, other.span, other.inputs) == same)


# ── a gradient that is not there ──────────────────────────────────────────────────────────────────────────────────────


def empty_grad(history: History, state: State) -> Found:
    """``w.grad.zero_()`` or ``lr * w.grad`` while ``w.grad`` is None: why it is."""
    outcome = history.trace.outcome
    if outcome.span is None:
        return None
    for name in re.findall(r"([A-Za-z_][\w.\[\]'\"]*)\.grad\b", history.source.lines[outcome.span.line - 1]):
        tensor = history.attribute_of_self(name)
        tensor = history.named(name) if tensor is None else tensor
        if tensor is None or history.grad(tensor, history.last) is not None:
            continue
        answer = why_no_grad(history, tensor, history.last)
        early = clears_first(history, outcome.span) if answer.cause == "backward_not_called" else None
        return tensor, Answer(
            answer.cause,
            f"{code(name)}.grad is None on line {outcome.span.line}. {answer.text}",
            f"Clear only what is there: `if {name}.grad is not None: {early}`." if early else answer.fix,
            history.last,
            outcome.span if answer.cause == "backward_not_called" else answer.span,
        )
    return None


def clears_first(history: History, span: Span) -> str:
    """The statement on a line that clears a gradient in place, where the pass that makes one is yet to come in the same turn."""
    later = any(
        isinstance(node, ast.Call) and called(node.func) == "backward" and node.lineno > span.line
        for node in history.nodes
    )
    for node in history.nodes:
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="zero_"))) if later and node.lineno == span.line:
                return ast.unparse(node)
            case _:
                pass
    return ""


def schedule_over(history: History, state: State) -> Found:
    """A schedule was moved on after its end: what it was planned for, and how often it moves."""
    answer = at_wrong_pace(history)
    return None if answer is None else (None, dataclasses.replace(answer, step=history.last))


Explainer = Callable[[History, State], Found]

EXPLAINED: tuple[tuple[str, Explainer], ...] = (
    ("backward through the graph a second time", graph_freed),
    ("modified by an inplace operation", modified),
    ("leaf Variable that requires grad is being used in an in-place operation", leaf_written),
    ("grad can be implicitly created only for scalar outputs", not_scalar),
    ("does not require grad and does not have a grad_fn", root_untracked),
    ("all elements of input should be between 0 and 1", not_probabilities),
    ("can't optimize a non-leaf Tensor", not_a_leaf),
    ("can only change requires_grad flags of leaf", flag_of_a_result),
    ("appears to not have been used in the graph", no_path),
    ("differentiated Tensors does not require grad", input_untracked),
    ("got an empty parameter list", no_parameters),
    ("returned an invalid gradient at index", wrong_shape),
    ("Inference tensors cannot be saved for backward", made_in_inference),
    (TOO_FAR, schedule_over),
    ("values to unpack", unmatched),
    ("'builtin_function_or_method'", uncalled),
    ("'method'", uncalled),
    ("object is not callable", no_function),
    (" required ", unfitting),
    ("unexpected keyword argument", unfitting),
    ("were given", unfitting),
    ("was given", unfitting),
    ("NoneType", empty_grad),
    ("'NoneType'", of_another_kind),
    ("'tuple'", of_another_kind),
    ("object has no attribute", no_tensor),
    ("object is not", no_tensor),
    ("must be Tensor, not", no_tensor),
)
"""By the key phrase of PyTorch's message."""
