"""The backward passes under way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.autograd.task import GraphTask

running: list[GraphTask] = []
"""Innermost last: a hook may start another."""


def at_work(node: Any) -> None:
    """Says that the innermost pass is running ``node``: passes note it themselves only for nodes with hooks."""
    if running:
        running[-1].node = node
