"""Warnings that PyTorch gives once in a process, however often there is a reason; ``torch.set_warn_always(True)`` lifts that."""

from __future__ import annotations

import warnings

OF_LEAVING = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first."
)
"""Where a number leaves the graph without anybody asking for it: ``float(x)``, ``torch.tensor([x])``."""


class Given:
    """What was warned of in this run."""

    __slots__ = ("always", "messages")

    def __init__(self) -> None:
        self.always = False
        self.messages: set[str] = set()


given = Given()


def warn_once(message: str, stacklevel: int = 1) -> None:
    """``warnings.warn`` of a `UserWarning`, unless that was said in this run; ``stacklevel`` counts from the caller, as there."""
    if given.always or message not in given.messages:
        given.messages.add(message)
        warnings.warn(message, UserWarning, stacklevel=stacklevel + 1)
