"""Programs about views, indexing, joining, scattering and in-place writes, by the source file they judge."""

from __future__ import annotations

from tests.oracle.program_tables import programs_by_file

CASES = programs_by_file("cases/shapes")
PROGRAMS: dict[str, str] = {program: source for source, programs in CASES.items() for program in programs}
"""Source file by program."""
