"""Small typed parts that events and the document share: spans, values, formulas, claims."""

from __future__ import annotations

import msgspec

Number = float | int | str
"""A number as JSON can spell it: ``"nan"``, ``"inf"``, ``"-inf"`` and complex numbers (``"1.5-2j"``) are strings."""


class Span(msgspec.Struct, forbid_unknown_fields=True, gc=False, frozen=True):
    """Columns of the snippet: 1-based lines, 0-based character columns, end exclusive."""

    line: int
    """First line, from 1."""
    column: int
    """First character in the first line, from 0."""
    end_line: int
    """Last line, from 1."""
    end_column: int
    """First character behind the end, in the last line, from 0."""


class Value(msgspec.Struct, forbid_unknown_fields=True, gc=False, frozen=True):
    """A tensor's elements at one moment, whole when small, thinned when large."""

    shape: list[int]
    """Sizes, outermost first; empty for a single number."""
    dtype: str
    """Element type without the ``torch.``: ``float32``."""
    text: str
    """As people read it: ``4``, ``[1, 2.5, 3]``, ``float32 [64, 10]``."""
    data: list[Number | bool] | None = None
    """All elements, row by row, when there are at most `engine.trace.values.WHOLE` of them."""
    thumbnail: list[list[Number]] | None = None
    """A larger tensor as at most 16 × 16 cells (each the element nearest the cell's middle)."""
    low: Number | None = None
    """Smallest finite element."""
    high: Number | None = None
    """Largest finite element."""
    nonfinite: int = 0
    """How many elements are NaN or infinite."""
    nan: int = 0
    """How many of these are NaN."""


class Formula(msgspec.Struct, forbid_unknown_fields=True, gc=False, frozen=True):
    """A typed expression tree, drawn as MathML by whoever shows it (never markup).

    ``kind`` says what it is: ``number`` and ``name`` and ``text`` are leaves (``text`` holds the symbol);
    ``operator`` joins ``parts`` with the symbol in ``text``; ``fraction``, ``power``, ``root``, ``row`` (no joiner),
    ``group`` (parenthesised), ``call`` (``text`` applied to ``parts``), ``subscript``, ``partial``
    (∂ parts[0] / ∂ parts[1]), ``equals`` (a chain ``parts[0] = parts[1] = …``), ``transpose``, ``norm``, ``sum``.
    """

    kind: str
    """What it is: a leaf or a way to join ``parts``; see above."""
    text: str = ""
    """The symbol, number or name."""
    parts: list[Formula] = []
    """What it is made of, in order."""


class Claim(msgspec.Struct, forbid_unknown_fields=True, gc=False, frozen=True):
    """What a sentence asserts, in a form that a test can check against the trace and against PyTorch.

    ``engine.trace.claims`` declares every ``says`` and how it is checked.
    Example: ``Claim("gradient", tensor=0, number=5)`` says that tensor 0's ``.grad`` is 5 from this step on.
    """

    says: str
    """What kind of claim it is, e.g. ``gradient``."""
    tensor: int | None = None
    """The tensor it is about."""
    node: int | None = None
    """The node it is about."""
    number: Number | None = None
    """The number it asserts."""
    text: str | None = None
    """The word it asserts, where it is not a number."""
    sentence: int = 0
    """Which of the step's sentences asserts it: 0 is ``text``, n the n-th of ``detail``."""
