"""Whole programs as people paste them from tutorials, and what each prints, to the last byte.

They stand in ``tests/oracle/tutorials`` as text: their style is their authors', not this repository's.
"""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).parent / "tutorials"


def programs() -> dict[str, str]:
    """The programs by name."""
    return {file.stem: file.read_text(encoding="utf-8") for file in sorted(FOLDER.glob("*.txt"))}


def without_addresses(printed: str) -> str:
    """What was printed, with every object at the same place."""
    return re.sub(r"0x[0-9a-f]+", "0x…", printed)
