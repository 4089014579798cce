"""Where a plain value went after it had left the tensors: read from the source, name by name.

A number that `item()` gave, an array or a list has no place in the trace. `Flow.carries` follows it through
assignments, arguments, returned values and containers, so that ``s = float(w)`` … ``loss = b * s`` is one story.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from engine.trace.instrument import GROWS
from engine.trace.parts import Span
from engine.trace.spans import Source, within

Place = tuple[ast.AST | None, str]
"""A variable: the function that it belongs to (None: the snippet, or an attribute path) and its name."""

SHOWN = frozenset({"print", "len", "isinstance", "type", "id", "repr", "str", "format", "info", "debug", "write"})
"""Calls that look at a value and hand on nothing of it that computes."""
ABOUT = frozenset({"shape", "dtype", "device", "ndim", "requires_grad", "grad_fn", "is_leaf"})
"""Attributes that tell about a tensor and hold none of its numbers."""
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Flow:
    """The snippet's source, ready to be asked where values go."""

    def __init__(self, tree: ast.Module, source: Source) -> None:
        self.nodes = list(ast.walk(tree))
        self.spans = {node: source.span(node) for node in self.nodes if isinstance(node, ast.expr)}
        self.owner: dict[ast.AST, ast.AST | None] = {}
        self.functions: dict[str, list[Function]] = {}
        """Functions and methods by name; a class stands for its ``__init__``."""
        self.locals: dict[ast.AST, set[str]] = {}
        self._own(tree, None)
        self._carried: dict[Span, Carried] = {}

    def _own(self, node: ast.AST, function: ast.AST | None) -> None:
        for child in ast.iter_child_nodes(node):
            self.owner[child] = function
            inner = function
            if isinstance(child, Function):
                self.functions.setdefault(child.name, []).append(child)
                if child.name == "__init__" and isinstance(node, ast.ClassDef):
                    self.functions.setdefault(node.name, []).append(child)
                self.locals[child] = {a.arg for a in arguments(child)}
                inner = child
            elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store) and function in self.locals:
                self.locals[function].add(child.id)
            self._own(child, inner)

    def meant(self, func: ast.expr) -> list[Function]:
        """The snippet's functions that a call may run: by name, else those that make objects callable."""
        return self.functions.get(called(func)) or [
            function for name in ("__call__", "forward") for function in self.functions.get(name, ())
        ]

    def carries(self, seed: Span, place: Span) -> bool:
        """Whether the source at ``place`` computes with the value of the expression at ``seed``."""
        if seed not in self._carried:
            self._carried[seed] = Carried(self, seed)
        return self._carried[seed].into(place)


class Carried:
    """Everything that the value of one expression goes into."""

    def __init__(self, flow: Flow, seed: Span) -> None:
        self.flow = flow
        self.seeds = {node for node, span in flow.spans.items() if span == seed}
        self.places: set[Place] = set()
        self.filled: set[Place] = set()
        """Those of them that are containers or objects which it was put into."""
        self.returned: set[ast.AST] = set()
        """Functions that hand it back."""
        before = -1
        while self.seeds and before != self._known():
            before = self._known()
            for node in flow.nodes:
                self._pass_on(node)
        self.held = [span for node, span in flow.spans.items() if self.seeds and self.holds(node)]
        """Every expression that computes with it."""
        self._into: dict[Span, bool] = {}

    def into(self, place: Span) -> bool:
        """Whether the source at a place computes with it. Asked of every tensor, of which a loop makes many at one place."""
        if place not in self._into:
            self._into[place] = any(within(held, place) for held in self.held)
        return self._into[place]

    def _known(self) -> int:
        return len(self.places) + len(self.filled) + len(self.returned)

    def holds(self, node: ast.AST) -> bool:
        """Whether the value of an expression may come from the seed."""
        if node in self.seeds:
            return True
        match node:
            case ast.Name(id=name):
                return self._place(node, name) in self.places
            case ast.Attribute(attr=attr, value=value):
                return attr not in ABOUT and ((None, path(node)) in self.places or self.holds(value))
            case ast.Call(func=func, args=args, keywords=keywords):
                if called(func) in SHOWN:
                    return False
                if any(function in self.returned for function in self.flow.meant(func)):
                    return True
                given = [*args, *(keyword.value for keyword in keywords)]
                return any(map(self.holds, given)) or (isinstance(func, ast.Attribute) and self.holds(func.value))
            case ast.IfExp(body=body, orelse=orelse):
                return self.holds(body) or self.holds(orelse)
            case ast.JoinedStr() | ast.Lambda() | ast.Constant():
                return False
            case ast.ListComp(elt=element, generators=loops) | ast.GeneratorExp(elt=element, generators=loops):
                return self.holds(element) or any(self.holds(loop.iter) for loop in loops)
            case _:
                return any(self.holds(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))

    def _pass_on(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=targets, value=value) if self.holds(value):
                for target in targets:
                    self._take(target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value) if self.holds(value):
                self._take(target, value)
            case ast.AugAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value) if self.holds(
                value
            ):
                self._take(target, value)
            case ast.For(target=target, iter=loop) | ast.comprehension(target=target, iter=loop) if self.holds(loop):
                self._take(target, loop)
            case ast.Return(value=ast.expr() as value) if self.holds(value):
                function = self.flow.owner[node]
                if function is not None:
                    self.returned.add(function)
            case ast.Call(func=func, args=args):
                given = list(enumerate(args))
                if isinstance(func, ast.Attribute) and func.attr in GROWS and any(map(self.holds, args)):
                    self._fill(func.value, node)
                for function in self.flow.meant(func):
                    names = [a.arg for a in arguments(function)]
                    first = 1 if names[:1] == ["self"] else 0
                    for number, argument in given:
                        if number + first >= len(names):
                            continue
                        parameter = (function, names[number + first])
                        if parameter in self.filled:
                            self._take(argument, node)
                        if self.holds(argument):
                            self.places.add(parameter)
                    for keyword in node.keywords:
                        if keyword.arg in names and self.holds(keyword.value):
                            self.places.add((function, keyword.arg))
            case _:
                pass

    def _take(self, target: ast.expr, value: ast.expr) -> None:
        """The value is bound to a target; of a tuple, only to the parts that get it."""
        if isinstance(target, ast.Tuple | ast.List):
            parts = value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts) else None
            for number, part in enumerate(target.elts):
                if parts is None or self.holds(parts[number]):
                    self._take(part, value if parts is None else parts[number])
        elif isinstance(target, ast.Name):
            self.places.add(self._place(target, target.id))
        elif isinstance(target, ast.Attribute):
            self.places.add((None, path(target)))
        elif isinstance(target, ast.Subscript):
            self._fill(target.value, value)
        elif isinstance(target, ast.Starred):
            self._take(target.value, value)

    def _fill(self, target: ast.expr, value: ast.expr) -> None:
        """The value is put into a container, which others may know by other names."""
        self._take(target, value)
        if isinstance(target, ast.Name):
            self.filled.add(self._place(target, target.id))

    def _place(self, node: ast.AST, name: str) -> Place:
        function = self.flow.owner[node]
        while function is not None and name not in self.flow.locals[function]:
            function = self.flow.owner[function]
        return (function, name)


def arguments(function: Function) -> Iterator[ast.arg]:
    """A function's parameters, in the order of positions."""
    yield from function.args.posonlyargs
    yield from function.args.args
    yield from function.args.kwonlyargs


def called(func: ast.expr) -> str:
    """The last part of what is called: ``item`` of ``loss.item``."""
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def path(node: ast.expr) -> str:
    """``self.w`` as it is written."""
    return ast.unparse(node)
