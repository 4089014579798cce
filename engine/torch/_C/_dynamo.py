"""``torch._C._dynamo``: how the compiler keeps compiled code; there is none to keep."""

from __future__ import annotations


class eval_frame:
    """The hook into Python's evaluation of frames, which nobody has set here."""

    @staticmethod
    def _set_lru_cache(enabled: bool) -> None:
        """In which order compiled versions would be tried."""
