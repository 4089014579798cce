"""``Variable._execution_engine``: what old code asks of the backward engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.autograd.running import running


class ExecutionEngine:
    """The engine as an object."""

    @staticmethod
    def queue_callback(callback: Callable[[], Any]) -> None:
        """Calls it when the pass under way is over.

        Raises:
            RuntimeError: no pass is under way.
        """
        if not running:
            raise RuntimeError("Final callbacks can only be installed during backward pass.")
        running[-1].callbacks.append(callback)

    @staticmethod
    def is_checkpoint_valid() -> bool:
        """Whether the pass under way reaches every leaf (re-entrant checkpoints need that)."""
        return not running or running[-1].captures is None
