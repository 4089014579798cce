"""What a loop's turn is called, ``turn 2: for x in data``, and what other words take from that."""

from __future__ import annotations


def turn_title(number: int, header: str) -> str:
    """The title of a turn's scope; ``header`` is the loop's, without its colon."""
    return f"turn {number}: {header}"


def split_title(title: str) -> tuple[str, str]:
    """``turn 2`` and the loop's header, from a turn's title."""
    turn, _, header = title.partition(": ")
    return turn, header


def turn_number(title: str) -> int:
    """Which turn it is, from 1."""
    return int(split_title(title)[0].removeprefix("turn "))
