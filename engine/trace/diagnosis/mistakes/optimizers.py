"""Which parameters optimizers have, which passes reach, and where the two disagree."""

from __future__ import annotations

import ast
import re

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.calls import OPTIMIZERS, assigned_to, calls_of, last_part, ran
from engine.trace.diagnosis.flow import called, path
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.mistakes.lost_history import cut_off
from engine.trace.diagnosis.mistakes.registration import unregistered
from engine.trace.diagnosis.tensors.branches import branch_not_taken, chosen_by_number
from engine.trace.diagnosis.tensors.departures import untracked
from engine.trace.enclosing import around
from engine.trace.narration.amounts import listed
from engine.trace.parts import Span
from engine.trace.spans import within

SHOWN = 4
"""Parameters that a fix spells out."""


def where_made(history: History, step: events.OptimizerStepped) -> Span | None:
    """Where the optimizer of a step was constructed: what its variable was assigned, or the only call of its class."""
    calls = [n for n in history.nodes if isinstance(n, ast.Call) and called(n.func) == step.optimizer]
    owner = history.text(step.span).partition(".step")[0]
    assigned = [
        node.value
        for node in history.nodes
        if isinstance(node, ast.Assign) and node.value in calls and owner in map(path, node.targets)
    ]
    found = assigned or calls
    return history.source.span(found[-1]) if len(found) == 1 or assigned else None


def left_out(history: History) -> list[tuple[int, Answer]]:
    """At the end: parameters that optimizers and passes do not agree on."""
    folded = bool(history.trace.folded)
    if folded and not alone(history):
        return []
    if not history.steps:
        return [] if folded else unused_without_optimizer(history)
    held = {change.tensor for _, step in history.steps for change in step.changes}
    reached = {tensor for known in (history.stored, history.set) for tensor, filled in known.items() if filled}
    last, _ = history.steps[-1]
    rows = history.trace.tensors
    never = [tensor for tensor in sorted(held) if tensor not in reached and history.tracked(tensor, history.last)]
    waiting = [
        tensor for tensor in sorted(reached - held) if history.stored[tensor] and history.stored[tensor][0][0] < last
    ]
    missing = [
        tensor
        for tensor in waiting
        if (history.bound[tensor] or rows[tensor].names)
        and (rows[tensor].role == "parameter" or never == sorted(held) or forgotten_leaf(history, tensor))
    ]
    cut = [] if folded else cut_off(history, [t for t in never if not passed_over(history, t)], "in the optimizer")
    found = [(group[0], answer) for group, answer in cut]
    if never == sorted(held) and named_alike(history, never, missing):
        return [replaced(history, never, missing)]
    if found and never == sorted(held):
        return found
    never = [tensor for tensor in never if not any(tensor in group for group, _ in cut)]
    if never and missing and never == sorted(held):
        return [replaced(history, never, missing)]
    renamed = {name for tensor in missing for name in rows[tensor].names}
    old = [tensor for tensor in never if renamed & set(rows[tensor].names)]
    if old:
        new = [tensor for tensor in missing if any(set(rows[tensor].names) & set(rows[other].names) for other in old)]
        found.append(replaced(history, old, new))
        never, missing = ([t for t in group if t not in (*old, *new)] for group in (never, missing))
    found += [idle(history, tensor) for tensor in sorted(held) if never_learns(history, tensor)]
    unused = [t for t in never if not passed_over(history, t) and not differentiated_away(history, t)]
    if unused and reached and not folded:
        found.append(no_loss_has(history, unused, history.steps[0][0]))
    for group, answer in unregistered(history, held, missing):
        found.append((group[0], answer))
        missing = [tensor for tensor in missing if tensor not in group]
    missing = [tensor for tensor in missing if not waits(history, tensor)]
    if missing and not feeds(history, held, missing):
        found.append(never_given(history, missing))
    return found


def named_alike(history: History, old: list[int], new: list[int]) -> bool:
    """Whether leaves have taken over the names of others: ``w = w.double().detach().requires_grad_()``."""
    names = [{name for tensor in group for name in history.trace.tensors[tensor].names} for group in (old, new)]
    return bool(names[0] & names[1])


def never_learns(history: History, tensor: int) -> bool:
    """Whether an optimizer was given a plain tensor that never requires grad and that a loss is computed from."""
    if history.trace.tensors[tensor].role != "constant" or history.switched[tensor] or history.set[tensor]:
        return False
    return any(tensor in history.ancestors(root) for task in history.passes for root in task.roots)


def idle(history: History, tensor: int) -> tuple[int, Answer]:
    """A plain tensor in the optimizer that no pass fills."""
    answer = untracked(history, tensor, history.last, "is in the optimizer and no step changes it")
    return tensor, Answer(answer.cause, answer.text, answer.fix, history.steps[0][0], answer.span)


def alone(history: History) -> bool:
    """Whether the snippet makes one optimizer only and gives it nothing later: then every step of it shows all it has."""
    made = [call for _, call in calls_of(history, OPTIMIZERS)]
    return len(made) == 1 and "add_param_group" not in history.trace.code


def feeds(history: History, held: set[int], missing: list[int]) -> bool:
    """Whether the optimizer changes what goes into a model, and not the model: an image, a prompt, an attack."""
    roles = [{history.trace.tensors[tensor].role for tensor in group} for group in (held, missing)]
    if "parameter" in roles[0] or roles[1] != {"parameter"}:
        return False
    return all(any(held & set(history.ancestors(other)) for other in met(history, tensor)) for tensor in missing)


def met(history: History, tensor: int) -> list[int]:
    """What a parameter is combined with first, once it is turned as an operation wants it (``weight.t()``)."""
    found: list[int] = []
    for user in history.users[tensor]:
        others = [other for other in history.inputs[user] if other != tensor and not is_parameter(history, other)]
        found += others or met(history, user)
    return found


def is_parameter(history: History, tensor: int) -> bool:
    """Whether it is a parameter, or a parameter turned as an operation wants it."""
    inputs = history.inputs[tensor]
    return history.trace.tensors[inputs[0] if len(inputs) == 1 else tensor].role == "parameter"


def replaced(history: History, held: list[int], missing: list[int]) -> tuple[int, Answer]:
    """The optimizer holds tensors of before, the loss uses others."""
    first, step = history.steps[0]
    old, new = (listed([history.label(tensor) for tensor in group]) for group in (held, missing))
    one = len(missing) == 1
    again_made = old == new
    other, new = ("an older " + old, "the new " + new) if again_made else (old, new)
    text = (
        f"The optimizer holds {other}, which no backward pass has reached; {new} {'gets' if one else 'get'} the "
        f"gradients, and no optimizer has {'it' if one else 'them'}: nothing learns."
    )
    constructed = where_made(history, step)
    again = history.trace.tensors[missing[0]].span
    later = made_after(history, missing[0], constructed)
    aliases = {name: tensor for tensor in held for name in history.trace.tensors[tensor].names}
    new_names = [history.trace.tensors[tensor].label for tensor in missing]
    whole = [aliases[name] for name in new_names] if set(new_names) <= set(aliases) else missing
    call = beside(history, missing[0], constructed)
    behind = None if call is None else call.line
    place = call if call is not None and again == history.trace.tensors[held[0]].span else again
    return missing[0], Answer(
        "not_in_optimizer",
        text,
        f"Move line {constructed.line}, which makes the optimizer, behind line {behind or again.line}."
        if again_made and later and again is not None and constructed is not None
        else f"Make the optimizer after line {behind or again.line}, from {given_to(history, whole)}."
        if later and again is not None
        else f"Make the optimizer from what the loss is computed from: {given_to(history, missing)}.",
        first,
        place if later else constructed or step.span,
    )


def beside(history: History, tensor: int, constructed: Span | None) -> Span | None:
    """The call, beside the program's own construction of an optimizer, of a function that made a tensor."""
    if constructed is None:
        return None
    functions = (node for node in history.nodes if isinstance(node, ast.FunctionDef))
    if any(node.lineno <= constructed.line <= (node.end_lineno or node.lineno) for node in functions):
        return None
    rows = history.trace.scopes
    calls = [p for p in around(history.trace, history.trace.tensors[tensor].scope) if rows[p].kind == "function"]
    return rows[calls[-1]].span if calls else None


def given_to(history: History, tensors: list[int]) -> str:
    """What an optimizer is to be given so that it has these parameters, as code."""
    labels = [history.trace.tensors[tensor].label for tensor in tensors]
    models = {model_of(label) for label in labels}
    if (
        len(models) == 1
        and "" not in models
        and any(row.title.startswith(f"{min(models)} (") for row in history.trace.scopes)
    ):
        return f"`{models.pop()}.parameters()`"
    return f"`{parameters(history, tensors)}`"


def made_after(history: History, tensor: int, constructed: Span | None) -> bool:
    """Whether a parameter was made when its optimizer was there already."""
    if constructed is None:
        return False
    begun = (
        index
        for index, step in enumerate(history.trace.steps)
        if isinstance(step, events.Line) and step.span is not None and within(constructed, step.span)
    )
    return history.made.get(tensor, -1) > next(begun, history.last)


def waits(history: History, tensor: int) -> bool:
    """Whether another optimizer was made of it, which has not stepped: ``Adam(net.parameters())``."""
    label = history.trace.tensors[tensor].label
    owners = re.split(r"[.\[\]]+", label)
    stepped = {history.text(step.span).partition(".step")[0] for _, step in history.steps}
    for statement, call in calls_of(history, OPTIMIZERS):
        if not call.args or not ran(history, statement) or assigned_to(history, call) in stepped:
            continue
        given = [path(node) for node in ast.walk(call.args[0]) if isinstance(node, ast.Name | ast.Attribute)]
        if any(name == label or last_part(name) in owners[:-1] for name in given):
            return True
    return False


def no_loss_has(history: History, unused: list[int], step: int) -> tuple[int, Answer]:
    """Parameters that no loss depends on."""
    one = len(unused) == 1
    names = listed([history.label(tensor) for tensor in unused])
    holder = "in the optimizer" if history.steps else "part of the model"
    text = (
        f"{names} {'is' if one else 'are'} {holder}, but no backward pass has ever reached {'it' if one else 'them'}: "
        f"no loss depends on {'it' if one else 'them'}.{dead_end(history, unused[0])}"
    )
    fix = f"Use {'it' if one else 'them'} on the way to the loss, or leave {'it' if one else 'them'} out."
    return unused[0], Answer("unused_parameter", text, fix, step, history.trace.tensors[unused[0]].span)


def dead_end(history: History, tensor: int) -> str:
    """A sentence on the last result that a parameter leads to, where nothing is done with that."""
    recorded = history.recorded_descendants(tensor)
    last = recorded[-1]
    if len(recorded) == 1 or history.users[last]:
        return ""
    line = history.line_of(history.made.get(last))
    return f" {history.label(tensor)} leads to {history.label(last)} ({line}), of which nothing more is computed."


def never_given(history: History, missing: list[int]) -> tuple[int, Answer]:
    """Parameters with gradients that nobody uses."""
    first, step = history.steps[0]
    one = len(missing) == 1
    constructed = where_made(history, step)
    where = f" (made on line {constructed.line})" if constructed is not None else ""
    text = (
        f"{listed([history.label(tensor) for tensor in missing])} {'gets' if one else 'get'} gradients, but no "
        f"optimizer that stepped{where} has {'it' if one else 'them'}: nothing changes there."
    )
    owner = history.text(step.span).partition(".step")[0] or "optimizer"
    more = f"`{owner}.add_param_group({{'params': {parameters(history, missing)}}})`"
    if made_after(history, missing[0], constructed):
        span = history.trace.tensors[missing[0]].span
        text += f" {'It was' if one else 'They were'} made after the optimizer" + (
            f", on line {span.line}." if span else "."
        )
        return missing[0], Answer("not_in_optimizer", text, f"Make the optimizer last, or call {more}.", first, span)
    fix = f"Give {'it' if one else 'them'} to the optimizer as well, where it is made or by {more}."
    return missing[0], Answer("not_in_optimizer", text, fix, first, constructed or step.span)


def parameters(history: History, tensors: list[int]) -> str:
    """Source text for a list of parameters: ``head.parameters()``, or their names."""
    labels = [history.trace.tensors[tensor].label for tensor in tensors]
    layers = {label.rpartition(".")[0] for label in labels}
    if len(labels) > 1 and len(layers) == 1 and "" not in layers and whole(history, f"{min(layers)}.", tensors):
        return f"{layers.pop()}.parameters()"
    return f"[{', '.join(labels)}]" if len(labels) <= SHOWN else "[…]"


def whole(history: History, prefix: str, tensors: list[int]) -> bool:
    """Whether these are all parameters whose names begin so: ``parameters()`` gives those of layers inside, too."""
    return all(
        tensor in tensors
        for tensor, row in enumerate(history.trace.tensors)
        if row.role == "parameter" and any(name.startswith(prefix) for name in (row.label, *row.names))
    )


def forgotten_leaf(history: History, tensor: int) -> bool:
    """Whether a plain leaf is meant to learn: filled turn after turn, and nobody reads or asks for its gradient."""
    row = history.trace.tensors[tensor]
    names = {name for _, name in history.bound[tensor]} | set(row.names)
    if row.role != "leaf" or history.written[tensor] or len({event.call for _, event in history.stored[tensor]}) < 2:
        return False
    if any(task.inputs is not None and tensor in task.inputs for task in history.passes):
        return False
    last_parts = {re.split(r"[.\[]", name)[-1] for name in names}
    return not any(text in names or re.split(r"[.\[]", text)[-1] in last_parts for text in history.gradients_read)


def passed_over(history: History, tensor: int) -> bool:
    """Whether the code that uses a parameter is there and was not chosen in this run: that is no mistake."""
    if history.users[tensor]:
        return False
    return branch_not_taken(history, tensor, 0) is not None or chosen_by_number(history, tensor)


def differentiated_away(history: History, tensor: int) -> bool:
    """Whether a loss is made of the slopes of what a parameter was added to: a potential's last bias, whose slope is 0."""
    derived = (root for task in history.passes if task.recorded for root in task.roots)
    return any(tensor in history.ancestors(root) for root in derived)


def unused_without_optimizer(history: History) -> list[tuple[int, Answer]]:
    """Parameters that a called model has and no pass reached, though passes reached others of the same model."""
    passes = [task for task in history.passes if task.function == "backward" and not task.raised]
    if not passes or any(task.inputs is not None for task in history.passes):
        return []
    models = {scope.title.partition(" (")[0] for scope in history.trace.scopes if scope.kind == "module"}
    asleep: list[int] = []
    for tensor, row in enumerate(history.trace.tensors):
        base = model_of(row.label)
        if row.role != "parameter" or base not in models or history.stored[tensor] or passed_over(history, tensor):
            continue
        reached = any(
            model_of(history.trace.tensors[other].label) == base for other, got in history.stored.items() if got
        )
        if reached and history.tracked(tensor, history.last) and history.made.get(tensor, 0) < passes[-1].start:
            asleep.append(tensor)
    cut = cut_off(history, asleep, "part of the model")
    rest = [tensor for tensor in asleep if not any(tensor in group for group, _ in cut)]
    unused = [no_loss_has(history, rest, passes[-1].end)] if rest else []
    return [*((group[0], answer) for group, answer in cut), *unused]


def model_of(label: str) -> str:
    """``net`` of ``net.fc1.weight``; empty for a parameter that stands alone."""
    base = re.match(r"(\w+)[.\[]", label)
    return base[1] if base else ""
