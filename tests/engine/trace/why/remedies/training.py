"""Training loops: what is called when, and what an optimizer holds."""

from __future__ import annotations

import ast
import re

from tests.engine.trace.why.remedies.edits import Broken
from tests.engine.trace.why.remedies.registry import says

STEP = r"\b\w*opt\w*(\[\w+\])?\.step\(|\boptimi[sz]er\w*\.step\("


@says(r"Clear gradients in every turn: `([^`]+)`")
def clear(broken: Broken, found: re.Match[str]) -> list[str]:
    """Before the pass, of every leaf that was filled where there is no optimizer to ask."""
    node = broken.statement(broken.span)
    if "so for the others" not in broken.reason.fix:
        return [broken.before(node, found[1])] if broken.knows(node, found[1]) else []
    leaves = [row for row in broken.trace.tensors if row.role in ("leaf", "parameter") and row.requires_grad]
    return [broken.before(node, *(f"{row.label}.grad = None" for row in leaves))]


@says(r"Clear before `backward\(\)` or after the step")
def clear_elsewhere(broken: Broken, found: re.Match[str]) -> list[str]:
    """The guilty call goes before the pass, or behind the update."""
    node = broken.alone_in(broken.statement(broken.span))
    beside = [n for n in broken.having(r"\.backward\(") if n.lineno < node.lineno]
    step = [n for n in broken.having(r"\.step\(") if n.lineno > node.lineno]
    return [
        *([broken.moved(node, "before", beside[-1])] if beside else []),
        *([broken.moved(node, "after", step[0])] if step else []),
    ]


@says(r"Call `([\w.]+\.step\(\))` after the backward pass")
def step(broken: Broken, found: re.Match[str]) -> list[str]:
    """Behind the pass."""
    node = broken.statement(broken.span)
    return [broken.after(node, found[1])] if broken.knows(node, found[1].partition("(")[0]) else []


@says(r"Step after the gradients are there")
def step_later(broken: Broken, found: re.Match[str]) -> list[str]:
    """The update goes behind the pass."""
    line = re.search(r"pass on line (\d+)", broken.reason.text)
    assert line is not None
    return [broken.moved(broken.statement(broken.span), "after", broken.on_line(int(line[1])))]


@says(r"Call the scheduler's `step\(\)` after the optimizer's")
def schedule_later(broken: Broken, found: re.Match[str]) -> list[str]:
    """Behind the update, or behind the loop that updates."""
    line = re.search(r"first step on line (\d+)", broken.reason.text)
    assert line is not None
    node, own = broken.statement(broken.span), broken.on_line(int(line[1]))
    inner = [loop for loop in broken.loops(own.lineno) if loop not in broken.loops(node.lineno)]
    return [broken.moved(node, "after", inner[0] if inner else own)]


@says(r"Clip between `backward\(\)` and `step\(\)`")
def clip(broken: Broken, found: re.Match[str]) -> list[str]:
    """Before the update."""
    node = broken.alone_in(broken.statement(broken.span))
    line = re.search(r"the update on line (\d+)", broken.reason.text)
    assert line is not None
    update = broken.on_line(int(line[1]))
    if "finds no gradients" in broken.reason.text:  # it stands before the pass: it goes behind it
        line = re.search(r"the backward pass on line (\d+)", broken.reason.text)
        assert line is not None
        return [broken.moved(node, "after", broken.on_line(int(line[1])))]
    return [broken.moved(node, "before", update)]


@says(r"Call `([\w.]+\.train\(\))` before training goes on")
def train(broken: Broken, found: re.Match[str]) -> list[str]:
    """At the head of the loop with the pass, else before the loss is computed again."""
    updates = broken.having(r"\.step\(")
    loops = broken.loops(updates[-1].lineno)
    return [broken.before(loops[-1].body[0], found[1])] if loops and not broken.functions(broken.span.line) else []


@says(r"Call `([\w.]+\.eval\(\))` before evaluating, and `([\w.]+\.train\(\))`")
def evaluate(broken: Broken, found: re.Match[str]) -> list[str]:
    """Before the guilty line, and back behind it."""
    blocks = [
        n
        for n in ast.walk(broken.tree)
        if isinstance(n, ast.With) and n.lineno <= broken.span.line <= (n.end_lineno or 0)
    ]
    node = blocks[0] if blocks else broken.statement(broken.span)
    if broken.functions(broken.span.line):
        return []
    evaluating = broken.before(node, found[1])
    return ["\n".join(evaluating.split("\n"))] if not broken.loops(node.lineno) else []


@says(r"Pass `shuffle=True`")
def shuffle(broken: Broken, found: re.Match[str]) -> list[str]:
    """To the loader."""
    given = re.sub(r",?\s*shuffle=False", "", broken.text(broken.span))
    return [broken.instead(broken.span, given[:-1] + ", shuffle=True)")]


@says(r"Use a smaller learning rate, a tenth for a start")
def slower(broken: Broken, found: re.Match[str]) -> list[str]:
    """A tenth of it."""
    given = re.sub(
        r"(lr=|, )(\d[\d.e-]*)(?=\))", lambda rate: f"{rate[1]}{float(rate[2]) / 10:g}", broken.text(broken.span)
    )
    return [broken.instead(broken.span, given)] if given != broken.text(broken.span) else []


@says(r"Use a smaller learning rate: by this growth `(lr=[\d.e-]+)`")
def this_rate(broken: Broken, found: re.Match[str]) -> list[str]:
    """The rate that is named."""
    given = re.sub(r"lr=[\w.]+(?:e-\d+)?|(?<=\), )\d[\d.e-]*(?=\)$)", found[1], broken.text(broken.span))
    return [broken.instead(broken.span, given)] if given != broken.text(broken.span) else []


@says(r"Make the optimizer from what the loss is computed from: `([^`…]+)`")
def from_these(broken: Broken, found: re.Match[str]) -> list[str]:
    """Its first argument."""
    match ast.parse(broken.text(broken.span), mode="eval").body:
        case ast.Call(args=[first, *_]):
            return [broken.instead(broken.span, broken.text(broken.span).replace(ast.unparse(first), found[1], 1))]
        case _:
            return []


@says(r"Move line (\d+), which makes the optimizer, behind line (\d+)")
def later_made(broken: Broken, found: re.Match[str]) -> list[str]:
    """The statement goes there."""
    made = [n for n in broken.having(r"optim\.\w+\(|\b(?:SGD|Adam|AdamW|RMSprop)\(") if n.lineno == int(found[1])]
    return [broken.moved(made[0], "after", broken.on_line(int(found[2])))]


@says(r"Make the optimizer after line (\d+), from `([^`…]+)`")
def later_from(broken: Broken, found: re.Match[str]) -> list[str]:
    """The statement goes there, with another first argument."""
    made = [n for n in broken.having(r"optim\.\w+\(") if isinstance(n, ast.Assign) and isinstance(n.value, ast.Call)]
    if len(made) != 1 or not isinstance(made[0], ast.Assign) or not isinstance(made[0].value, ast.Call):
        return []
    again = broken.words(made[0]).replace(broken.words(made[0].value.args[0]), found[2], 1)
    place = broken.on_line(int(found[1]))
    return [broken.edited({id(made[0]): ("instead", ()), id(place): ("after", (again,))})]


@says(r"Freeze the module's parameters: `([^`]+)`")
def freeze(broken: Broken, found: re.Match[str]) -> list[str]:
    """In place of the attribute."""
    return [broken.replaced(broken.statement(broken.span), found[1])]


@says(r"`([\w.]+)\.add_param_group\((.+?)\)`")
def add_group(broken: Broken, found: re.Match[str]) -> list[str]:
    """Before the first loop behind the optimizer."""
    made = broken.having(rf"^{found[1]} = ")
    if not made or "…" in found[2] or not broken.knows(made[0], found[2]):
        return []
    late = re.search(r"made after the optimizer, on line (\d+)", broken.reason.text)
    place = broken.on_line(int(late[1])) if late else made[0]
    return [broken.after(place, f"{found[1]}.add_param_group({found[2]})")]


@says(r"Use `nn\.Module(List|Dict)` in place of the (?:list|tuple|dict)")
def registered(broken: Broken, found: re.Match[str]) -> list[str]:
    """Around the list."""
    span = broken.assigned
    return [broken.instead(span, f"nn.Module{found[1]}({broken.text(span)})")] if span else []


@says(r"Wrap it: `(.+?) = nn\.Parameter\(…\)`")
def wrapped(broken: Broken, found: re.Match[str]) -> list[str]:
    """Around the value."""
    span = broken.assigned
    given = re.sub(r",?\s*requires_grad=True", "", broken.text(span)) if span else ""
    return [broken.instead(span, f"nn.Parameter({given})")] if span else []


@says(r"^(?:Write into the parameter|Subtract the gradient to bring `.+` down): `([^`]+)`")
def written_in_place(broken: Broken, found: re.Match[str]) -> list[str]:
    """In place of the statement."""
    return [broken.replaced(broken.statement(broken.span), found[1])]
