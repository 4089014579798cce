"""What every step has in common."""

from __future__ import annotations

import msgspec

from engine.trace.parts import Claim, Formula, Span


class Event(msgspec.Struct, tag_field="kind", forbid_unknown_fields=True, gc=False, kw_only=True):
    """What every step has."""

    span: Span | None = None
    """The columns of the snippet that caused this step."""
    scope: int = 0
    """The innermost scope it happened in."""
    text: str = ""
    """The step in one short sentence."""
    detail: tuple[str, ...] = ()
    """Further sentences: why it happened, what follows, what people get wrong here."""
    formula: Formula | None = None
    """The mathematics of the step with its numbers put in."""
    claims: tuple[Claim, ...] = ()
    """What the sentences assert, checkable; every sentence has one at least."""
    warning: str | None = None
    """An unasked warning that belongs to this step: what is wrong and what to do."""
