"""What a class of the snippet lacks: ``forward``, an attribute, a gradient for each input; and what a container cannot hold."""

from __future__ import annotations

import ast
import difflib
import re

from engine import nn
from engine.trace.diagnosis.answer import Found
from engine.trace.diagnosis.errors.refused_calls.call import Call
from engine.trace.diagnosis.flow import Function
from engine.trace.marks import code
from engine.trace.narration.amounts import counted, listed

ERROR = "error"


def class_named(call: Call, name: str) -> ast.ClassDef | None:
    """The snippet's class of that name."""
    return next((n for n in ast.walk(call.history.tree) if isinstance(n, ast.ClassDef) and n.name == name), None)


def methods(kind: ast.ClassDef) -> dict[str, Function]:
    """What a class defines itself."""
    return {part.name: part for part in kind.body if isinstance(part, Function)}


def without_forward(call: Call) -> Found:
    """A module that is called and has no ``forward``."""
    found = re.search(r"Module \[(\w+)\] is missing", call.message)
    kind = class_named(call, found[1]) if found is not None else None
    if kind is None:
        return None
    text = f"Calling a module runs its `forward`, and {code(kind.name)} (line {kind.lineno}) defines none."
    own = methods(kind)
    near = difflib.get_close_matches("forward", [name for name in own if not name.startswith("__")], 1, 0.6)
    fix = ""
    if near:
        function = own[near[0]]
        text += f" It has {code(near[0])} (line {function.lineno})."
        line = call.history.source.lines[function.lineno - 1].strip()
        fix = f"Write `{line.replace(near[0], 'forward', 1)}` in place of `{line}` on line {function.lineno}."
    return None, call.answer(ERROR, text, fix, "Define `forward(self, …)` in it, outside of `__init__`.")


def without_attribute(call: Call) -> Found:
    """An attribute of a module that nobody assigned."""
    found = re.search(r"'(\w+)' object has no attribute '(\w+)'", call.message)
    kind = class_named(call, found[1]) if found is not None else None
    if found is None or kind is None or call.span is None:
        return None
    wanted = found[2]
    written = [
        node.attr
        for node in ast.walk(kind)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and ast.unparse(node.value) == "self"
    ]
    names = list(dict.fromkeys([*written, *(name for name in methods(kind) if not name.startswith("__"))]))
    if not names or wanted in names:
        return None
    has = listed([code(f"self.{name}") for name in dict.fromkeys(written)] or ["no attributes of its own"])
    read = next(
        (
            n
            for n in ast.walk(call.history.tree)
            if isinstance(n, ast.Attribute) and n.attr == wanted and n.lineno == call.span.line
        ),
        None,
    )
    if read is None:
        return None
    text = (
        f"{code(ast.unparse(read))} is read, and {code(kind.name)} (line {kind.lineno}) has {has}, no {code(wanted)}."
    )
    near = difflib.get_close_matches(wanted, names, 1, 0.6)
    span = call.history.source.span(read)
    fix = call.instead(span, f"{ast.unparse(read.value)}.{near[0]}") if near else None
    return None, call.answer(ERROR, text, fix, "Give it a value in `__init__`, or read one that there is.")


def gradients_of_a_function(call: Call) -> Found:
    """A custom Function whose ``backward`` returns another number of gradients than ``forward`` has inputs."""
    found = re.search(
        r"function (\w+)Backward returned an incorrect number of gradients \(expected (\d+), got (\d+)\)", call.message
    )
    kind = class_named(call, found[1]) if found is not None else None
    own = methods(kind) if kind is not None else {}
    if found is None or kind is None or not {"forward", "backward"} <= own.keys():
        return None
    inputs = [arg.arg for arg in own["forward"].args.args]
    inputs = inputs[1:] if inputs[:1] == ["ctx"] else inputs
    returns = [n.value for n in ast.walk(own["backward"]) if isinstance(n, ast.Return) and n.value is not None]
    if len(returns) != 1:
        return None
    value = returns[0]
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    span = call.history.source.span(value)
    text = (
        f"{code(f'{kind.name}.backward')} returns {counted(len(parts), 'gradient')}, {call.history.quoted(span)} (line {span.line}), and "
        f"{code('forward')} takes {counted(len(inputs), 'input')}, {listed(list(map(code, inputs)))}: each needs one, or None."
    )
    wanted = int(found[2])
    fix = None
    if len(parts) > wanted and all(isinstance(part, ast.Constant) and part.value is None for part in parts[wanted:]):
        fix = call.instead(span, ", ".join(ast.unparse(part) for part in parts[:wanted]))
    return None, call.answer(
        ERROR,
        text,
        fix,
        f"Return {counted(wanted, 'gradient')}, in the order of the inputs; None for one that needs none.",
        span=span,
    )


def no_layer(call: Call) -> Found:
    """A function, or a class that was not called, among the layers of a container."""
    found = re.search(r"([\w.]+) is not a Module subclass", call.message)
    name = found[1].rpartition(".")[2] if found is not None else ""
    if not isinstance(call.node, ast.Call):
        return None
    container = ast.unparse(call.node.func)
    parts = (
        part for argument in call.node.args for part in ast.walk(argument) if isinstance(part, ast.Name | ast.Attribute)
    )
    given = next((part for part in parts if ast.unparse(part).rpartition(".")[2] == name), None)
    if given is None:
        return None
    quoted, layer = call.history.quoted(call.history.source.span(given)), layer_for(name)
    if layer == name:
        text = f"{quoted} is a class, and {code(container)} holds layers: calling the class makes one."
        return None, call.answer(ERROR, text, call.replaced(given, f"{ast.unparse(given)}()"), f"Write {quoted}`()`.")
    text = f"{quoted} is a function, and {code(container)} holds layers, which are modules."
    prefix = container.rpartition(".")[0]
    made = f"{prefix}.{layer}()" if prefix else f"{layer}()"
    return None, call.answer(
        ERROR, text, call.replaced(given, made) if layer else None, "Call it in `forward` of a module of your own."
    )


def layer_for(name: str) -> str:
    """The layer that does what a function does: ``LeakyReLU`` for ``leaky_relu``; empty where there is none."""
    wanted = name.replace("_", "").lower()
    return next((kind for kind in nn.__all__ if kind == name or kind.lower() == wanted), "")
