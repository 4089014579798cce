"""The front end's types of the trace."""

from __future__ import annotations

from tools.trace_types import TARGET, render


def test_the_players_types_are_those_of_the_trace_document() -> None:
    assert TARGET.read_text(encoding="utf-8") == render(), "run `python -m tools.trace_types` and commit what it writes"
