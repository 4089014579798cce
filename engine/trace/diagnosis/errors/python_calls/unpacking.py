"""Names that do not match in number what is taken apart: what there is to take, and how many parts it has."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from engine.trace.diagnosis.answer import Answer, Found
from engine.trace.diagnosis.errors.python_calls.failing import (
    class_of,
    function_of,
    given_last,
    instead,
    last_assigned,
)
from engine.trace.diagnosis.flow import called
from engine.trace.diagnosis.history import History
from engine.trace.marks import code
from engine.trace.narration.amounts import counted
from engine.trace.state import State

COUNTS = re.compile(r"(?:not enough|too many) values to unpack \(expected (\d+)(?:, got (\d+))?\)")
RECURRENT = {"LSTM": "(h, c)", "GRU": "h", "RNN": "h"}
"""Layers that return all outputs and the last state, and how that state is taken apart."""


@dataclass(frozen=True)
class Taken:
    """What is taken apart, and the names that it should go into."""

    target: ast.Tuple | ast.List
    value: ast.expr
    loop: bool
    """Whether each thing that a loop gives is taken apart, and not the value itself."""


def unmatched(history: History, state: State) -> Found:
    """The tensor that is taken apart (where it is one), and the answer."""
    found = COUNTS.search(history.trace.outcome.message)
    taken = None if found is None else taken_apart(history, int(found[1]))
    if found is None or taken is None:
        return None
    got = int(found[2]) if found[2] else None
    names = f"{len(taken.target.elts)} names"
    for explain in (enumerated, shape, whole_tensor, rows_of_a_loader, recurrent, returned):
        answer = explain(history, taken, got, names)
        if answer is not None:
            return answer
    return None


def taken_apart(history: History, count: int) -> Taken | None:
    """The assignment or loop on the failing line whose names are as many as Python expected."""
    span = history.trace.outcome.span
    if span is None:
        return None
    for node in history.nodes:
        match node:
            case ast.Assign(targets=[ast.Tuple() | ast.List() as target], value=value):
                loop = False
            case ast.For(target=ast.Tuple() | ast.List() as target, iter=value):
                loop = True
            case ast.comprehension(target=ast.Tuple() | ast.List() as target, iter=value):
                loop = True
            case _:
                continue
        whole = history.source.span(value)
        on = history.source.span(target).line <= span.line <= whole.end_line
        if on and len(target.elts) == count and not any(isinstance(part, ast.Starred) for part in target.elts):
            return Taken(target, value, loop)
    return None


def answer(history: History, text: str, fix: str, tensor: int | None = None) -> Found:
    """An answer at the names and at what goes into them."""
    span = history.trace.outcome.span
    return tensor, Answer("error", text, fix, history.last, span)


def enumerated(history: History, taken: Taken, got: int | None, names: str) -> Found:
    """``for i, x, y in enumerate(loader)``: the pair lies inside of a pair."""
    if not taken.loop or not isinstance(taken.value, ast.Call) or called(taken.value.func) != "enumerate":
        return None
    first, *rest = (ast.unparse(part) for part in taken.target.elts)
    if len(rest) < 2:
        return None
    span = history.source.span(taken.target)
    inner = f"{first}, ({', '.join(rest)})"
    given = history.quoted(history.source.span(taken.value))
    text = f"{given} gives pairs of a number and a part, and {code(history.text(span))} are {names}."
    return answer(history, text, instead(history, span, inner))


def shape(history: History, taken: Taken, got: int | None, names: str) -> Found:
    """The lengths of a tensor in another number of names than it has dimensions."""
    match taken.value:
        case ast.Attribute(value=owner, attr="shape") | ast.Call(func=ast.Attribute(value=owner, attr="size"), args=[]):
            tensor = history.named(ast.unparse(owner))
        case _:
            return None
    if tensor is None or taken.loop:
        return None
    lengths, wanted = history.trace.tensors[tensor].shape, [ast.unparse(part) for part in taken.target.elts]
    held = f"{history.quoted(history.source.span(taken.value))} holds {counted(len(lengths), 'number')}"
    text = f"{told(history, tensor)}, so {held}, and there are {names} for them."
    span = history.source.span(taken.target)
    if len(lengths) > len(wanted):
        more = [*wanted[:-1], *["_"] * (len(lengths) - len(wanted)), wanted[-1]]
        return answer(history, text, instead(history, span, ", ".join(more)), tensor)
    return answer(
        history,
        text,
        "Take as many names as there are dimensions, or give the tensor the missing one with `unsqueeze()`.",
        tensor,
    )


def told(history: History, tensor: int) -> str:
    """`` `x` has shape [4, 3] (`torch.randn(4, 3)`, line 2)``."""
    row = history.trace.tensors[tensor]
    made = history.quoted(row.span)
    where = (
        f" ({made}, line {row.span.line})"
        if row.span is not None and row.span.line and made != history.label(tensor)
        else ""
    )
    return f"{history.label(tensor)} has shape {row.shape}{where}"


def whole_tensor(history: History, taken: Taken, got: int | None, names: str) -> Found:
    """A tensor, whose first dimension Python goes along."""
    tensor = tensor_at(history, taken.value)
    if tensor is None or taken.loop:
        return None
    lengths, wanted = history.trace.tensors[tensor].shape, len(taken.target.elts)
    if not lengths or (got is not None and lengths[0] != got) or lengths[0] == wanted:
        return None
    text = (
        f"{told(history, tensor)}. Taking it apart goes along dimension 0, which gives {counted(lengths[0], 'part')}, "
        f"and there are {names} for them."
    )
    place = next((at for at, length in enumerate(lengths) if length == wanted), None)
    fix = "Index the parts that you mean, or take as many names as there are parts."
    if place is not None:
        span = history.source.span(taken.value)
        fix = instead(history, span, f"{history.text(span)}.unbind({place})") or fix
    return answer(history, text, fix, tensor)


def tensor_at(history: History, value: ast.expr) -> int | None:
    """The tensor that an expression gave, where it gave one: by its name, or by its columns.

    A call of a layer that returns several has none of that name and several of those columns.
    """
    if isinstance(value, ast.Name | ast.Attribute):
        name = ast.unparse(value)
        line = value.lineno
        bound = last_assigned(history, name, line)
        if bound is not None and history.named(name) is None:
            return None
        return history.named(name)
    if isinstance(value, ast.Call) and function_of(history, value) is not None:
        returns = returned_parts(history, value)
        return None if returns else last_of(history, value)
    if isinstance(value, ast.Call) and class_of(history, ast.unparse(value.func)) in RECURRENT:
        return None
    return last_of(history, value)


def last_of(history: History, value: ast.expr) -> int | None:
    """The last tensor that was made in the columns of an expression."""
    span = history.source.span(value)
    return next((t for t in reversed(range(len(history.trace.tensors))) if history.trace.tensors[t].span == span), None)


def rows_of_a_loader(history: History, taken: Taken, got: int | None, names: str) -> Found:
    """The parts of an example: as many as the data set has tensors."""
    if not taken.loop:
        return None
    loader = taken.value if isinstance(taken.value, ast.Call) else given_last(history, taken.value)
    if not isinstance(loader, ast.Call) or called(loader.func) not in ("DataLoader", "zip"):
        return None
    data = loader
    if called(loader.func) == "DataLoader" and loader.args:
        found = loader.args[0] if isinstance(loader.args[0], ast.Call) else given_last(history, loader.args[0])
        if not isinstance(found, ast.Call) or called(found.func) != "TensorDataset":
            return None
        data = found
    if any(isinstance(argument, ast.Starred) for argument in data.args):
        return None
    parts = len(data.args)
    where = history.source.span(data)
    each = "batch" if data is not loader else "turn"
    text = (
        f"{history.quoted(where)} on line {where.line} goes through {counted(parts, 'sequence')}, so each {each} gives "
        f"{counted(parts, 'part')}, and there are {names} for them."
    )
    wanted = [ast.unparse(part) for part in taken.target.elts]
    span = history.source.span(taken.target)
    better = wanted[:parts] + ["_"] * (parts - len(wanted))
    bare = better[0] + "," if len(better) == 1 else ", ".join(better)
    return answer(history, text, instead(history, span, bare))


def recurrent(history: History, taken: Taken, got: int | None, names: str) -> Found:
    """A recurrent layer returns its outputs and its last state; of an LSTM the state is a pair itself."""
    if taken.loop or not isinstance(taken.value, ast.Call):
        return None
    func = ast.unparse(taken.value.func)
    kind = class_of(history, func)
    if kind not in RECURRENT or len(taken.target.elts) == 2:
        return None
    pair = ", and the state is a pair itself" if kind == "LSTM" else ""
    text = f"{code(func)} is an {code(kind)}" if kind == "LSTM" or kind == "RNN" else f"{code(func)} is a {code(kind)}"
    text += f" and returns two things, all outputs and the last state{pair}; there are {names} for them."
    wanted = [ast.unparse(part) for part in taken.target.elts]
    inner = RECURRENT[kind] if kind != "LSTM" or len(wanted) != 3 else f"({wanted[1]}, {wanted[2]})"
    return answer(history, text, instead(history, history.source.span(taken.target), f"{wanted[0]}, {inner}"))


def returned(history: History, taken: Taken, got: int | None, names: str) -> Found:
    """What a function of the snippet returns."""
    value = taken.value if isinstance(taken.value, ast.Call) else given_last(history, taken.value)
    parts = returned_parts(history, value) if isinstance(value, ast.Call) else None
    if parts is None or not isinstance(value, ast.Call):
        return None
    where = history.source.span(parts)
    text = (
        f"{history.quoted(history.source.span(value))} returns {history.quoted(where)} (line {where.line}), "
        f"{counted(len(parts.elts), 'part')}, and there are {names} for them."
    )
    wanted = [ast.unparse(part) for part in taken.target.elts]
    count = len(parts.elts)
    better = [*wanted[:count], *["_"] * (count - len(wanted))]
    return answer(history, text, instead(history, history.source.span(taken.target), ", ".join(better)))


def returned_parts(history: History, call: ast.Call) -> ast.Tuple | None:
    """The tuple that the function behind a call returns, where it returns one in one place."""
    function = function_of(history, call)
    if function is None:
        return None
    found = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    return found[0] if len(found) == 1 and isinstance(found[0], ast.Tuple) else None
