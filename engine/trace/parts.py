"""Small typed parts that events and the document share: spans, values, formulas, claims."""

from __future__ import annotations

import msgspec

Number = float | int | str
"""A number as JSON can spell it: ``"nan"``, ``"inf"`` and ``"-inf"`` are strings."""


class Span(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Columns of the snippet: 1-based lines, 0-based character columns, end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class Value(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A tensor's elements at one moment, whole when small, thinned when large."""

    shape: list[int]
    dtype: str
    text: str
    """As people read it: ``4``, ``[1, 2.5, 3]``, ``float32 [64, 10]``."""
    data: list[Number | bool] | None = None
    """All elements, row by row, when there are at most `engine.trace.values.WHOLE` of them."""
    thumbnail: list[list[Number]] | None = None
    """A larger tensor as at most 16 × 16 cells (each the element nearest the cell's middle)."""
    low: Number | None = None
    high: Number | None = None
    """Smallest and largest finite element."""
    nonfinite: int = 0
    """How many elements are NaN or infinite."""


class Formula(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A typed expression tree, drawn as MathML by whoever shows it (never markup).

    ``kind`` says what it is: ``number`` and ``name`` and ``text`` are leaves (``text`` holds the symbol);
    ``operator`` joins ``parts`` with the symbol in ``text``; ``fraction``, ``power``, ``root``, ``row`` (no joiner),
    ``group`` (parenthesised), ``call`` (``text`` applied to ``parts``), ``subscript``, ``partial``
    (∂ parts[0] / ∂ parts[1]), ``equals`` (a chain ``parts[0] = parts[1] = …``), ``transpose``, ``norm``, ``sum``.
    """

    kind: str
    text: str = ""
    parts: list[Formula] = []


class Claim(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What a sentence asserts, in a form that a test can check against the trace and against PyTorch.

    Example: ``Claim("gradient", tensor=0, number=5)`` says that tensor 0's ``.grad`` is 5 from this step on.
    """

    says: str
    tensor: int | None = None
    node: int | None = None
    number: Number | None = None
    text: str | None = None
