"""Programs about matrices, factorisations and Fourier transforms, by the source file they judge (`program_outcome`'s tensors)."""

from __future__ import annotations

from tests.oracle.program_tables import programs_by_file

CASES = programs_by_file("cases/matrices")
PROGRAMS: dict[str, str] = {program: source for source, programs in CASES.items() for program in programs}
"""Source file by program."""
