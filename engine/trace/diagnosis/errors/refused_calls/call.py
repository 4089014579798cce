"""The call that raised, as its explanations ask about it: its layer, its arguments, and the source of both."""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence

from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.history import History
from engine.trace.document import Given, Refused, Tensor
from engine.trace.labels.shortening import shortened
from engine.trace.marks import code, grouped
from engine.trace.parts import Span

FLATTENING = frozenset({"view", "reshape", "flatten", "_unsafe_view", "unsafe_view", "reshape_alias"})
"""Operators that lay dimensions together."""


class Call:
    """One refused call. Tensors are told by their index in the trace."""

    def __init__(self, history: History, refused: Refused) -> None:
        self.history = history
        self.refused = refused
        self.message = history.trace.outcome.message
        self.span = history.trace.outcome.span
        self.path, _, kind = refused.module.rpartition(" (")
        self.layer = kind.rstrip(")")
        """Class of the layer; empty where a function raised."""
        self.settings = {setting.name: setting.text for setting in refused.settings}
        self.tensors = [given.tensor for given in refused.given if given.tensor is not None]
        """What it was given, in order."""

    # ── what it was given ────────────────────────────────────────────────────────────────────────────────────────────

    def given(self, *names: str) -> Given | None:
        """The argument of one of these names; positions are names too (``1``)."""
        return next((given for given in self.refused.given if given.argument in names), None)

    def tensor(self, *names: str) -> int | None:
        """The tensor that was given as one of these."""
        found = (given.tensor for given in self.refused.given if given.argument in names)
        return next((tensor for tensor in found if tensor is not None), None)

    def row(self, tensor: int) -> Tensor:
        """The tensor's row in the trace."""
        return self.history.trace.tensors[tensor]

    def shape(self, tensor: int) -> list[int]:
        """Its shape."""
        return self.row(tensor).shape

    def held(self, tensor: int) -> list[int]:
        """The whole numbers in it; of many, the least and the greatest."""
        value = self.row(tensor).value
        numbers: Sequence[object] = (value.data or [value.low, value.high]) if value is not None else []
        return [int(number) for number in numbers if isinstance(number, int | float)]

    def number(self, setting: str) -> int | None:
        """A setting of the layer that is a whole number."""
        text = self.settings.get(setting, "")
        return int(text) if text.isdigit() else None

    # ── words for it ─────────────────────────────────────────────────────────────────────────────────────────────────

    def name(self, tensor: int) -> str:
        """What to call a tensor: as the failing columns do, else by its label."""
        written = next((name for name in self.row(tensor).names if name in self.written), None)
        return code(written) if written is not None else self.history.label(tensor)

    def told(self, tensor: int) -> str:
        """`` `x` has shape [4, 3] (`torch.randn(4, 3)`, line 2)``."""
        return f"{self.name(tensor)} has shape {self.shape(tensor)}{self.origin(tensor)}"

    def origin(self, tensor: int) -> str:
        """Where it was made, in brackets: the code, unless that is what it is called, and the line."""
        row = self.row(tensor)
        if row.span is None or (row.span.line, row.span.end_line) == (0, 0):
            return ""
        text = code(shortened(self.history.text(row.span)))
        line = f"line {row.span.line}"
        return f" ({line})" if text in (self.name(tensor), code(shortened(row.label))) else f" ({text}, {line})"

    @property
    def called(self) -> str:
        """`` `net.fc` (`nn.Linear(10, 2)`, line 7)``; the class alone where it has no name."""
        made = self.made
        name = code(self.path) if self.path else code(self.layer)
        return f"{name} ({code(shortened(self.history.text(made)))}, line {made.line})" if made is not None else name

    # ── the source ───────────────────────────────────────────────────────────────────────────────────────────────────

    @functools.cached_property
    def node(self) -> ast.expr | None:
        """The expression that raised."""
        nodes = (node for node in ast.walk(self.history.tree) if isinstance(node, ast.expr))
        return next((node for node in nodes if self.history.source.span(node) == self.span), None)

    @functools.cached_property
    def written(self) -> set[str]:
        """The variables and attributes that the failing columns read, as they are written."""
        if self.node is None:
            return set()
        parts = (part for part in ast.walk(self.node) if isinstance(part, ast.Name | ast.Attribute | ast.Subscript))
        return {ast.unparse(part) for part in parts}

    @functools.cached_property
    def arguments(self) -> list[ast.expr]:
        """What stands for the positional arguments, a method's own tensor first; a list's elements one by one."""
        match self.node:
            case ast.BinOp(left=left, right=right):
                return [left, right]
            case ast.Subscript(value=value, slice=key):
                return [value, key]
            case ast.Call(func=func, args=args) as call:
                given = [*args, *(keyword.value for keyword in call.keywords)]
                if isinstance(func, ast.Attribute) and not self.is_namespace(func.value) and not self.refused.module:
                    given.insert(0, func.value)
                return [part for argument in given for part in elements(argument)]
            case _:
                return []

    def is_namespace(self, node: ast.expr) -> bool:
        """Whether a name is a module's that was imported: ``torch``, ``F``."""
        root = ast.unparse(node).partition(".")[0]
        imports = (n for n in ast.walk(self.history.tree) if isinstance(n, ast.Import | ast.ImportFrom))
        return any((alias.asname or alias.name.partition(".")[0]) == root for n in imports for alias in n.names)

    def source(self, tensor: int) -> ast.expr | None:
        """The argument in the failing columns that stands for a tensor."""
        row = self.row(tensor)
        for argument in self.arguments:
            span = self.history.source.span(argument)
            if ast.unparse(argument) in row.names or span == row.span:
                return argument
        return None

    @property
    def is_direct(self) -> bool:
        """Whether the snippet calls the very layer that raised, and not one that holds it."""
        if not isinstance(self.node, ast.Call) or not self.layer:
            return False
        func = ast.unparse(self.node.func).removeprefix("self.")
        return self.path == func or self.path.endswith(f".{func}") or isinstance(self.node.func, ast.Call)

    @functools.cached_property
    def made(self) -> Span | None:
        """The call that made the layer, where it has parameters."""
        spans = (self.row(tensor).span for tensor in self.refused.parameters)
        return next((span for span in spans if span is not None and self.layer in self.history.text(span)), None)

    @functools.cached_property
    def construction(self) -> ast.Call | None:
        """That call's syntax."""
        if self.made is None:
            return None
        calls = (node for node in ast.walk(self.history.tree) if isinstance(node, ast.Call))
        found = next((node for node in calls if self.history.source.span(node) == self.made), None)
        return found if found is not None and ast.unparse(found.func).rpartition(".")[2] == self.layer else None

    # ── remedies ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def instead(self, span: Span, new: str) -> str:
        """``Write `new` in place of `old` on line 7.``"""
        return f"Write {code(new)} in place of {self.history.quoted(span)} on line {span.line}."

    def given_as(self, tensor: int, change: str) -> str | None:
        """The failing columns with an argument changed: ``x`` by ``{}.flatten(1)``. None where it isn't written there."""
        argument = self.source(tensor)
        if argument is None:
            return None
        text = self.history.text(self.history.source.span(argument))
        new = change.format(grouped(text) if change.startswith(("{}.", "{}[")) else text)
        return self.replaced(argument, new)

    def replaced(self, argument: ast.expr, new: str) -> str | None:
        """The failing columns with a part written anew."""
        if self.span is None:
            return None
        return self.rewritten(self.span, argument, new)

    def rewritten(self, whole: Span, part: ast.expr, new: str) -> str | None:
        """Some columns on one line with a part written anew."""
        span = self.history.source.span(part)
        if whole.line != whole.end_line or span.line != whole.line:
            return None
        text = self.history.text(whole)
        begin, end = span.column - whole.column, span.end_column - whole.column
        return self.instead(whole, text[:begin] + new + text[end:])

    def remade(self, place: int, keyword: str, value: int | str) -> str | None:
        """The layer's construction with one argument changed."""
        call = self.construction
        if call is None or self.made is None:
            return None
        named = next((k.value for k in call.keywords if k.arg == keyword), None)
        part = named or (call.args[place] if len(call.args) > place else None)
        return self.rewritten(self.made, part, str(value)) if part is not None else None

    def answer(self, cause: str, text: str, *fixes: str | None, span: Span | None = None) -> Answer:
        """An answer at the failing columns, unless others are guilty, with the first remedy that can be given."""
        fix = next((fix for fix in fixes if fix), "")
        return Answer(cause, text, fix, self.history.last, span or self.span)


def elements(node: ast.expr) -> Sequence[ast.expr]:
    """The parts of a list or tuple as it is written; else the expression itself."""
    return node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
