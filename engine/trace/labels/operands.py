"""What the source calls an operation's arguments: for tensors that are known only because an operation was given them."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

from engine.trace.document import Node, Trace
from engine.trace.events import TensorMade
from engine.trace.spans import Source


def called_by_operations(trace: Trace, source: Source, unnamed: set[int]) -> dict[int, str]:
    """The text of the argument that each of the tensors was, by the first operation whose source tells."""
    found: dict[int, str] = {}
    for tensor, told in (*of_recorded(trace, source, unnamed), *of_unrecorded(trace, source, unnamed)):
        found.setdefault(tensor, told)
    return found


def of_recorded(trace: Trace, source: Source, unnamed: set[int]) -> Iterator[tuple[int, str]]:
    """(tensor, text) of what recorded operations were given, or saved."""
    for node in trace.nodes:
        if node.span is None or node.leaf is not None:
            continue
        text = source.text(node.span)
        if not calls(text, node.operator):
            continue
        arguments = [edge.argument for edge in node.edges]
        given = [
            (edge.argument, edge.tensor if edge.node is None else behind(trace, edge.node, edge.input_nr))
            for edge in node.edges
        ]
        given += [(saved.name, saved.tensor) for saved in node.saved]
        for argument, tensor in given:
            told = operand(text, argument, arguments) if tensor in unnamed else ""
            if tensor is not None and told:
                yield tensor, told


def of_unrecorded(trace: Trace, source: Source, unnamed: set[int]) -> Iterator[tuple[int, str]]:
    """(tensor, text) of what operations without a node were given."""
    for step in trace.steps:
        if not isinstance(step, TensorMade) or step.node is not None or step.span is None:
            continue
        if unnamed.isdisjoint(step.inputs):
            continue
        text = source.text(step.span)
        texts = [part for part in operands(text) if may_be_tensor(part)] if calls(text, step.operator) else []
        if len(texts) == len(step.inputs):
            yield from ((tensor, told) for tensor, told in zip(step.inputs, texts, strict=True) if tensor in unnamed)


TRUTHS = frozenset({"allclose", "equal", "gradcheck", "gradgradcheck"})
"""Functions that compute tensors and give True or False."""
TENSOR_CLASSES = ("Tensor", "Parameter", "Buffer", "Variable")
"""How the names of classes end whose objects are tensors."""


@functools.lru_cache(maxsize=1024)
def gives_no_tensor(text: str) -> bool:
    """Whether an expression is a call that makes a layer, or gives a truth value: no tensor made in it is its result."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return False
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name | ast.Attribute):
        return False
    name = tree.func.id if isinstance(tree.func, ast.Name) else tree.func.attr
    return name in TRUTHS or (name[:1].isupper() and not name.endswith(TENSOR_CLASSES))


@functools.lru_cache(maxsize=1024)
def calls(text: str, operator: str) -> bool:
    """Whether an expression is the operation itself: no call of a function of another name, inside of which it happens."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return False
    if not isinstance(tree, ast.Call):
        return True
    called = ast.unparse(tree.func).rpartition(".")[2].strip("_")
    own = operator.strip("_")
    return own == called or own.endswith(f"_{called}") or called.endswith(f"_{own}")


def may_be_tensor(text: str) -> bool:
    """Whether an operand's source may mean a tensor: it is no number, no text and no slice."""
    try:
        return not isinstance(ast.parse(text, mode="eval").body, ast.Constant)
    except SyntaxError:
        return False


def behind(trace: Trace, node: int, input_nr: int) -> int | None:
    """The tensor that an edge into (node, output) stands for."""
    receiver: Node = trace.nodes[node]
    if receiver.leaf is not None:
        return receiver.leaf
    return receiver.outputs[input_nr] if input_nr < len(receiver.outputs) else None


def operand(text: str, argument: str, arguments: list[str]) -> str:
    """``state.detach()`` for argument ``other`` of ``gain * state.detach()``; empty where the text does not tell."""
    parts = operands(text)
    base, _, place = argument.partition("[")
    if base == "indices" and place:
        return parts[1 + int(place[:-1])] if len(parts) > 1 + int(place[:-1]) else ""
    position = (
        arguments.index(argument) if argument in arguments else {"self": 0, "other": 1, "mat2": 1}.get(argument, -1)
    )
    return parts[position] if 0 <= position < len(parts) else ""


@functools.lru_cache(maxsize=1024)
def operands(text: str) -> tuple[str, ...]:
    """The sources of an expression's operands: both sides, the receiver and arguments, the indexed and the indices."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return ()
    match tree:
        case ast.BinOp(left=left, right=right):
            parts = [left, right]
        case ast.UnaryOp(operand=inner):
            parts = [inner]
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch" | "F" | "nn"))):
            parts = list(tree.args)
        case ast.Call(func=ast.Attribute(value=receiver)):
            parts = [receiver, *tree.args]
        case ast.Call():
            parts = list(tree.args)
        case ast.Subscript(value=value, slice=ast.Tuple(elts=indices)):
            parts = [value, *indices]
        case ast.Subscript(value=value, slice=index):
            parts = [value, index]
        case _:
            return ()
    return tuple(ast.unparse(part) for part in parts if not isinstance(part, ast.Starred))
