"""``torch.utils.flop_counter``: its counter cannot be had."""

from __future__ import annotations

from typing import Any, NoReturn

from engine.errors import NotHere, explained


class FlopCounterMode:
    """Counts multiplications and additions in PyTorch; passes run on whole arrays here, where nobody could count them.

    Raises:
        NotHere: always.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotHere(
            explained(
                "torch.utils.flop_counter.FlopCounterMode is not here",
                "Derivatives are computed on whole arrays, so no count would be PyTorch's: remove the counter.",
            )
        )


__all__ = ["FlopCounterMode"]
