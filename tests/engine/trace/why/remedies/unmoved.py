"""Statements without effect, things that are no copies, and what comes too late or in the wrong place."""

from __future__ import annotations

import ast
import re

from tests.engine.trace.why.remedies.edits import Broken
from tests.engine.trace.why.remedies.registry import says


@says(
    r"^(?:Write|Write into the gradient:|Set it in the optimizer's groups:|Keep cop(?:y|ies):|Keep a copy:|Multiply by it:|"
    r"Clear only what is there:) `((?:[\w.\[\]]+ = |return |for |if )[^`]+|[\w.]+\.\w+_\([^`]+)`"
)
def this_instead(broken: Broken, found: re.Match[str]) -> list[str]:
    """In place of the statement."""
    return [broken.replaced(broken.statement(broken.span), found[1])]


@says(r"^Keep a copy: `([\w.]+)\.clone\(\)`")
def copy_kept(broken: Broken, found: re.Match[str]) -> list[str]:
    """Where it is kept."""
    return [broken.replacing(broken.statement(broken.span), rf"{re.escape(found[1])}\b", f"{found[1]}.clone()")]


@says(r"^Clear only when an update has used them: move line (\d+) behind line (\d+)")
def cleared_later(broken: Broken, found: re.Match[str]) -> list[str]:
    """Behind the update, in its block."""
    return [broken.moved(broken.on_line(int(found[1])), "after", broken.on_line(int(found[2])))]


@says(r"^Clear gradients behind the update on line (\d+), .+: `([^`]+)`")
def cleared_behind(broken: Broken, found: re.Match[str]) -> list[str]:
    """In the block of the update."""
    return [broken.after(broken.on_line(int(found[1])), found[2])]


@says(r"^Take its gradient away as well when freezing: `([^`]+)`")
def without_gradient(broken: Broken, found: re.Match[str]) -> list[str]:
    """Behind what freezes it."""
    return [broken.after(broken.statement(broken.span), found[1])]


@says(r"^Compute it under `with torch\.no_grad\(\):`")
def unrecorded(broken: Broken, found: re.Match[str]) -> list[str]:
    """The statement under it."""
    return [broken.inside_no_grad(broken.statement(broken.span))]


@says(r"^Register it before line (\d+)")
def registered_sooner(broken: Broken, found: re.Match[str]) -> list[str]:
    """In front of the pass."""
    return [broken.moved(broken.statement(broken.span), "before", broken.on_line(int(found[1])))]


@says(r"^Make the schedule behind line (\d+), of the optimizer that steps: `([^`]+)`")
def made_behind(broken: Broken, found: re.Match[str]) -> list[str]:
    """The statement goes behind the other, with the new columns."""
    node, other = broken.statement(broken.span), broken.on_line(int(found[1]))
    words = broken.words(node).replace(broken.text(broken.span), found[2])
    return [broken.edited({id(node): ("instead", ()), id(other): ("after", (words,))})]


@says(r"^(?:Make each anew|Make the schedule of the optimizer that steps): `([^`]+)`")
def made_so(broken: Broken, found: re.Match[str]) -> list[str]:
    """In the guilty columns."""
    return [broken.instead(broken.span, found[1])]


@says(r"^Move `[^`]+` and what follows it into the loop on line (\d+)")
def into_the_loop(broken: Broken, found: re.Match[str]) -> list[str]:
    """With the update behind it, to the end of that loop."""
    first = broken.statement(broken.span)
    loop = next(n for n in ast.walk(broken.tree) if isinstance(n, ast.For) and n.lineno == int(found[1]))
    later = [n for n in broken.having(r"\.step\(\)") if n.lineno > first.lineno][:1]
    taken: dict[int, tuple[str, tuple[str, ...]]] = {id(node): ("instead", ()) for node in (first, *later)}
    return [broken.edited({**taken, id(loop.body[-1]): ("after", tuple(map(broken.words, (first, *later))))})]
