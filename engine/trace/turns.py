"""What a loop's turn is called, ``turn 2: for x in data``, and one example of vmap's, and what other words take from that."""

from __future__ import annotations

from engine.trace.labels.shortening import shortened

LONGEST = 80
"""Characters of a loop's header that a turn's title holds."""


def turn_title(number: int, header: str) -> str:
    """The title of a turn's scope; ``header`` is the loop's, without its colon."""
    return f"turn {number}: {shortened(header, LONGEST)}"


def split_title(title: str) -> tuple[str, str]:
    """``turn 2`` and the loop's header, from a turn's title."""
    turn, _, header = title.partition(": ")
    return turn, header


def turn_number(title: str) -> int:
    """Which turn it is, from 1."""
    return int(split_title(title)[0].removeprefix("turn "))


EXAMPLE = "vmap: example "
"""How the title of one example's scope begins: ``vmap: example 1 of 3`` (`engine.transforms.vmap_session`)."""


def example_number(title: str) -> int | None:
    """Which of vmap's examples it is, from 1; None for the title of another scope."""
    number = title.removeprefix(EXAMPLE).partition(" of ")[0]
    return int(number) if title.startswith(EXAMPLE) and number.isdecimal() else None


def place_name(title: str) -> str:
    """``turn 2``, ``example 1``: which turn or example something belongs to, in a sentence."""
    number = example_number(title)
    return split_title(title)[0] if number is None else f"example {number}"
