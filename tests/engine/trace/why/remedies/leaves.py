"""Leaves and results: which tensor is one, keeps its gradient, or requires one."""

from __future__ import annotations

import ast
import re

from tests.engine.trace.why.remedies.edits import Broken
from tests.engine.trace.why.remedies.registry import says


@says(r"Call `([^`]+)\.retain_grad\(\)` before `backward\(\)` to keep it")
def retain(broken: Broken, found: re.Match[str]) -> list[str]:
    """Before the first pass after it was made."""
    passes = [node for node in broken.having(r"\.backward\(") if node.lineno >= broken.span.line]
    inner = broken.functions(broken.span.line) or isinstance(ast.parse(found[1]).body[0].value, ast.Subscript)  # type: ignore[attr-defined]
    node = broken.statement(broken.span)
    known = isinstance(node, ast.Assign) and found[1] in [broken.words(target) for target in node.targets]
    if not broken.knows(passes[0] if passes else node, found[1]):
        return []
    if inner or not passes:
        return [broken.after(node, f"{found[1]}.retain_grad()")] if known else []
    return [broken.before(passes[0], f"{found[1]}.retain_grad()")]


@says(r"Move `([^`]+)\.retain_grad\(\)` before `backward\(\)`")
def retain_earlier(broken: Broken, found: re.Match[str]) -> list[str]:
    """The statement goes before the pass on the line that the reason names."""
    line = re.search(r"pass on line (\d+)", broken.reason.text)
    assert line is not None
    node, place = broken.alone_in(broken.statement(broken.span)), broken.on_line(int(line[1]))
    return (
        [broken.moved(node, "before", place)]
        if broken.knows(place, broken.words(broken.statement(broken.span)))
        else []
    )


@says(r"Finish the tensor first and ask for gradients last: `([^`]+ = [^`]+)`")
def finished(broken: Broken, found: re.Match[str]) -> list[str]:
    """The statement that was given; in a list, the value."""
    node = broken.statement(broken.span)
    if broken.words(node).startswith(found[1].partition(" = ")[0] + " "):
        return [broken.replaced(node, found[1])]
    return [broken.instead(broken.span, found[1].partition(" = ")[2])]


@says(r"`([\w.\[\]']+) ([-+*/])= …` under `with torch\.no_grad\(\)`")
def update_in_place(broken: Broken, found: re.Match[str]) -> list[str]:
    """``w = w - step`` becomes ``w -= step``, and the gradient is cleared where that is said."""
    node = broken.statement(broken.span)
    match node:
        case ast.Assign(value=ast.BinOp(left=left, right=right)) if broken.words(left) == found[1]:
            more = [f"{found[1]}.grad = None"] if "clear" in broken.reason.fix else []
            return [broken.inside_no_grad(node, f"{found[1]} {found[2]}= {broken.words(right)}", *more)]
        case _:
            return []


@says(r"Call `([^`]+)\.requires_grad_\(\)` when it should learn")
def learn_again(broken: Broken, found: re.Match[str]) -> list[str]:
    """Behind what switched it off."""
    loops = broken.loops(broken.span.line)
    node = broken.statement(broken.span)
    targets = [
        n.id
        for loop in loops
        for n in ast.walk(loop.target if isinstance(loop, ast.For) else loop)
        if isinstance(n, ast.Name)
    ]
    if found[1] in targets or not broken.knows(node, found[1]):
        return []
    return [broken.after(loops[0] if loops else node, f"{found[1]}.requires_grad_()")]


@says(r"Create `([^`]+)` with `requires_grad=True`, or call `([^`]+\.requires_grad_\(\))` first")
def require(broken: Broken, found: re.Match[str]) -> list[str]:
    """Behind the statement that made it."""
    node = broken.statement(broken.span)
    known = re.fullmatch(r"[\w.]+", found[1]) and isinstance(node, ast.Assign) and broken.knows(node, found[1])
    return [broken.after(node, found[2])] if known else []


@says(r"Switch it on before line (\d+)")
def switch_earlier(broken: Broken, found: re.Match[str]) -> list[str]:
    """The switch goes before that line."""
    return [broken.moved(broken.statement(broken.span), "before", broken.on_line(int(found[1])))]


@says(r"Give the result another name, or call `([\w.\[\]']+)\.requires_grad_\(\)` only after this line")
def another_name(broken: Broken, found: re.Match[str]) -> list[str]:
    """The result's name is a new one from there on, but where a gradient is asked for."""
    node, name = broken.statement(broken.span), found[1]
    if not name.isidentifier():
        return []
    if not isinstance(node, ast.Assign) or broken.words(node.targets[0]) != name or broken.loops(node.lineno):
        return []
    head = "\n".join(broken.lines[: node.lineno - 1])
    own = re.sub(rf"^(\s*){name}\b", rf"\1{name}_new", broken.lines[node.lineno - 1])
    tail = re.sub(
        rf"\b{name}\b(?!\.(?:grad|is_leaf|zero_grad|requires_grad)\b)",
        f"{name}_new",
        "\n".join(broken.lines[node.lineno :]),
    )
    return [f"{head}\n{own}\n{tail}"]


@says(r"To start anew, clear it before `backward\(\)`: `([^`]+)`")
def anew(broken: Broken, found: re.Match[str]) -> list[str]:
    """Before the pass that added last."""
    node = broken.statement(broken.span)
    inside = any(isinstance(n, ast.comprehension) for n in ast.walk(node))
    return [broken.before(node, found[1])] if not inside and broken.knows(node, found[1]) else []


@says(r"Add `([^`]+)` to the inputs, or leave them out")
def add_input(broken: Broken, found: re.Match[str]) -> list[str]:
    """``inputs=`` is left out."""
    node = broken.having(r"inputs=")
    return [broken.replacing(node[-1], r",?\s*inputs=(\[[^\]]*\]|\([^)]*\)|\w+)", "")] if node else []


@says(r"Write `([^`]+\(\))`\.$")
def call_it(broken: Broken, found: re.Match[str]) -> list[str]:
    """The parentheses."""
    return [broken.replaced(broken.statement(broken.span), found[1])]
