"""Values that left the graph."""

from __future__ import annotations

import ast
import re

from tests.engine.trace.why.remedies.edits import Broken
from tests.engine.trace.why.remedies.registry import says


@says(r"(?:Use|Keep) `([^`…]+)` (?:itself(?! in the computation)|as a tensor until)")
def itself(broken: Broken, found: re.Match[str]) -> list[str]:
    """In place of what took it out of the graph, and without the copy that was made of it later."""
    ways = [with_later(broken, f"({found[1]})")]
    copy = re.search(r"itself, or `([^`…]+\.clone\(\))`", broken.reason.fix)
    return ways + ([broken.instead(broken.span, copy[1])] if copy else [])


def with_later(broken: Broken, kept: str) -> str:
    """What keeps the tensor, and what is said about what was done with the number afterwards."""
    taken = broken.text(broken.span)
    changed = broken.code
    for text, stacked in re.findall(r"Join them by `(.+?)` on line \d+: `(.+?)` copies", broken.reason.fix):
        changed = changed.replace(stacked, text)
    for text in re.findall(r"Leave `(.+?)` on line \d+ out", broken.reason.fix):
        call = ast.parse(text, mode="eval").body
        assert isinstance(call, ast.Call)
        changed = changed.replace(text, f"({ast.get_source_segment(text, call.args[0])})")
    for new, name in re.findall(r"Write `(torch\.\w+)` in place of `([\w.]+)`", broken.reason.fix):
        changed = re.sub(rf"(?<![\w.]){re.escape(name)}\(", f"{new}(", changed)
    return changed.replace(taken, kept)


@says(r"Use torch's own function, which keeps the history: `([^`…]+)`")
def own_function(broken: Broken, found: re.Match[str]) -> list[str]:
    """In place of Python's."""
    return [with_later(broken, found[1])]


@says(r"Join the tensors themselves, which keeps their history: `([^`…]+)`")
def stacked(broken: Broken, found: re.Match[str]) -> list[str]:
    """In place of the copy."""
    return [broken.instead(broken.span, found[1])]


@says(r"Move line \d+ out of the `\w+` block that begins on line (\d+)")
def out_of_block(broken: Broken, found: re.Match[str]) -> list[str]:
    """What is in the block runs as if it were not there."""
    line = int(found[1])
    head = re.sub(r"with .*?:(?=\s|$)", "if True:", broken.lines[line - 1])
    return ["\n".join([*broken.lines[: line - 1], head, *broken.lines[line:]])]


@says(r"Take `(@.+?)` off `\w+\(\)` \(line (\d+)\)")
def undecorated(broken: Broken, found: re.Match[str]) -> list[str]:
    """Without the decorator."""
    line = int(found[2])
    return ["\n".join([*broken.lines[: line - 1], *broken.lines[line:]])]


@says(r"Switch recording on again before line (\d+), by `(.+?)`")
def switched_on(broken: Broken, found: re.Match[str]) -> list[str]:
    """Before the line."""
    return [broken.before(broken.on_line(int(found[1])), found[2])]


@says(r"add `x - x\.detach\(\)`")
def straight_through(broken: Broken, found: re.Match[str]) -> list[str]:
    """The flat step with the way around it."""
    try:
        call = ast.parse(broken.text(broken.span), mode="eval").body
    except SyntaxError:
        return []
    if not isinstance(call, ast.Call):
        return []
    text = broken.text(broken.span)
    owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else "torch"
    own = owner in ("torch", "F") or owner.endswith("functional")
    if own != bool(call.args) or not isinstance(call.func, ast.Attribute):
        return []
    given = ast.unparse(call.args[0]) if own else owner
    return [broken.instead(broken.span, f"({text} + ({given}) - ({given}).detach())")]


@says(r"Use `rsample\(\)`")
def reparametrised(broken: Broken, found: re.Match[str]) -> list[str]:
    """In place of ``sample()``."""
    return [broken.replacing(broken.statement(broken.span), r"\.sample\(", ".rsample(")]
