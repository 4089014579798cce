"""Hook calls for what a statement binds: names, attributes, and what a ``case`` captures."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from engine.trace.program import Binding, Program, Where


class Targets(ast.NodeTransformer):
    """Builds hook calls and registers targets; where a name lives follows the function or class that is rewritten."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.module_level = True
        self.class_name = ""
        self.declared: dict[str, Where] = {}
        """Names that the function declares global or nonlocal."""

    def call(self, hook: str, arguments: Sequence[ast.expr], at: ast.AST) -> ast.Call:
        """``hook(arguments…)`` at the place of ``at``, so that whatever happens in it points there."""
        node = ast.Call(ast.Constant(self.program.mark + hook), list(arguments), [])
        for part in (node, node.func, *arguments):
            if not hasattr(part, "lineno"):
                ast.copy_location(part, at)
        return node

    def statement(self, hook: str, arguments: Sequence[ast.expr], at: ast.AST) -> ast.stmt:
        """The same call as a statement."""
        return ast.copy_location(ast.Expr(self.call(hook, arguments, at)), at)

    def bindings(self, targets: Iterable[ast.expr]) -> list[ast.stmt]:
        """The hooks that report what was bound, element by element for a tuple."""
        hooks: list[ast.stmt] = []
        for target in targets:
            if isinstance(target, ast.Tuple | ast.List):
                hooks += self.bindings(target.elts)
            elif isinstance(target, ast.Starred):
                hooks += self.bindings([target.value])
            elif (number := self.binding(target)) is not None:
                base = ast.Name(self.program.bindings[number].name, ast.Load())
                hooks.append(self.statement("bound", [ast.Constant(number), base], target))
        return hooks

    def captures(self, pattern: ast.pattern) -> list[ast.stmt]:
        """Names that a ``case`` binds. Alternatives bind the same names, so each is taken once."""
        hooks: dict[str, ast.stmt] = {}
        for node in ast.walk(pattern):
            name = getattr(node, "name", None) or getattr(node, "rest", None)
            if isinstance(node, ast.MatchAs | ast.MatchStar | ast.MatchMapping) and isinstance(name, str):
                [hooks[name]] = self.bindings([ast.copy_location(ast.Name(name, ast.Store()), node)])
        return list(hooks.values())

    def binding(self, target: ast.expr) -> int | None:
        """Registers a target; None when it does not start with a name (``f().x = 1``)."""
        path: list[str] = []
        node = target
        while not isinstance(node, ast.Name):
            if isinstance(node, ast.Attribute):
                path.append(node.attr)
            elif isinstance(node, ast.Subscript):
                path.clear()  # what lies beyond a subscript is an element, found by looking into the container
            else:
                return None
            node = node.value
        span = self.program.source.span(target)
        path.reverse()
        written = ".".join((node.id, *path))
        self.program.bindings.append(Binding(node.id, tuple(path), self.where(node.id), span, written))
        return len(self.program.bindings) - 1

    def where(self, name: str) -> Where:
        """Where a name that is bound here lives."""
        if self.class_name:
            return "class"
        return "global" if self.module_level else self.declared.get(name, "local")
