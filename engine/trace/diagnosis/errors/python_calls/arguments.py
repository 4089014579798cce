"""Arguments that do not fit what is called: one is missing, one is too many, one has a name that nobody takes."""

from __future__ import annotations

import ast
import difflib
import re

from engine.trace import events
from engine.trace.diagnosis.answer import Answer, Found
from engine.trace.diagnosis.errors.python_calls.failing import failing_call, instead
from engine.trace.diagnosis.errors.python_calls.signature import Signature, signature_of
from engine.trace.diagnosis.flow import called
from engine.trace.diagnosis.history import History
from engine.trace.marks import code
from engine.trace.narration.amounts import listed
from engine.trace.parts import Span
from engine.trace.state import State

NAMED = re.compile(r"^`?([\w.]+)\(\)")
MEANT = {
    "learning_rate": ("lr",),
    "rate": ("p", "lr"),
    "drop_rate": ("p",),
    "dropout_rate": ("p",),
    "drop_prob": ("p",),
    "dropout": ("p",),
    "units": ("out_features", "hidden_size"),
    "filters": ("out_channels",),
    "input_dim": ("in_features", "input_size", "num_embeddings"),
    "in_dim": ("in_features", "input_size"),
    "output_dim": ("out_features", "embedding_dim"),
    "out_dim": ("out_features",),
    "in_size": ("in_features", "input_size"),
    "hidden_dim": ("hidden_size",),
    "layers": ("num_layers",),
    "use_bias": ("bias",),
    "axis": ("dim",),
    "epsilon": ("eps",),
    "decay": ("weight_decay", "gamma"),
    "l2": ("weight_decay",),
    "num_hidden": ("hidden_size",),
    "hidden": ("hidden_size",),
    "weights": ("weight",),
    "batch": ("batch_size",),
    "labels": ("target",),
    "y": ("target",),
    "reduce": ("reduction",),
}
"""What people call a parameter, after other libraries and papers, and what it is called here."""
TARGETS = ("target", "targets", "y", "y_true", "label", "labels", "t")
"""What people call what a loss compares with."""


def unfitting(history: History, state: State) -> Found:
    """The call's own columns, the parameters of what it calls, and the call as it should be."""
    message, call = history.trace.outcome.message, failing_call(history)
    named = NAMED.match(message)
    if named is None or call is None:
        return None
    signature = signature_of(history, named[1], called(call.func))
    missing = re.search(r"missing \d+ required (?:positional|keyword-only) arguments?: (.+)", message)
    if missing is not None:
        return None, lacking(history, call, named[1], re.findall(r"['\"](\w+)['\"]", missing[1]), signature)
    unknown = re.search(r"unexpected keyword argument '(\w+)'", message)
    if unknown is not None:
        return misnamed(history, call, unknown[1], signature)
    if re.search(r"takes .*positional arguments? but", message):
        return superfluous(history, call, named[1], signature)
    return None


def taken(signature: Signature | None, called_as: str) -> str:
    """A sentence on what a function takes: ``It takes `x` and `y`.``"""
    if signature is None or not signature.names:
        return ""
    needed, optional = (joined(list(map(code, names))) for names in (signature.needed, signature.optional))
    where = f" (line {signature.written.lineno})" if signature.written is not None else ""
    both = f"{needed}, and optionally {optional}" if needed and optional else needed or f"{optional}, all optional"
    return f" {called_as}{where} takes {both}."


def joined(names: list[str]) -> str:
    """All of them, the last with ``and``."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def title(call: ast.Call, qualified: str) -> str:
    """How to call what was called: as the source does, and by its method where that is another name."""
    name = code(ast.unparse(call.func))
    owner, _, last = qualified.rpartition(".")
    return code(qualified) if owner and last != "__init__" else name


def lacking(history: History, call: ast.Call, qualified: str, names: list[str], signature: Signature | None) -> Answer:
    """Arguments that are needed and not given."""
    span = history.source.span(call)
    missing = listed(list(map(code, names)))
    if signature is not None and not set(names) <= set(signature.needed):
        signature = None  # another function of that name
    text = f"{history.quoted(span)} gives no {missing}.{taken(signature, title(call, qualified))}"
    if names == ["closure"]:
        text += " LBFGS computes the loss several times in one step, so it has to be given a function that does so."
    fix = ""
    name = standing_for(history, call, names[0]) if len(names) == 1 else None
    if name is not None:
        written = history.text(span)
        joined = f"{written[:-1].rstrip().rstrip(',')}{', ' if call.args or call.keywords else ''}"
        fix = instead(history, span, f"{joined}{name})" if not call.keywords else f"{joined}{names[0]}={name})")
    if names == ["closure"]:
        fix = (
            "Give it a function that clears the gradients, computes the loss, calls `backward()` and returns the loss."
        )
    return Answer("error", text, fix or f"Give {missing} as well.", history.last, span)


def standing_for(history: History, call: ast.Call, name: str) -> str | None:
    """The one variable that a missing argument is most likely: a tensor of its name, or a loss's target."""
    given = {ast.unparse(part) for argument in call.args for part in ast.walk(argument) if isinstance(part, ast.Name)}
    wanted = TARGETS if name in ("target", "input2") else (name,)
    bound = {step.name for step in history.trace.steps if isinstance(step, events.NameBound)}
    return next((other for other in wanted if other in bound - given), None)


def misnamed(history: History, call: ast.Call, name: str, signature: Signature | None) -> Found:
    """A keyword that nothing takes."""
    keyword = next((keyword for keyword in call.keywords if keyword.arg == name), None)
    if signature is None or keyword is None:
        return None
    span = history.source.span(call)
    given = {keyword.arg for keyword in call.keywords} | set(signature.names[: len(call.args)])
    free = [other for other in signature.names if other not in given]
    near = [other for other in MEANT.get(name, ()) if other in free] or difflib.get_close_matches(name, free, 1, 0.7)
    text = f"{code(ast.unparse(call.func))} has no parameter {code(name)}.{taken(signature, 'It')}"
    value = history.text(history.source.span(keyword.value))
    fix = ""
    if near and span.line == span.end_line:
        written = history.text(span)
        fix = instead(
            history, span, re.sub(rf"\b{name}(\s*=\s*){re.escape(value)}", rf"{near[0]}\g<1>{value}", written)
        )
    return None, Answer("error", text, fix or f"Leave {code(name)} out.", history.last, span)


def superfluous(history: History, call: ast.Call, qualified: str, signature: Signature | None) -> Found:
    """More arguments than there are places for."""
    if signature is None or any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    span, own = history.source.span(call), signature.written
    owner = qualified.rpartition(".")[0]
    first = own.args.args[0].arg if own is not None and own.args.args else ""
    if own is not None and owner and first not in ("self", "ctx", "cls") and not own.decorator_list:
        line = history.source.lines[own.lineno - 1].strip()
        text = (
            f"{code(qualified)} (line {own.lineno}) has no `self`: a method gets its own object as the first argument."
        )
        opening = f"def {own.name}("
        better = line.replace(opening, f"{opening}self{', ' if first else ''}", 1)
        fix = f"Write `{better}` in place of `{line}` on line {own.lineno}."
        header = Span(own.lineno, own.col_offset, own.lineno, own.col_offset + len(line))
        return None, Answer("error", text, fix, history.last, header)
    places, given = signature.by_place, len(call.args)
    if given <= places:
        return None
    extra = call.args[places:]
    names = listed([history.quoted(history.source.span(argument)) for argument in extra])
    one = len(extra) == 1
    text = f"{history.quoted(span)} gives more than there are places for: {names} {'has' if one else 'have'} none."
    text += taken(signature, title(call, qualified)) or f" {title(call, qualified)} takes no arguments."
    kept = history.text(span)
    if places:
        end = history.source.span(call.args[places - 1])
        last = history.source.span(extra[-1])
        fits = span.line == span.end_line
        better = kept[: end.end_column - span.column] + kept[last.end_column - span.column :] if fits else ""
    else:
        better = f"{ast.unparse(call.func)}()"
    fix = instead(history, span, better) if better else ""
    return None, Answer("error", text, fix or f"Leave {names} out.", history.last, span)
