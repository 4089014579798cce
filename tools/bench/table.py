"""How figures are printed: ours, the other's, their ratio, and the ratio we promise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

NAME_WIDTH = 44


class Row(NamedTuple):
    """One comparison; ``limit`` is the greatest ratio that is promised, None where nothing is."""

    name: str
    ours: float
    theirs: float | None
    limit: float | None = None

    @property
    def ratio(self) -> float:
        """Ours by theirs; not a number without theirs."""
        return math.nan if self.theirs is None else self.ours / self.theirs

    def verdict(self) -> str:
        """The promise, and whether this run keeps it."""
        if self.limit is None or self.theirs is None:
            return ""
        return f"≤ {self.limit:g}  {'kept' if self.ratio <= self.limit else 'BROKEN'}"


def show(title: str, other: str, rows: Sequence[Row]) -> None:
    """Prints one table; ``title`` says the unit."""
    print(f"{title:<{NAME_WIDTH}}{'ours':>12}{other:>12}{'ratio':>9}  promised")
    for row in rows:
        theirs, ratio = ("-", "-") if row.theirs is None else (f"{row.theirs:.2f}", f"{row.ratio:.2f}")
        print(f"{row.name:<{NAME_WIDTH}}{row.ours:>12.2f}{theirs:>12}{ratio:>9}  {row.verdict()}".rstrip())
