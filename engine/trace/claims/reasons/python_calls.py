"""Mentions of what a call that Python refused takes and was given, read from the snippet's source and from PyTorch's signatures."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator

from engine import nn, optim
from engine.nn import functional
from engine.optim import lr_scheduler
from engine.trace.claims.reasons.mention import CODE, says
from engine.trace.claims.reasons.record import Record, squeezed
from engine.trace.document import Reason
from engine.trace.narration.amounts import number_word
from engine.utils import data

COUNT = r"(\w+)"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def nodes(record: Record) -> list[ast.AST]:
    """Everything in the source."""
    return list(ast.walk(ast.parse(record.trace.code)))


def functions(record: Record, name: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The snippet's functions of that name; of ``Net.forward``, the class's own."""
    owner, _, last = name.rpartition(".")
    for node in nodes(record):
        if isinstance(node, ast.ClassDef) and node.name == owner:
            yield from (part for part in node.body if isinstance(part, FUNCTIONS) and part.name == last)
        elif not owner and isinstance(node, FUNCTIONS) and node.name == last:
            yield node


def written_on(record: Record, text: str) -> ast.expr | None:
    """The expression that is written so."""
    wanted = squeezed(text)
    found = (node for node in nodes(record) if isinstance(node, ast.expr))
    return next((n for n in found if squeezed(ast.get_source_segment(record.trace.code, n) or "") == wanted), None)


@says(r"there are (\d+) names for them|are (\d+) names(?=\.)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """As many stand on the failing line, and as many did Python expect."""
    count = int(found[1] or found[2])
    line = record.trace.outcome.span.line if record.trace.outcome.span is not None else 0
    tuples = (node for node in nodes(record) if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Store))
    stands = any(len(node.elts) == count and node.lineno == line for node in tuples)
    return stands and f"(expected {count}" in record.trace.outcome.message


@says(rf"{CODE} on line (\d+) goes through {COUNT} sequences?, so each (?:batch|turn) gives {COUNT} parts?")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    call = written_on(record, found[1])
    fits = isinstance(call, ast.Call) and call.lineno == int(found[2])
    return fits and isinstance(call, ast.Call) and {number_word(len(call.args))} == {found[3], found[4]}


@says(rf"along dimension 0, which gives {COUNT} parts?")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    shape = record.trace.tensors[reason.tensor].shape if reason.tensor is not None else []
    return bool(shape) and found[1] == number_word(shape[0])


@says(rf", so `[^`]+` holds {COUNT} numbers?")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return reason.tensor is not None and found[1] == number_word(len(record.trace.tensors[reason.tensor].shape))


@says(
    r"`([^`]+)` is an? `(LSTM|GRU|RNN)` and returns two things, all outputs and the last state(, and the state is a pair itself)?"
)
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    bare = found[1].removeprefix("self.")
    of_it = any(row.title.endswith(f"{bare} ({found[2]})") for row in record.trace.scopes)
    return of_it and bool(found[3]) == (found[2] == "LSTM")


@says(r"(`[^`]+`) gives no ((?:`\w+`(?:, | and )?)+)(?=\.)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """The message says the same, and the call stands where it raised."""
    names = re.findall(r"`(\w+)`", found[2])
    missing = re.findall(r"['\"](\w+)['\"]", record.trace.outcome.message.partition("missing")[2])
    return names == missing and squeezed(found[1].strip("`")) in record.whole


@says(r"`([^`]+)` has no parameter `(\w+)`\.")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    call = written_on(record, found[1])
    return call is not None and f"unexpected keyword argument '{found[2]}'" in record.trace.outcome.message


@says(r"`([^`]+)` gives more than there are places for: ((?:`[^`]+`(?:, | and )?)+) ha(?:s|ve) none")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """They are the last arguments, and as many as Python counts too many."""
    call = written_on(record, found[1])
    counts = re.search(
        r"takes (?:from \d+ to )?(\d+) positional arguments? but (\d+) were given", record.trace.outcome.message
    )
    if not isinstance(call, ast.Call) or counts is None:
        return False
    extra = re.findall(r"`([^`]+)`", found[2])
    last = [squeezed(ast.unparse(argument)) for argument in call.args][-len(extra) :]
    return len(extra) == int(counts[2]) - int(counts[1]) and list(map(squeezed, extra)) == last


PARAMETERS = r"`\w+`(?:(?:, | and )`\w+`)*"


@says(
    rf"(`[^`]+`|It)(?: \(line (\d+)\))? takes (?:({PARAMETERS}), all optional|({PARAMETERS})(?:, and optionally ({PARAMETERS}))?)(?=\.)"
)
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """Its signature has these without a default, and these with one."""
    needed = re.findall(r"`(\w+)`", found[4] or "")
    optional = re.findall(r"`(\w+)`", found[3] or found[5] or "")
    if found[2]:
        own = next(functions(record, found[1].strip("`")), None)
        return own is not None and own.lineno == int(found[2]) and parameters(own) == (needed, optional)
    begins = found[1].strip("`") if found[1] != "It" else re.findall(r"`([^`]+)`", reason.text)[0]
    known = signature(begins)
    without = [
        name for name, one in known.items() if one.default is one.empty and name not in ("self", "device", "dtype")
    ]
    return (
        without == needed
        and all(known[name].default is not known[name].empty for name in optional if name in known)
        and (set(optional) <= set(known))
    )


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[list[str], list[str]]:
    """The parameters of a function of the snippet, without and with a default, ``self`` left out."""
    args = function.args
    places = [arg.arg for arg in args.args if arg.arg not in ("self", "ctx", "cls")]
    cut = len(places) - len(args.defaults)
    by_name = list(zip((arg.arg for arg in args.kwonlyargs), args.kw_defaults, strict=True))
    return (
        [*places[:cut], *(name for name, default in by_name if default is None)],
        [*places[cut:], *(name for name, default in by_name if default is not None)],
    )


def signature(name: str) -> dict[str, inspect.Parameter]:
    """The parameters of what PyTorch calls so: a layer, an optimizer, a function, or a method of one of the first two."""
    last, before = name.rpartition(".")[2], name.rpartition(".")[0].rpartition(".")[2]
    owners = (getattr(nn, before, None), getattr(optim, before, None))
    for place in (*filter(None, owners), nn, optim, lr_scheduler, data, functional):
        found = getattr(place, last, None)
        if callable(found):
            open_ended = isinstance(found, type) and "args" in inspect.signature(found).parameters
            known = dict(inspect.signature(found.__mro__[1] if open_ended else found).parameters)
            return {name: one for name, one in known.items() if not (open_ended and name == "mode")}
    return {}


@says(r"`([^`]+)` takes no arguments")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return any(parameters(function) == ([], []) for function in functions(record, found[1]))


@says(r"`([\w.]+)` \(line (\d+)\) has no `self`")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    own = next(functions(record, found[1]), None)
    return own is not None and own.lineno == int(found[2]) and "self" not in (arg.arg for arg in own.args.args)


@says(r"`(\w+)` \(line (\d+)\) has no `return`")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    own = (function for function in functions_anywhere(record) if function.name == found[1])
    there = next((function for function in own if function.lineno == int(found[2])), None)
    return there is not None and not any(isinstance(n, ast.Return) and n.value is not None for n in ast.walk(there))


def functions_anywhere(record: Record) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """All functions and methods of the snippet."""
    return (node for node in nodes(record) if isinstance(node, FUNCTIONS))


@says(rf"`([^`]+)` returns `([^`]+)` \(line (\d+)\), (?:a tuple of )?{COUNT} parts?")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """A return on that line hands back as many things, which are written so."""
    returns = (node.value for node in nodes(record) if isinstance(node, ast.Return) and node.lineno == int(found[3]))
    parts = next((value for value in returns if isinstance(value, ast.Tuple)), None)
    written = ast.get_source_segment(record.trace.code, parts) if parts is not None else ""
    called = written_on(record, found[1])
    same = squeezed(written or "").strip("()") == squeezed(found[2]).strip("()")
    return called is not None and parts is not None and number_word(len(parts.elts)) == found[4] and same


@says(r"`([^`]+)` returns a tuple of two parts, all outputs and the last state")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    bare = found[1].partition("(")[0].removeprefix("self.")
    return any(re.search(rf"{re.escape(bare)} \((?:LSTM|GRU|RNN)\)$", row.title) for row in record.trace.scopes)


@says(r"`\.(\w+)` is asked of all of it")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return f"has no attribute '{found[1]}'" in record.trace.outcome.message


@says(
    rf"`(\w+)\.backward` returns {COUNT} gradients?, `([^`]+)` \(line (\d+)\), and `forward` takes {COUNT} inputs?, "
    r"((?:`\w+`(?:, | and )?)+)"
)
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """The class has both; so many things does the one hand back, on that line, and so many does the other take."""
    forward, backward = (next(functions(record, f"{found[1]}.{name}"), None) for name in ("forward", "backward"))
    if forward is None or backward is None:
        return False
    handed = [n.value for n in ast.walk(backward) if isinstance(n, ast.Return) and n.lineno == int(found[4])]
    counts = [len(value.elts) if isinstance(value, ast.Tuple) else 1 for value in handed]
    taken = parameters(forward)[0]
    named = re.findall(r"`(\w+)`", found[6])
    return list(map(number_word, counts)) == [found[2]] and number_word(len(taken)) == found[5] and taken == named


@says(r"`[\w.]+\.(\w+)` is read, and `(\w+)` \(line (\d+)\) has (.+), no `(\w+)`\.")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """The class begins there, assigns the ones and not the other."""
    kind = class_at(record, found[2], int(found[3]))
    if kind is None or found[1] != found[5]:
        return False
    stored = (n for n in ast.walk(kind) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store))
    own = {node.attr for node in stored}
    return set(re.findall(r"`self\.(\w+)`", found[4])) <= own and found[1] not in own


@says(r"`(\w+)` \(line (\d+)\) defines none\.(?: It has `(\w+)` \(line (\d+)\))?")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    kind = class_at(record, found[1], int(found[2]))
    own = {part.name: part.lineno for part in kind.body if isinstance(part, FUNCTIONS)} if kind is not None else {}
    near = found[3] is None or own.get(found[3]) == int(found[4])
    return kind is not None and "forward" not in own and near


def class_at(record: Record, name: str, line: int) -> ast.ClassDef | None:
    """The snippet's class of that name that begins on a line."""
    classes = (node for node in nodes(record) if isinstance(node, ast.ClassDef))
    return next((node for node in classes if node.name == name and node.lineno == line), None)


@says(r"`([^`]+)` on line (\d+) is a method that is not called")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """It stands there, and nowhere on that line as what is called."""
    on = [node for node in nodes(record) if getattr(node, "lineno", 0) == int(found[2])]
    stands = any(isinstance(node, ast.Attribute) and ast.unparse(node) == found[1] for node in on)
    return stands and not any(isinstance(node, ast.Call) and ast.unparse(node.func) == found[1] for node in on)


@says(r"`([^`]+)` is a tensor (?:here|since line (\d+)), not a function")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    rows = [record.trace.tensors[tensor] for tensor in record.tensors(found[1])]
    return any(found[2] is None or (row.span is not None and row.span.line == int(found[2])) for row in rows)


@says(r"`([^`]+)` is a (function|class), and `([^`]+)` holds layers")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """It is given to the container, and PyTorch refuses that very thing."""
    last = found[1].rpartition(".")[2]
    refused = f"{last} is not a Module subclass" in record.trace.outcome.message
    return refused and (found[2] == "class") == hasattr(nn, last) and written_on(record, found[3]) is not None


@says(r"In Python `/` always gives a float, `//` an int")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return True


@says(r"`[^`]+`(?: \(`([^`]+)`, line (\d+)\))? is (\d+\.\d+), a float: a length has to be an int")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    """The refused call was given that float, and what is said to have made it stands where it is said to."""
    refused = record.trace.outcome.refused
    there = found[1] is None or record.begins_on(found[1], int(found[2])) or record.placed(found[1], int(found[2]))
    return refused is not None and there and any(g.type == "float" and g.text == found[3] for g in refused.given)


@says(r"`([^`]+)` holds rows of (\d+) and of (\d+) entries in dimension (\d+)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    said = f"expected sequence of length {found[2]} at dim {found[4]} (got {found[3]})"
    return said in record.trace.outcome.message and squeezed(found[1]) in record.whole


@says(r"`([^`]+)` holds text, and a tensor holds numbers")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    return "'str'" in record.trace.outcome.message and squeezed(found[1]) in record.whole


@says(r"it has (?:(\d+) dimensions|one dimension|no dimensions), and `[^`]+` gives (\d+) indices")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    wanted = len(record.trace.tensors[reason.tensor].shape) if reason.tensor is not None else 0
    return f"tensor of dimension {wanted}" in record.trace.outcome.message and int(found[1] or 1) == wanted < int(
        found[2]
    )


@says(r"(\d+) classes are counted from 0 to (\d+), and .+ holds (\d+)")
def _(record: Record, reason: Reason, found: re.Match[str]) -> bool:
    refused = record.trace.outcome.refused
    value = record.trace.tensors[reason.tensor].value if reason.tensor is not None else None
    given = refused is not None and any(g.type == "int" and g.text == found[1] for g in refused.given)
    held = {*(value.data or ()), value.low, value.high} if value is not None else set()
    return given and int(found[2]) == int(found[1]) - 1 < int(found[3]) in held
