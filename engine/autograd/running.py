"""The backward passes under way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from engine.autograd.task import GraphTask

running: list[GraphTask] = []
"""Innermost last: a hook may start another."""


def remembered(number: Any) -> Any:
    """A gradient's place in memory: all views of one number (a numpy scalar has none of its own) share it for the pass."""
    if isinstance(number, np.ndarray) or not running:
        return np.asarray(number)
    places = running[-1].places
    if places is None:
        places = running[-1].places = {}
    if id(number) not in places:
        places[id(number)] = (number, np.array(number))
    return places[id(number)][1]


def at_work(node: Any) -> None:
    """Says that the innermost pass is running ``node``: passes note it themselves only for nodes with hooks."""
    if running:
        running[-1].node = node
