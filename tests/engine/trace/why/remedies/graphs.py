"""Graphs that are freed, written over, or kept for too long."""

from __future__ import annotations

import ast
import re

from tests.engine.trace.why.remedies.edits import Broken
from tests.engine.trace.why.remedies.registry import says


@says(r"Cut the tie .*?(at the start of each turn|at the end of each turn|before it is used again): `([^`]+=[^`]+)`")
def cut(broken: Broken, found: re.Match[str]) -> list[str]:
    """At the head or the end of the loop; where the state lives in a module, at the head of the method that reads it."""
    line = broken.failed.line if broken.reason.about == "error" else broken.span.line
    loops = broken.loops(line) or broken.loops(broken.span.line)
    attribute = re.search(r"self\.\w+", found[2])
    methods = [n for n in ast.walk(broken.tree) if isinstance(n, ast.FunctionDef) and n.name != "__init__"]
    reading = [n for n in methods if attribute and attribute[0] in broken.words(n)]
    if reading:
        changed = broken.before(reading[0].body[0], found[2])
    elif found[1] == "at the end of each turn":
        changed = broken.after(loops[-1].body[-1], found[2])
    else:
        changed = broken.before(loops[-1].body[0], found[2])
    return [re.sub(r",?\s*retain_graph=True", "", changed) if "retain_graph" in broken.reason.fix else changed]


@says(r"Move lines? ([\d, and]+) into the loop")
def into_loop(broken: Broken, found: re.Match[str]) -> list[str]:
    """To the head of the loop in which the pass failed, in order."""
    nodes = [broken.on_line(int(line)) for line in re.findall(r"\d+", found[1])]
    loop = broken.next_loop(nodes[-1])
    moved = tuple(broken.words(node) for node in nodes)
    return [broken.edited({**{id(n): ("instead", ()) for n in nodes}, id(loop.body[0]): ("before", moved)})]


@says(r"Move lines? ([\d, and]+) into `(\w+)\(\)`")
def into_function(broken: Broken, found: re.Match[str]) -> list[str]:
    """To the head of the function."""
    nodes = [broken.on_line(int(line)) for line in re.findall(r"\d+", found[1])]
    functions = [n for n in ast.walk(broken.tree) if isinstance(n, ast.FunctionDef) and n.name == found[2]]
    moved = tuple(broken.words(node) for node in nodes)
    return [broken.edited({**{id(n): ("instead", ()) for n in nodes}, id(functions[0].body[0]): ("before", moved)})]


@says(r"If `\w+` should stay as it was: `([^`]+)` before the loop")
def constant(broken: Broken, found: re.Match[str]) -> list[str]:
    """Before the loop with the failing pass."""
    return [broken.before(broken.loops(broken.failed.line)[0], found[1])]


@says(r"Add them and call `backward\(\)` once, not in a loop: `([^`]+)`")
def not_in_loop(broken: Broken, found: re.Match[str]) -> list[str]:
    """In place of the loop, or each call keeps the graph."""
    node = broken.statement(broken.failed)
    keeping = broken.replacing(node, r"\.backward\(\)", ".backward(retain_graph=True)")
    loops = broken.loops(node.lineno)
    return [broken.replaced(loops[-1], found[1]), keeping] if loops else [keeping]


@says(r"Keep the graph at the first call: `([^`]+)`")
def kept_at_first(broken: Broken, found: re.Match[str]) -> list[str]:
    """The call with the argument."""
    plain = found[1].replace(", retain_graph=True", "")
    return [broken.code.replace(plain, found[1], 1)]


@says(r"Add them and call `backward\(\)` once: `([^`]+)`")
def together(broken: Broken, found: re.Match[str]) -> list[str]:
    """One pass from the sum, or the first pass keeps the graph."""
    passes = broken.having(r"\.backward\(")
    last = broken.statement(broken.failed)
    earlier = [
        node for node in passes if node.lineno < last.lineno and broken.loops(node.lineno) == broken.loops(last.lineno)
    ]
    kept = [re.sub(r"\.backward\(\)", ".backward(retain_graph=True)", broken.words(node)) for node in earlier]
    keeping = {id(node): ("instead", (text,)) for node, text in zip(earlier, kept, strict=True)}
    once: dict[int, tuple[str, tuple[str, ...]]] = {id(node): ("instead", ()) for node in earlier}
    once[id(last)] = ("instead", (found[1],))
    return [broken.edited(once), broken.edited(keeping)]


@says(r"or call `backward\(\)` only once\.")
def only_once(broken: Broken, found: re.Match[str]) -> list[str]:
    """The failing call is left out."""
    return [broken.replaced(broken.statement(broken.failed))]


@says(
    r"`(?:torch\.autograd\.grad\(…, |backward\()(create_graph)=True\)`|`torch\.autograd\.grad\(…, (retain_graph)=True\)`"
)
def kept_for_grad(broken: Broken, found: re.Match[str]) -> list[str]:
    """The argument at the call."""
    node = broken.statement(broken.span)
    calls = [
        n
        for n in ast.walk(node)
        if isinstance(n, ast.Call) and re.search(r"grad$|backward$|hvp$|jacobian$", broken.words(n.func))
    ]
    span = broken.source.span(calls[0])
    given = re.sub(r",?\s*create_graph=False", "", broken.text(span))
    return [broken.instead(span, given[:-1] + ("" if given.endswith("()") else ", ") + f"{found[1] or found[2]}=True)")]


@says(r"Read it before `backward\(\)`, or keep it: `backward\(retain_graph=True\)`")
def read_early(broken: Broken, found: re.Match[str]) -> list[str]:
    """The pass before keeps the graph."""
    node = [n for n in broken.having(r"\.backward\(") if n.lineno < broken.failed.line][-1]
    return [broken.replacing(node, r"backward\(\)", "backward(retain_graph=True)")]


@says(r"^(?:Make a new tensor instead of writing into the old one): `([^`]+)`")
def new_tensor(broken: Broken, found: re.Match[str]) -> list[str]:
    """The statement that was given."""
    return [broken.replaced(broken.statement(broken.span), found[1])]


@says(r"(?:W|w)rite into (?:a copy, )?`([\w.]+)\.clone\(\)`")
def into_copy(broken: Broken, found: re.Match[str]) -> list[str]:
    """The name is bound to a copy first."""
    return [broken.before(broken.statement(broken.span), f"{found[1]} = {found[1]}.clone()")]


@says(r"Compute with a copy of what is read, `([^`]+)\.clone\(\)`")
def copy_read(broken: Broken, found: re.Match[str]) -> list[str]:
    """Where the statement reads it."""
    node = broken.statement(broken.span)
    target, equals, value = broken.words(node).partition("=")
    return [broken.replaced(node, target + equals + value.replace(found[1], f"{found[1]}.clone()"))]


@says(r"Make `[^`]+` without `inplace=True`")
def not_in_place(broken: Broken, found: re.Match[str]) -> list[str]:
    """Every layer's."""
    return [re.sub(r"inplace=True|(?<=ReLU\()True", "", broken.code).replace(", )", ")")]


@says(r"Compute what comes before the look-up from a copy: `([^`]+)\.clone\(\)`")
def before_lookup(broken: Broken, found: re.Match[str]) -> list[str]:
    """Where the weight is used otherwise."""
    return [re.sub(rf"\b{re.escape(found[1])}(?=\b(?!\.grad|\.clone))", f"{found[1]}.clone()", broken.code)]


@says(r"Run every `backward\(\)` that needs the old (?:parameters|numbers of `[^`]+`) before ")
def passes_first(broken: Broken, found: re.Match[str]) -> list[str]:
    """The write goes behind the failing pass, with the block that it alone stands in."""
    node, failing = broken.statement(broken.span), broken.statement(broken.failed)
    whole = broken.alone_in(node)
    return [broken.moved(whole, "after", failing)] if whole.lineno < failing.lineno else []


@says(r"Put it under `with torch\.no_grad\(\)`")
def under_no_grad(broken: Broken, found: re.Match[str]) -> list[str]:
    """The write is not recorded, and the gradient is cleared where that is said."""
    clear = re.search(r"clear `([^`]+)`", broken.reason.fix)
    node = broken.statement(broken.failed)
    return [broken.inside_no_grad(node, None, *([f"{clear[1]} = None"] if clear else []))]


@says(r"(?:Add|Keep) plain numbers: put `\.item\(\)` behind")
def plain_numbers(broken: Broken, found: re.Match[str]) -> list[str]:
    """Behind what is added or kept."""
    node = broken.statement(broken.span)
    match node:
        case ast.AugAssign(value=value) | ast.Assign(value=ast.BinOp(right=value)):
            pass
        case ast.Expr(value=ast.Call(args=[value])):
            pass
        case _:
            return []
    if isinstance(value, ast.List):
        value = value.elts[0]
    return [
        broken.instead(broken.source.span(value), f"({broken.words(value)}).{way}") for way in ("item()", "detach()")
    ]


@says(r"Keep the numbers without their history: put `\.detach\(\)` behind")
def without_history(broken: Broken, found: re.Match[str]) -> list[str]:
    """Behind what is kept."""
    return plain_numbers(broken, found)[1:]
