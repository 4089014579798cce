"""Which worker of a loader is loading; apart from `engine.utils.data.workers`, since most programs have none."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.utils.data.workers import WorkerInfo


class Turn:
    """Whose turn it is."""

    info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """The worker that is loading; None in the main process."""
    return Turn.info
