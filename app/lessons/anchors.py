"""Finding places in a snippet by their text, so that they survive edits of the lines around them.

Lines are 1-based; columns count characters, from 0, as in the trace (`engine.trace.parts.Span`).
"""

from __future__ import annotations

import ast


def place(snippet: str, on: str, occurrence: int | None = None) -> int:
    """Where the text ``on`` starts in ``snippet``.

    Raises:
        ValueError: it is not there, or several times and ``occurrence`` (from 1) does not say which.
    """
    seen = snippet.count(on)
    if occurrence is None and seen != 1:
        raise ValueError(f"{on!r} is in the snippet {seen} times; anchor to text that is there once, or number it")
    if occurrence is not None and not 1 <= occurrence <= seen:
        raise ValueError(f"occurrence {occurrence} of {on!r} is asked for, the snippet has {seen}")
    start = -1
    for _ in range(occurrence or 1):
        start = snippet.index(on, start + 1)
    return start


def statement_at(snippet: str, on: str, occurrence: int | None = None) -> ast.stmt:
    """The innermost statement that holds the text ``on``.

    Raises:
        ValueError: as `place`; or no statement holds all of the text, or one that has no end to speak of (a compound
            statement, a ``return``).
    """
    start = place(snippet, on, occurrence)
    end = start + len(on)
    holders = [
        node
        for node in ast.walk(ast.parse(snippet))
        if isinstance(node, ast.stmt)
        and offset(snippet, node.lineno, node.col_offset) <= start
        and end <= offset(snippet, node.end_lineno or 0, node.end_col_offset or 0)
    ]
    if not holders or has_no_end(holders[-1]):
        raise ValueError(f"no statement ends after {on!r}; anchor to text inside a simple statement")
    return holders[-1]  # ast.walk goes from the outside in


def has_no_end(statement: ast.stmt) -> bool:
    """Whether nothing can be looked at right after it: it has a body, or jumps away."""
    return hasattr(statement, "body") or isinstance(statement, ast.Return | ast.Raise | ast.Break | ast.Continue)


def offset(snippet: str, line: int, byte_column: int) -> int:
    """The character at a position of the `ast` module, which counts bytes within a line."""
    lines = snippet.splitlines(keepends=True)
    return sum(map(len, lines[: line - 1])) + len(lines[line - 1].encode()[:byte_column].decode())
