"""Where in the snippet something happens: columns of syntax nodes and of the operation that runs right now."""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections.abc import Mapping
from types import CodeType, FrameType

from engine.trace.parts import Span

_COMPOUND = (
    ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.TryStar,
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Match,
)  # fmt: skip


def within(inner: Span, outer: Span) -> bool:
    """Whether a span lies in another."""
    begins = (outer.line, outer.column) <= (inner.line, inner.column)
    return begins and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)


class Source:
    """The snippet's text by lines, with CPython's byte columns turned into characters."""

    def __init__(self, code: str) -> None:
        self.code = code
        # Only what ends a line for Python: str.splitlines would also split at form feeds and Unicode separators.
        self.lines = code.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._colons: list[tuple[int, int]] | None = None

    def column(self, line: int, byte: int) -> int:
        """The character column of a byte offset on a 1-based line."""
        if not 1 <= line <= len(self.lines):
            return byte
        text = self.lines[line - 1]
        return byte if text.isascii() else len(text.encode()[:byte].decode(errors="ignore"))

    def make(self, line: int, byte: int, end_line: int, end_byte: int) -> Span:
        """A span from CPython's numbers."""
        return Span(line, self.column(line, byte), end_line, self.column(end_line, end_byte))

    def span(self, node: ast.expr | ast.stmt) -> Span:
        """The columns of a syntax node."""
        end_line, end_byte = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return self.make(node.lineno, node.col_offset, end_line, end_byte)

    def header(self, statement: ast.stmt) -> Span:
        """A simple statement whole; a compound one up to and with the colon before its body."""
        whole = self.span(statement)
        if not isinstance(statement, _COMPOUND):
            return whole
        if (end := self._first_line_of(statement)) is not None:
            return Span(whole.line, whole.column, whole.line, end)
        start = (whole.line, whole.column)
        for line, column in self.colons():
            if (line, column) > start:
                return Span(whole.line, whole.column, line, column + 1)
        return whole

    def _first_line_of(self, statement: ast.stmt) -> int | None:
        """The length of a compound statement's first line, if that ends with its header's colon; the usual case, read off quickly."""
        body: list[ast.stmt] = getattr(statement, "body", [])
        line = self.lines[statement.lineno - 1]
        alone = bool(body) and body[0].lineno == statement.lineno + 1 and line.endswith(":")
        return len(line) if alone and not self.lines[body[0].lineno - 1][: body[0].col_offset].strip() else None

    def colons(self) -> list[tuple[int, int]]:
        """Places of the colons that may end a header: outside brackets and lambdas."""
        if self._colons is None:
            self._colons = list(_header_colons("\n".join(self.lines)))
        return self._colons

    def text(self, span: Span) -> str:
        """The source inside ``span``, line breaks and indentation folded to single spaces; of a ``for`` its head alone."""
        if span.line == span.end_line:
            return self.lines[span.line - 1][span.column : span.end_column]
        first = self.lines[span.line - 1][span.column :]
        if first.startswith("for ") and first.rstrip().endswith(":"):
            return first.rstrip()[:-1]
        last = self.lines[span.end_line - 1][: span.end_column]
        return " ".join(" ".join([first, *self.lines[span.line : span.end_line - 1], last]).split())


def _header_colons(code: str) -> list[tuple[int, int]]:
    places: list[tuple[int, int]] = []
    depth = lambdas = 0
    for token in tokenize.generate_tokens(io.StringIO(code + "\n").readline):
        if token.type == tokenize.OP and token.string in "([{":
            depth += 1
        elif token.type == tokenize.OP and token.string in ")]}":
            depth -= 1
        elif token.type == tokenize.NAME and token.string == "lambda" and depth == 0:
            lambdas += 1
        elif token.type == tokenize.OP and token.string == ":" and depth == 0:
            if lambdas:
                lambdas -= 1
            else:
                places.append(token.start)
    return places


Positions = list[tuple[int | None, int | None, int | None, int | None]]
"""Line, end line, column and end column of each instruction, as ``co_positions`` gives them."""


def positions_of(code: CodeType) -> dict[tuple[int, bytes], Positions]:
    """The positions of a code object and of all inside it, by what they are made of: a copy with other constants finds
    its own there.
    """
    found = {(code.co_firstlineno, code.co_linetable): list(code.co_positions())}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found |= positions_of(constant)
    return found


class Locator:
    """Finds the columns of the running operation from the frames on the stack.

    The innermost frame whose code belongs to the snippet decides; its ``f_lasti`` picks the entry of
    ``co_positions``. Spans are kept per code object and instruction, so a loop pays a dictionary look-up.
    """

    def __init__(self, source: Source, filename: str, positions: Mapping[tuple[int, bytes], Positions]) -> None:
        """``positions``: those of the program's code, read when it was compiled."""
        self.source = source
        self.filename = filename
        self._positions = positions
        self._spans: dict[tuple[int, int], Span | None] = {}
        self._codes: dict[int, tuple[CodeType, Positions]] = {}

    def here(self, depth: int = 1) -> Span | None:
        """The innermost operation of the snippet, seen from ``depth`` frames above; None outside the snippet."""
        frame: FrameType | None = sys._getframe(depth)
        filename = self.filename
        while frame is not None:
            code = frame.f_code
            if code.co_filename == filename:
                key = (id(code), frame.f_lasti)
                try:
                    return self._spans[key]
                except KeyError:
                    return self._spans.setdefault(key, self.at(code, frame.f_lasti))
            frame = frame.f_back
        return None

    def called_by_snippet(self, depth: int, through: tuple[str, ...]) -> bool:
        """Whether the snippet itself called, with only frames of the files ``through`` (by their ends) between.

        A function of the snippet's that was decorated there counts as the snippet, whoever calls it (``forward``).
        """
        frame: FrameType | None = sys._getframe(depth)
        while frame is not None and frame.f_code.co_filename.endswith(through):
            if frame.f_code.co_name == "inside":
                decorated = getattr(frame.f_locals.get("function"), "__code__", None)
                return decorated is not None and decorated.co_filename == self.filename
            frame = frame.f_back
        return frame is not None and frame.f_code.co_filename == self.filename

    def in_callback(self, depth: int = 1) -> bool:
        """Whether the innermost code of the snippet is a function that the engine called (a lambda as a hook)."""
        frame: FrameType | None = sys._getframe(depth)
        while frame is not None and frame.f_code.co_filename != self.filename:
            frame = frame.f_back
        return frame is not None and frame.f_code.co_name == "<lambda>"

    def at(self, code: CodeType, instruction: int) -> Span | None:
        """The columns of one instruction (byte offset, as in ``f_lasti`` and ``tb_lasti``)."""
        entry = self._codes.get(id(code))
        if entry is None:
            # The code object is kept with its table: an id may not be used again while a key holds it.
            known = self._positions.get((code.co_firstlineno, code.co_linetable))
            entry = self._codes[id(code)] = (code, known or list(code.co_positions()))
        positions = entry[1]
        if not 0 <= instruction // 2 < len(positions):
            return None
        line, end_line, column, end_column = positions[instruction // 2]
        if line is None:
            return None
        if column is None or end_column is None or end_line is None:
            text = self.source.lines[line - 1] if line <= len(self.source.lines) else ""
            return Span(line, len(text) - len(text.lstrip()), line, len(text))
        return self.source.make(line, column, end_line, end_column)
