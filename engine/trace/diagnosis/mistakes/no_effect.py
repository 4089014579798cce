"""Statements that change nothing: a comparison for an assignment, a result thrown away, an attribute that nobody reads."""

from __future__ import annotations

import ast

from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.calls import ran
from engine.trace.diagnosis.flow import path
from engine.trace.diagnosis.history import History
from engine.trace.marks import code
from engine.trace.values import spelled

BODIES = (ast.For, ast.While, ast.FunctionDef, ast.With, ast.If)
"""Whose statements show nothing: the last line of a notebook's cell shows what it computes, and that may be all it is for."""


def changes_nothing(history: History) -> list[tuple[int, Answer]]:
    """At the end of a run: the first such statement of each kind that ran."""
    inside = [
        n for body in history.nodes if isinstance(body, BODIES) for n in ast.walk(body) if isinstance(n, ast.Expr)
    ]
    questions = (
        *((compared, statement) for statement in inside),
        *((thrown_away, node) for node in history.nodes if isinstance(node, ast.Expr)),
        *((unread, node) for node in history.nodes if isinstance(node, ast.Assign | ast.AugAssign)),
    )
    found: dict[str, tuple[int, Answer]] = {}
    for question, statement in questions:
        if question.__name__ not in found and ran(history, statement):
            answer = question(history, statement)
            if answer is not None:
                found[question.__name__] = answer
    return list(found.values())


def compared(history: History, statement: ast.stmt) -> tuple[int, Answer] | None:
    """``p.grad == None``: a comparison that stands alone, of a tensor or of what belongs to one."""
    match statement:
        case ast.Expr(value=ast.Compare(left=left, ops=[ast.Eq()], comparators=[right])):
            tensor = meant(history, left)
        case _:
            return None
    if tensor is None:
        return None
    span = history.source.span(statement)
    flag = isinstance(left, ast.Attribute) and left.attr == "requires_grad"
    still = (
        f", so {history.label(tensor)} still requires grad" if flag and history.tracked(tensor, history.last) else ""
    )
    return tensor, Answer(
        "no_effect",
        f"{history.quoted(span)} on line {span.line} only compares, and nothing takes the answer{still}: what sets a value "
        "is a single `=`.",
        f"Write `{ast.unparse(left)} = {ast.unparse(right)}`.",
        history.last,
        span,
    )


def thrown_away(history: History, statement: ast.stmt) -> tuple[int, Answer] | None:
    """``p.grad.clamp(-1, 1)``: what is computed from a gradient is thrown away, and there is a method that writes."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=written, attr=method), args=given, keywords=named)):
            gradient = written.value if isinstance(written, ast.Attribute) and written.attr == "data" else written
        case _:
            return None
    if method not in WRITING or not isinstance(gradient, ast.Attribute) or gradient.attr != "grad":
        return None
    tensor = meant(history, gradient)
    if tensor is None:
        return None
    span, owner = history.source.span(statement), ast.unparse(written)
    words = [*map(ast.unparse, given), *(ast.unparse(word) for word in named)]
    return tensor, Answer(
        "no_effect",
        f"{history.quoted(span)} on line {span.line} computes a new tensor and leaves {history.label(tensor)}.grad as it "
        "was: nothing takes what it computes.",
        f"Write into the gradient: `{owner}.{method}_({', '.join(words)})`.",
        history.last,
        span,
    )


WRITING = frozenset({"add", "clamp", "clip", "copysign", "div", "masked_fill", "mul", "nan_to_num", "neg", "sub"})
"""Methods that have a sister which writes: ``clamp_``."""


def unread(history: History, statement: ast.stmt) -> tuple[int, Answer] | None:
    """``opt.lr = 0.01``: an optimizer keeps its settings in its groups and never reads such an attribute."""
    match statement:
        case (
            ast.Assign(targets=[ast.Attribute(value=owner, attr=name)], value=value)
            | ast.AugAssign(target=ast.Attribute(value=owner, attr=name), value=value)
        ):
            steps = [step for _, step in history.steps if history.text(step.span).startswith(f"{path(owner)}.step(")]
        case _:
            return None
    if not steps or name not in steps[-1].settings or not steps[-1].changes:
        return None
    span, kept = history.source.span(statement), steps[-1].settings[name]
    if isinstance(statement, ast.Assign) and isinstance(value, ast.Constant) and value.value == steps[0].settings[name]:
        return None
    writes = history.text(span).removeprefix(f"{ast.unparse(owner)}.{name}").strip()
    value_kept = spelled(kept) if isinstance(kept, int | float) else str(kept)
    return steps[-1].changes[0].tensor, Answer(
        "no_effect",
        f"{history.quoted(span)} on line {span.line} gives the optimizer an attribute that it never reads: its last update "
        f"(line {steps[-1].span.line if steps[-1].span else '?'}) still had {code(f'{name} = {value_kept}')}.",
        f"Set it in the optimizer's groups: `for group in {path(owner)}.param_groups: group['{name}'] {writes}`.",
        history.last,
        span,
    )


def meant(history: History, node: ast.expr) -> int | None:
    """The tensor that a piece of source is, or belongs to, that has got gradients: ``p`` of ``p.grad``."""
    name = path(node.value if isinstance(node, ast.Attribute) else node)
    named = (t for t, row in enumerate(history.trace.tensors) if history.stored[t] and name in row.names)
    return next(named, None) if name else None
