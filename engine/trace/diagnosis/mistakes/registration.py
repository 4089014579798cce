"""Parameters that a module does not know of: in a plain list or dict, a plain tensor, or made anew in every forward()."""

from __future__ import annotations

import ast
import re

from engine import nn
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.calls import calls_of, ran
from engine.trace.diagnosis.errors.python_calls.failing import given_last
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.places import outermost_module
from engine.trace.marks import code
from engine.trace.narration.amounts import listed, times
from engine.trace.parts import Span
from engine.trace.spans import within

CONTAINERS = {
    ast.List: ("list", "nn.ModuleList"),
    ast.ListComp: ("list", "nn.ModuleList"),
    ast.Tuple: ("tuple", "nn.ModuleList"),
    ast.GeneratorExp: ("list", "nn.ModuleList"),
    ast.BinOp: ("list", "nn.ModuleList"),
    ast.Dict: ("dict", "nn.ModuleDict"),
    ast.DictComp: ("dict", "nn.ModuleDict"),
}
"""Plain containers by how they are written, and what registers what they hold."""
LAYERS = frozenset(nn.__all__)
"""What layers and parameters are made by."""
BUILT = {"list": "nn.ModuleList", "tuple": "nn.ModuleList", "dict": "nn.ModuleDict"}
"""The same for those that a call builds."""


def unregistered(history: History, held: set[int], missing: list[int]) -> list[tuple[list[int], Answer]]:
    """Of parameters that no optimizer has: those that ``.parameters()`` could not give it, each group with its answer."""
    found = made_in_forward(history, held)
    missing = [tensor for tensor in missing if not any(tensor in tensors for tensors, _ in found)]
    if asked_for_parameters(history):
        found += in_containers(history, missing) + plain_tensors(history, missing)
    return found


def asked_for_parameters(history: History) -> bool:
    """Whether an optimizer may have been given what a module's ``parameters()`` lists."""
    return ".parameters()" in history.trace.code or ".named_parameters()" in history.trace.code


def made_in_forward(history: History, held: set[int]) -> list[tuple[list[int], Answer]]:
    """Parameters (and leaves that got gradients) that the same columns make inside of a module's call, again in each."""
    places: dict[Span, dict[int, list[int]]] = {}
    for tensor, row in enumerate(history.trace.tensors):
        module = outermost_module(history, row.scope) if row.role in ("parameter", "leaf") else None
        if module is not None and row.span is not None and from_nothing(history, tensor):
            places.setdefault(row.span, {}).setdefault(module, []).append(tensor)
    found = []
    for span, calls in places.items():
        tensors = [tensor for made in calls.values() for tensor in made]
        if len(calls) < 2 or held.intersection(tensors) or not any(history.stored[tensor] for tensor in tensors):
            continue
        several = len(next(iter(calls.values()))) > 1
        made = "new parameters" if several else f"{history.label(tensors[0])} anew"
        answer = Answer(
            "made_in_forward",
            f"{history.quoted(span)} on line {span.line} runs in every call of the model ({times(len(calls))} here) and makes "
            f"{made} each time: no optimizer has {'them' if several else 'it'}, and what was learned is gone with the call.",
            "Make it once, in `__init__`, as an attribute of the module, and use that in forward().",
            history.made.get(tensors[0]),
            span,
        )
        found.append((tensors, answer))
    return found


def from_nothing(history: History, tensor: int) -> bool:
    """Whether a parameter, or a leaf that is no copy of an input and that nobody asks the gradient of."""
    if history.trace.tensors[tensor].role == "parameter":
        return True
    asked = any(task.inputs is not None and tensor in task.inputs for task in history.passes)
    event = history.event.get(tensor)
    return event is not None and not event.inputs and event.how in ("created", "random") and not asked


def in_containers(history: History, missing: list[int]) -> list[tuple[list[int], Answer]]:
    """Parameters whose path leads through an attribute that is a plain list, tuple or dict."""
    groups: dict[str, list[int]] = {}
    for tensor in missing:
        for name in history.trace.tensors[tensor].names:
            found = re.match(r"\w+(?:\.\w+)*?\.(\w+)\[", name)
            if found is not None:
                groups.setdefault(found[1], []).append(tensor)
                break
    found_all = []
    for attribute, tensors in groups.items():
        container = plain_container(history, attribute)
        if container is None:
            continue
        span, kind, better = container
        layers = any(re.search(r"\]\.", name) for name in history.trace.tensors[tensors[0]].names)
        better = better if layers else better.replace("Module", "Parameter")
        found_all.append(
            (
                tensors,
                Answer(
                    "not_registered",
                    f"{code(f'self.{attribute}')} is a plain {kind} (line {span.line}), so the module does not register what is in it, and "
                    f"`.parameters()` leaves {listed([history.label(tensor) for tensor in tensors])} out: no optimizer has "
                    f"{'it' if len(tensors) == 1 else 'them'}.",
                    f"Use `{better}` in place of the {kind}.",
                    history.steps[0][0],
                    span,
                ),
            )
        )
    return found_all


def plain_attribute(history: History) -> tuple[str, tuple[Span, str, str]] | None:
    """The first attribute of a module that holds layers or parameters in a plain list, tuple or dict."""
    for statement, _ in calls_of(history, LAYERS):
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        for attribute in (target.attr for target in targets if isinstance(target, ast.Attribute)):
            found = plain_container(history, attribute)
            if found is not None and in_module(history, history.source.span(statement)):
                return attribute, found
    for node in history.nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr=attribute), attr="append")):
                found = plain_container(history, attribute)
                if found is not None and in_module(history, found[0]):
                    return attribute, found
            case _:
                pass
    return None


def plain_container(history: History, attribute: str) -> tuple[Span, str, str] | None:
    """(columns, kind, what to use instead) where ``self.attribute`` is given a plain list, tuple or dict."""
    for node in history.nodes:
        match node:
            case ast.Assign(targets=targets, value=value):
                pass
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                targets = [target]
            case _:
                continue
        if not any(isinstance(target, ast.Attribute) and target.attr == attribute for target in targets):
            continue
        if isinstance(value, ast.Name):
            value = local_value(history, value.id) or value
        if type(value) in CONTAINERS:
            kind, better = CONTAINERS[type(value)]
            return history.source.span(node), kind, better
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in BUILT:
            return history.source.span(node), value.func.id, BUILT[value.func.id]
    return None


def local_value(history: History, name: str) -> ast.expr | None:
    """What a plain variable was assigned."""
    for node in history.nodes:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            return node.value
    return None


def plain_tensors(history: History, missing: list[int]) -> list[tuple[list[int], Answer]]:
    """Leaves that a module's ``__init__`` made with ``requires_grad=True`` and keeps as plain attributes."""
    found = []
    for tensor in missing:
        row = history.trace.tensors[tensor]
        name = next((name for name in row.names if re.fullmatch(r"self\.\w+", name)), None)
        if row.role != "leaf" or name is None or row.span is None or not in_module(history, row.span):
            continue
        found.append(
            (
                [tensor],
                Answer(
                    "not_registered",
                    f"{code(name)} is a plain tensor (line {row.span.line}): a module registers nn.Parameter only, so "
                    f"`.parameters()` leaves it out and no optimizer has it.",
                    f"Wrap it: `{name} = nn.Parameter(…)`.",
                    history.steps[0][0],
                    row.span,
                ),
            )
        )
    return found


def in_module(history: History, span: Span) -> bool:
    """Whether source lies in a class that derives from a Module."""
    return any(
        isinstance(node, ast.ClassDef)
        and any("Module" in ast.unparse(base) for base in node.bases)
        and node.lineno <= span.line <= (node.end_lineno or node.lineno)
        for node in history.nodes
    )


def multiplied(history: History) -> list[tuple[int, Answer]]:
    """At the end of a run: ``nn.ModuleList([nn.Linear(4, 4)] * 3)``, which holds one layer three times."""
    for statement, call in calls_of(history, frozenset({"ModuleList", "Sequential"})):
        for node in ast.walk(call):
            match node:
                case ast.BinOp(left=ast.List(elts=[layer]), op=ast.Mult(), right=count) if ran(history, statement):
                    maker = given_last(history, layer) if isinstance(layer, ast.Name) else layer
                    span, made = history.source.span(node), history.source.span(maker or layer)
                case _:
                    continue
            rows = enumerate(history.trace.tensors)
            own = [t for t, row in rows if row.role == "parameter" and row.span is not None and within(row.span, made)]
            if not own or (isinstance(count, ast.Constant) and count.value == 1):
                continue
            words = history.text(made)
            return [
                (
                    own[0],
                    Answer(
                        "one_layer_only",
                        f"{history.quoted(span)} on line {span.line} holds one layer several times, not several layers: all of "
                        f"them are {history.label(own[0])} and what belongs to it, and learn the same.",
                        f"Make each anew: `[{words} for _ in range({ast.unparse(count)})]`.",
                        history.made[own[0]],
                        span,
                    ),
                )
            ]
    return []
