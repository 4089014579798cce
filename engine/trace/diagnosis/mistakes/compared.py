"""A comparison of before and after whose two sides are the same tensor: ``before`` was named, and not copied."""

from __future__ import annotations

import ast

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.calls import ran, reached
from engine.trace.diagnosis.flow import called
from engine.trace.diagnosis.history import History
from engine.trace.parts import Span

COMPARING = frozenset({"equal", "allclose", "array_equal", "all_close"})
"""Functions of two tensors that tell whether they differ."""
ASIDE = frozenset({"data", "detach"})
"""What gives the same numbers under another name."""


def compared_with_itself(history: History) -> tuple[int, Answer] | None:
    """``torch.equal(before, net.weight)`` where ``before`` was named ahead of the updates and is the weight itself."""
    listed = compared_lists(history)
    if listed is not None:
        return listed
    for left, right, place in comparisons(history):
        names = [plain(side) for side in (left, right)]
        owners = [owner_of(history, name) for name in names]
        if owners[0] is None or owners[0] != owners[1] or names[0] == names[1]:
            continue
        kept = min((at for name in names if (at := named_at(history, name)) is not None), default=None)
        changed = [index for index, step in history.steps if any(c.tensor == owners[0] for c in step.changes)]
        after = [index for index in changed if kept is not None and index > kept and reached(history, place) > index]
        assigned = statement_at(history, kept)
        if kept is None or not after or assigned is None or not isinstance(assigned.targets[0], ast.Name):
            continue
        span, value = history.source.span(assigned), ast.unparse(assigned.value)
        copy = "clone()" if plain(assigned.value) != value else "detach().clone()"
        return owners[0], Answer(
            "aliased",
            f"`{assigned.targets[0].id}` is no copy: {history.quoted(span)} on line {span.line} gives {history.label(owners[0])} "
            f"another name, so {history.quoted(history.trace.steps[after[0]].span)} on {history.line_of(after[0])} changes "
            f"both, and the comparison on line {place.line} finds no difference.",
            f"Keep a copy: `{assigned.targets[0].id} = {value}.{copy}`.",
            kept,
            span,
        )
    return None


def compared_lists(history: History) -> tuple[int, Answer] | None:
    """``before = list(net.parameters())``, updates, ``for old, new in zip(before, net.parameters())``: the same tensors."""
    for node in history.nodes:
        match node:
            case ast.For(iter=ast.Call(func=ast.Name(id="zip"), args=given), body=body):
                inside: list[ast.AST] = list(body)
            case ast.ListComp(
                elt=one, generators=[ast.comprehension(iter=ast.Call(func=ast.Name(id="zip"), args=given))]
            ):
                inside = [one]
            case ast.GeneratorExp(
                elt=one, generators=[ast.comprehension(iter=ast.Call(func=ast.Name(id="zip"), args=given))]
            ):
                inside = [one]
            case _:
                continue
        if not any(compares(inner) for part in inside for inner in ast.walk(part)):
            continue
        names = {argument.id for argument in given if isinstance(argument, ast.Name)}
        fresh = [one for one in given if isinstance(one, ast.Call) and called(one.func) == "parameters"]
        if len(given) != 2 or len(names) + len(fresh) != 2:
            continue
        lists = {name: found for name in names if (found := kept_list(history, name)) is not None}
        if len(lists) != len(names):
            continue
        for name, (span, copies) in lists.items():
            kept, used = reached(history, span), reached(history, history.source.span(node))
            moved = [index for index, _ in history.steps if kept < index < used]
            if not moved:
                continue
            update = history.trace.steps[moved[0]]
            return history.steps[0][1].changes[0].tensor, Answer(
                "aliased",
                f"`{name}` holds no copies: {history.quoted(span)} on line {span.line} keeps the parameters themselves, so "
                f"{history.quoted(update.span)} on {history.line_of(moved[0])} changes what is in it as well, and the comparison "
                f"on line {history.source.span(node).line} finds no difference.",
                f"Keep copies: `{name} = {copies}`.",
                kept,
                span,
            )
    return None


def kept_list(history: History, name: str) -> tuple[Span, str] | None:
    """(the statement that makes a list of a model's parameters themselves, what would make copies) of a variable."""
    for statement in history.nodes:
        match statement:
            case ast.Assign(targets=[ast.Name(id=own)], value=value) if own == name and ran(history, statement):
                copies = copied(value)
                if copies is not None:
                    return history.source.span(statement), copies
            case _:
                pass
    return None


def compares(node: ast.AST) -> bool:
    """Whether some source compares two things."""
    match node:
        case ast.Call(func=func):
            return called(func) in COMPARING
        case ast.Compare(ops=[ast.Eq() | ast.NotEq()]) | ast.BinOp(op=ast.Sub()):
            return True
        case _:
            return False


def copied(value: ast.expr) -> str | None:
    """What makes copies in place of a list of a model's parameters themselves, or of their ``.data``."""
    match value:
        case ast.Call(func=ast.Name(id="list"), args=[ast.Call(func=ast.Attribute(attr="parameters")) as given]):
            return f"[p.detach().clone() for p in {ast.unparse(given)}]"
        case ast.ListComp(
            elt=ast.Name() | ast.Attribute(attr="data") as one,
            generators=[
                ast.comprehension(
                    target=ast.Name(id=name), iter=ast.Call(func=ast.Attribute(attr="parameters")) as given
                )
            ],
        ) if plain(one) == name:
            return f"[{name}.detach().clone() for {name} in {ast.unparse(given)}]"
        case _:
            return None


def comparisons(history: History) -> list[tuple[ast.expr, ast.expr, Span]]:
    """(one side, the other, columns) of whatever compares two things, in statements that ran."""
    found = []
    for statement in history.nodes:
        if not isinstance(statement, ast.Expr | ast.Assign | ast.Assert | ast.Return) or not ran(history, statement):
            continue
        for node in ast.walk(statement):
            match node:
                case ast.Call(func=func, args=[left, right, *_]) if called(func) in COMPARING:
                    found.append((left, right, history.source.span(statement)))
                case (
                    ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right])
                    | ast.BinOp(left=left, op=ast.Sub(), right=right)
                ):
                    found.append((left, right, history.source.span(statement)))
                case _:
                    pass
    return found


def plain(node: ast.expr) -> str:
    """A tensor's source without what takes it out of the graph: ``net.weight`` of ``net.weight.data``."""
    match node:
        case ast.Attribute(value=value, attr="data"):
            return plain(value)
        case ast.Call(func=ast.Attribute(value=value, attr="detach"), args=[]):
            return plain(value)
        case _:
            return ast.unparse(node)


def owner_of(history: History, name: str) -> int | None:
    """The leaf whose storage a name stands for: itself, or what ``.data`` or ``detach()`` was asked of."""
    tensor = history.named(name)
    while tensor is not None and (at := history.left_with.get(tensor)) is not None:
        left = history.trace.steps[at]
        if not isinstance(left, events.GraphLeft) or left.how not in ASIDE:
            return None
        tensor = left.source
    return tensor if tensor is not None and history.trace.tensors[tensor].role in ("leaf", "parameter") else None


def named_at(history: History, name: str) -> int | None:
    """The step at which a variable was given what it stands for, unless that was made for it there."""
    tensor = history.named(name) if name.isidentifier() else None
    bound = [index for index, other in history.bound.get(tensor if tensor is not None else -1, ()) if other == name]
    if (
        not bound
        or tensor is None
        or (tensor not in history.left_with and history.line_of(bound[-1]) == history.line_of(history.made.get(tensor)))
    ):
        return None
    return bound[-1]


def statement_at(history: History, step: int | None) -> ast.Assign | None:
    """The assignment that gave a name at a step."""
    span = history.trace.steps[step].span if step is not None else None
    for node in history.nodes:
        if span is not None and isinstance(node, ast.Assign) and len(node.targets) == 1 and node.lineno == span.line:
            return node
    return None
