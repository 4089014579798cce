"""One-line expressions for every pointwise, reducing, sorting and accumulating operator, by family.

Their leaves are in `tests.oracle.derivatives`.
"""

from __future__ import annotations

from tests.oracle.program_tables import lines_by_file

FAMILIES = lines_by_file("cases/operators")
EXPRESSIONS: dict[str, str] = {line: family for family, lines in FAMILIES.items() for line in lines}
"""Family by expression."""
