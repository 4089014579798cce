"""What PyTorch and Python refuse at once: no leaf for an optimizer, no path to an input, no tensor where one is wanted."""

from __future__ import annotations

import ast

from engine.trace import events
from engine.trace.diagnosis.answer import Answer, Found
from engine.trace.diagnosis.errors.refused_calls.call import Call
from engine.trace.diagnosis.flow import called
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.mistakes.registration import plain_attribute
from engine.trace.diagnosis.tensors.departures import departure, frozen, untracked
from engine.trace.diagnosis.tensors.gradients import unreached
from engine.trace.diagnosis.tensors.lost_leaves import leaf_lost
from engine.trace.marks import code
from engine.trace.parts import Span
from engine.trace.state import State


def not_a_leaf(history: History, state: State) -> Found:
    """An optimizer was given a result: which of its arguments, and where the name lost its leaf."""
    refused = history.trace.outcome.refused
    handed = Call(history, refused).tensors if refused is not None else []
    named = named_in(history, history.trace.outcome.span)
    given = [tensor for tensor in (*named, *handed) if not history.is_leaf(tensor, history.last)]
    if not given:
        return None
    tensor, span = given[0], history.trace.tensors[given[0]].span
    lost, line = leaf_lost(history, tensor), history.line_of(history.made.get(tensor))
    return tensor, Answer(
        "not_a_leaf" if lost is None else lost.cause,
        f"{history.label(tensor)} is {_result(history, tensor)} ({line}), and an optimizer "
        "takes leaves only: what it changes must be what you made, not what was computed from it.",
        "Finish the tensor first and ask for gradients last: requires_grad_() on the finished one, or nn.Parameter(…)."
        if lost is None
        else lost.fix,
        history.made.get(tensor) if lost is None else lost.step,
        span if lost is None else lost.span,
    )


def _result(history: History, tensor: int) -> str:
    """What made a result, for a sentence on it; of one that is called by what made it, that it is one."""
    text = history.quoted(history.trace.tensors[tensor].span)
    return "a result" if text == history.label(tensor) else f"the result of {text or 'an operation'}"


def flag_of_a_result(history: History, state: State) -> Found:
    """requires_grad of a result was changed."""
    outcome = history.trace.outcome
    for tensor in named_in(history, outcome.span):
        if not history.is_leaf(tensor, history.last):
            span, line = history.trace.tensors[tensor].span, history.line_of(history.made.get(tensor))
            return tensor, Answer(
                "not_a_leaf",
                f"{history.label(tensor)} is the result of {history.quoted(span) or 'an operation'} ({line}): whether it "
                "requires grad follows from what it was computed from, and only leaves can be switched.",
                outcome.advice,
                history.last,
                outcome.span,
            )
    return None


def no_path(history: History, state: State) -> Found:
    """autograd.grad() was asked for a tensor that its outputs do not depend on: which one, and where the way ends."""
    span, index = (
        history.trace.outcome.span,
        "".join(filter(str.isdigit, history.trace.outcome.message.split("appears")[0])),
    )
    inputs = asked_for(history)
    if not index or int(index) >= len(inputs) or not history.passes:
        return None
    tensor = inputs[int(index)]
    if tensor is None:
        return None
    answer = unreached(history, tensor, history.passes[-1])
    here = answer.cause in ("not_used", "not_reached")
    may = here or answer.cause == "branch_not_taken"
    fix = f"{answer.fix} Or pass `allow_unused=True`: then grad() gives None for it." if may else answer.fix
    return tensor, Answer(answer.cause, answer.text, fix, history.last, span if here else answer.span)


def asked_for(history: History) -> list[int | None]:
    """What the failing autograd.grad() was to differentiate with respect to: as its pass says, else as it is written."""
    last = history.passes[-1] if history.passes else None
    if last is not None and last.inputs and history.trace.steps[last.start].span == history.trace.outcome.span:
        return list(last.inputs)
    for node in history.nodes:
        span = history.trace.outcome.span
        if not isinstance(node, ast.Call) or called(node.func) != "grad" or history.source.span(node) != span:
            continue
        given = next(
            (k.value for k in node.keywords if k.arg == "inputs"), node.args[1] if len(node.args) > 1 else None
        )
        match given:
            case None:
                return []
            case ast.List(elts=inputs) | ast.Tuple(elts=inputs):
                return [history.named(ast.unparse(one)) for one in inputs]
            case ast.Call(func=ast.Name(id="list" | "tuple"), args=[ast.Call() as inner]) | (ast.Call() as inner):
                return list(parameters_of(history, inner))
            case _:
                return [history.named(ast.unparse(given))]
    return []


def parameters_of(history: History, call: ast.Call) -> list[int]:
    """The parameters that ``net.parameters()`` gives."""
    if called(call.func) != "parameters" or not isinstance(call.func, ast.Attribute):
        return []
    owner = ast.unparse(call.func.value)
    rows = enumerate(history.trace.tensors)
    return [t for t, row in rows if row.role == "parameter" and row.label.startswith((f"{owner}.", f"{owner}["))]


def input_untracked(history: History, state: State) -> Found:
    """autograd.grad() was asked for a tensor that does not require grad: which one, and why it does not."""
    for tensor in asked_for(history):
        if tensor is not None and not history.tracked(tensor, history.last):
            what = "does not require grad, so nothing can be differentiated with respect to it"
            answer = untracked(history, tensor, history.last, what)
            return tensor, Answer(answer.cause, answer.text, answer.fix, history.last, answer.span)
    return None


def made_in_inference(history: History, state: State) -> Found:
    """A tensor from inference mode met one that requires grad: where it was made, and how to record there."""
    outcome = history.trace.outcome
    for tensor in Call(history, outcome.refused).tensors if outcome.refused is not None else ():
        ways = (history.left_with.get(ancestor) for ancestor in history.ancestors(tensor))
        steps = (history.trace.steps[step] for step in ways if step is not None)
        if any(isinstance(step, events.GraphLeft) and step.how == "inference_mode" for step in steps):
            span, line = history.trace.tensors[tensor].span, history.line_of(history.made.get(tensor))
            return tensor, Answer(
                "inference_mode",
                f"{history.label(tensor)} cannot be saved for backward: {history.quoted(span)} on {line} is computed in "
                "inference mode, and what is made there can never take part in a recorded computation.",
                outcome.advice,
                history.last,
                span,
            )
    return None


def no_parameters(history: History, state: State) -> Found:
    """An optimizer got an empty list: the model's layers are in a plain list, or all its parameters are switched off."""
    plain = plain_attribute(history)
    if plain is not None:
        attribute, (span, kind, better) = plain
        return None, Answer(
            "not_registered",
            f"{code(f'self.{attribute}')} is a plain {kind} (line {span.line}), so the module does not register what is in it, "
            "and `.parameters()` is empty.",
            f"Use `{better}` in place of the {kind}.",
            history.last,
            span,
        )
    off = [tensor for tensor, switches in history.switched.items() if switches and not switches[-1][1]]
    if off and "requires_grad" in history.text(history.statement(history.trace.outcome.span)):
        return off[0], frozen(history, off[0], history.last, "The optimizer gets no parameter that requires grad")
    return None


def no_tensor(history: History, state: State) -> Found:
    """A plain number, list or array stands where a tensor is wanted: where a tensor was turned into it."""
    span, message = history.trace.outcome.span, history.trace.outcome.message
    if message.startswith(("'Tensor'", "'NoneType'")):
        return None
    for index in range(history.last, -1, -1):
        left = history.trace.steps[index]
        if not isinstance(left, events.GraphLeft) or left.how not in ("item", "tolist", "numpy", "detach"):
            continue
        if left.span is not None and span is not None and history.flow.carries(left.span, span):
            sentence = f"Line {span.line} needs a tensor and gets something else: {{lost}}."
            return left.source, departure(history, index, sentence)
    return None


def named_in(history: History, span: Span | None) -> list[int]:
    """Tensors that stand by name in the source inside a span, in order."""
    found = []
    for node in history.nodes:
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and span is not None:
            place = history.source.span(node)
            inside = (span.line, span.column) <= (place.line, place.column) and (place.end_line, place.end_column) <= (
                span.end_line,
                span.end_column,
            )
            tensor = history.named(ast.unparse(node)) if inside else None
            if tensor is not None:
                found.append(tensor)
    return found
