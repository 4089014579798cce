"""Instrumentation: the snippet's own syntax tree, with calls to `Hooks` between its statements.

Three ways to follow a program were compared (CPU time on Python 3.11, beside the plain run at 1.0):

* ``sys.settrace`` with an empty handler: 9.0 on a loop of Python additions, 2.4 on a loop of tensor operations, because
  every Python call that the engine makes is reported first and declined afterwards. It reports lines, no names.
* ``sys.monitoring``: Python 3.12 and later only, lines only, and blind to what a statement bound.
* This, with all that `engine.trace.follower` does: 31 on the Python loop (about 0.3 µs a hook, six hooks a turn), 1.3 on
  the tensor loop, and every statement, binding, loop turn and function is told apart while the tree is at hand.
  Snippets are about tensors, and a budget bounds the rest.

Nothing of the snippet moves: nodes keep their lines and columns, so tracebacks and ``co_positions`` are the snippet's
own. The hooks are constants inside the code objects: ``globals()``, ``locals()`` and ``dir()`` show only the snippet's
names. Reading a target back after its statement never runs the snippet's code: attribute targets hand over the name
they start from, and `Hooks.bound` walks the rest through ``__dict__`` (no property, no ``__getattr__``).

An exception raised by `Hooks.line` cannot be swallowed for good: every statement calls it first, a ``try`` statement
and the first statement of every handler included, so whoever caught it meets it again outside his own ``try``.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Sequence
from types import CodeType
from typing import Any

from engine.trace.program import HOOKS, Function, Hooks, Loop, Program, Statement, Where
from engine.trace.spans import Source, positions_of
from engine.trace.targets import Targets


def instrument(code: str, filename: str) -> Program:
    """Parses ``code``, puts the hooks in and compiles it.

    Raises SyntaxError, and for what is beyond the compiler ValueError, RecursionError or MemoryError, as ``compile`` does.
    """
    tree = ast.parse(code, filename)
    program = Program(Source(code), _unused_mark(tree, code))
    tree.body = _Instrumenter(program).body(tree.body, first=True)
    with warnings.catch_warnings():
        # The marks look like strings being called; the snippet's own syntax warnings were given by its plain parse.
        warnings.simplefilter("ignore", SyntaxWarning)
        program.code = compile(tree, filename, "exec", dont_inherit=True)
    program.positions = positions_of(program.code)
    return program


def hooked(program: Program, hooks: Hooks) -> CodeType:
    """The program's code with the methods of ``hooks`` in place of their marks."""
    return _with_hooks(program.code, {program.mark + name: getattr(hooks, name) for name in HOOKS})


def _with_hooks(code: CodeType, methods: dict[str, Any]) -> CodeType:
    constants = tuple(
        _with_hooks(constant, methods)
        if isinstance(constant, CodeType)
        else methods.get(constant, constant)
        if isinstance(constant, str)
        else constant
        for constant in code.co_consts
    )
    return code.replace(co_consts=constants)


def _unused_mark(tree: ast.Module, code: str) -> str:
    mark = "\0hook "
    if "\\" not in code:  # no string can hold the first character of it
        return mark
    strings = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    while any(text.startswith(mark) for text in strings):
        mark += "\0"
    return mark


_HIDDEN = (ast.Try, ast.TryStar, ast.Pass, ast.Global, ast.Nonlocal, ast.Break, ast.Continue)

GROWS = frozenset({"append", "extend", "insert", "add", "update", "appendleft", "setdefault"})
"""Methods that put something into a container."""


class _Instrumenter(Targets):
    """Rewrites one statement list at a time; ``where``, ``resumable`` and the loop stack follow the nesting."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.resumable = False
        self.in_lambda = False
        self.loops: list[int] = []

    # ── statement lists ──────────────────────────────────────────────────────────────────────────────────────────────

    def body(self, statements: Iterable[ast.stmt], first: bool = False) -> list[ast.stmt]:
        """Every statement with its line hook before and its binding hooks after it.

        ``first``: the list may open with a docstring and ``from __future__`` lines, which must stay first.
        """
        result: list[ast.stmt] = []
        opening = first
        for statement in statements:
            if opening and (_is_docstring(statement) or _is_future(statement)):
                result.append(statement)
                continue
            opening = False
            result.extend(self.hooked(statement))
        return result

    def hooked(self, statement: ast.stmt) -> list[ast.stmt]:
        index = len(self.program.statements)
        span = self.program.source.header(statement)
        self.program.statements.append(Statement(span, type(statement).__name__, not isinstance(statement, _HIDDEN)))
        line = self.statement("resumed_line" if self.resumable else "line", [ast.Constant(index)], statement)
        return [line, self.rewritten(statement, index), *self.after(statement)]

    def rewritten(self, statement: ast.stmt, index: int) -> ast.stmt:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return self.function(statement)
            case ast.ClassDef():
                return self.class_body(statement)
            case ast.For() | ast.AsyncFor() | ast.While():
                return self.loop(statement, index)
            case ast.With() | ast.AsyncWith():
                statement.items = [self.visit(item) for item in statement.items]
                targets = [item.optional_vars for item in statement.items if item.optional_vars is not None]
                statement.body = [*self.bindings(targets), *self.body(statement.body)]
                return statement
            case ast.Match():
                statement.subject = self.visit(statement.subject)
                for case in statement.cases:
                    captured = self.captures(case.pattern)
                    if case.guard is not None:
                        case.guard = self.visit(case.guard)
                    case.body = [*captured, *self.body(case.body)]
                return statement
            case ast.Try() | ast.TryStar():
                statement.body = self.body(statement.body)
                for handler in statement.handlers:
                    if handler.type is not None:
                        handler.type = self.visit(handler.type)
                    handler.body = [*self.caught(handler), *self.body(handler.body)]
                statement.orelse = self.body(statement.orelse)
                if statement.finalbody:
                    statement.finalbody = [*self.caught(statement.finalbody[0]), *self.body(statement.finalbody)]
                return statement
            case ast.If():
                statement.test = self.visit(statement.test)
                statement.body = self.body(statement.body)
                statement.orelse = self.body(statement.orelse)
                return statement
            case _:
                visited: ast.stmt = self.generic_visit(statement)  # type: ignore[assignment]
                return visited

    def after(self, statement: ast.stmt) -> list[ast.stmt]:
        """The hooks for what the statement bound, unbound or ended."""
        match statement:
            case ast.Assign():
                return self.bindings(statement.targets)
            case ast.AnnAssign() if statement.value is not None:
                return self.bindings([statement.target])
            case ast.AugAssign():
                return self.bindings([statement.target])
            case ast.Delete():
                found = [(target, self.binding(target)) for target in statement.targets]
                return [
                    self.statement("unbound", [ast.Constant(number)], target)
                    for target, number in found
                    if number is not None and not isinstance(target, ast.Subscript)
                ]
            case ast.For() | ast.AsyncFor() | ast.While():
                return [self.loops_over(statement)]
            case ast.Expr(ast.Call(ast.Attribute(ast.Name() as name))):
                # xs.append(t) changes what the container holds: hand the container over again.
                return self.bindings([name])
            case ast.Expr(ast.Call(ast.Attribute(ast.Attribute() | ast.Subscript() as holder, method))) if (
                method in GROWS
            ):
                return self.bindings([holder])
            case _:
                return []

    # ── compound statements ──────────────────────────────────────────────────────────────────────────────────────────

    def loop(self, statement: ast.For | ast.AsyncFor | ast.While, index: int) -> ast.stmt:
        targets: list[ast.expr] = []
        if isinstance(statement, ast.While):
            statement.test = self.visit(statement.test)
        else:
            statement.iter = self.visit(statement.iter)
            targets = [statement.target]
        number = len(self.program.loops)
        span = self.program.source.header(statement)
        text = self.program.source.text(span).rstrip(":").rstrip()
        self.program.loops.append(Loop(text, span, index))
        turn = self.statement("turn", [ast.Constant(number)], statement)
        self.loops.append(number)
        statement.body = [turn, *self.bindings(targets), *self.body(statement.body)]
        self.loops.pop()
        if statement.orelse:
            statement.orelse = [self.loops_over(statement.orelse[0]), *self.body(statement.orelse)]
        return statement

    def loops_over(self, at: ast.AST) -> ast.stmt:
        return self.statement("innermost", [ast.Constant(self.loops[-1] if self.loops else -1)], at)

    def caught(self, at: ast.AST) -> list[ast.stmt]:
        """Where an exception may land: loops inside are over, and a generator may have been resumed by it."""
        resumed = [self.statement("resumed", [ast.Constant(None)], at)] if self.resumable else []
        return [*resumed, self.loops_over(at)]

    def function(self, definition: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.stmt:
        definition.decorator_list = [self.visit(decorator) for decorator in definition.decorator_list]
        definition.args.defaults = [self.visit(default) for default in definition.args.defaults]
        definition.args.kw_defaults = [default and self.visit(default) for default in definition.args.kw_defaults]

        resumable = isinstance(definition, ast.AsyncFunctionDef) or _yields(definition.body)
        arguments = definition.args
        parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        parameters += [extra for extra in (arguments.vararg, arguments.kwarg) if extra is not None]
        names = tuple(parameter.arg for parameter in parameters)
        number = len(self.program.functions)
        qualified = f"{self.class_name}.{definition.name}" if self.class_name else definition.name
        span = self.program.source.header(definition)
        self.program.functions.append(Function(qualified, names, span, resumable))

        outer = self.module_level, self.class_name, self.declared, self.resumable, self.loops
        self.module_level, self.class_name, self.resumable, self.loops = False, "", resumable, []
        self.declared = _declared(definition.body)
        docstring = definition.body[:1] if _is_docstring(definition.body[0]) else []
        values: list[ast.expr] = [ast.Name(name, ast.Load()) for name in names]
        entered = self.statement("entered", [ast.Constant(number), *values], definition)
        inner = self.body(definition.body[len(docstring) :]) or [ast.copy_location(ast.Pass(), definition)]
        guarded = ast.Try(inner, [], [], [self.statement("left", [], definition)])
        definition.body = [*docstring, entered, ast.copy_location(guarded, definition)]
        self.module_level, self.class_name, self.declared, self.resumable, self.loops = outer
        return definition

    def class_body(self, definition: ast.ClassDef) -> ast.stmt:
        definition.decorator_list = [self.visit(decorator) for decorator in definition.decorator_list]
        definition.bases = [self.visit(base) for base in definition.bases]
        definition.keywords = [self.visit(keyword) for keyword in definition.keywords]
        outer = self.class_name, self.declared, self.resumable, self.loops
        self.class_name, self.declared, self.resumable, self.loops = definition.name, {}, False, []
        definition.body = self.body(definition.body, first=True)
        self.class_name, self.declared, self.resumable, self.loops = outer
        return definition

    # ── expressions ──────────────────────────────────────────────────────────────────────────────────────────────────

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        outer, self.in_lambda = self.in_lambda, True
        visited = self.generic_visit(node)
        self.in_lambda = outer
        return visited

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.AST:
        node.value = self.visit(node.value)
        number = None if self.in_lambda else self.binding(node.target)
        if number is not None:
            node.value = self.call("walrus", [ast.Constant(number), node.value], node.value)
        return node

    def visit_Yield(self, node: ast.Yield) -> ast.AST:
        value = self.visit(node.value) if node.value is not None else ast.Constant(None)
        if self.in_lambda:
            node.value = value
            return node
        node.value = self.call("suspended", [value], node)
        return self.call("resumed", [node], node)

    def visit_YieldFrom(self, node: ast.YieldFrom) -> ast.AST:
        node.value = self.visit(node.value)
        if self.in_lambda:
            return node
        node.value = self.call("suspended", [node.value], node)
        return self.call("resumed", [node], node)

    def visit_Await(self, node: ast.Await) -> ast.AST:
        node.value = self.visit(node.value)
        node.value = self.call("suspended", [node.value], node)
        return self.call("resumed", [node], node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.ifs.insert(0, self.call("tick", [], node.target))
        return node


def _is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__" and statement.level == 0


def _own(body: Iterable[ast.AST]) -> Iterable[ast.AST]:
    """Every node of a function's body except those of functions and classes inside it."""
    stack = list(body)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            stack.extend(ast.iter_child_nodes(node))


def _yields(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(node, ast.Yield | ast.YieldFrom | ast.Await) for node in _own(body))


def _declared(body: Sequence[ast.stmt]) -> dict[str, Where]:
    declared: dict[str, Where] = {}
    for node in _own(body):
        if isinstance(node, ast.Global):
            declared.update(dict.fromkeys(node.names, "global"))
        elif isinstance(node, ast.Nonlocal):
            declared.update(dict.fromkeys(node.names, "nonlocal"))
    return declared
