"""Trace bytes are compressed once, kept compressed, and sent in the coding that the client accepts.

Zstandard at level 3 takes a trace of 2 MB to a few per cent in about 3 ms; gzip is for clients without it.
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Sequence

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

CODINGS = ("zstd", "gzip")
"""What a trace can be sent in, best first."""
ZSTD_LEVEL = 3
GZIP_LEVEL = 5
WORTH_BYTES = 1024
"""Below this an answer fits in one packet, so compressing saves nothing."""


def pack(body: bytes) -> bytes:
    """Compress for keeping (Zstandard)."""
    return zstd.compress(body, ZSTD_LEVEL)


def unpack(packed: bytes) -> bytes:
    """The bytes that `pack` was given."""
    return zstd.decompress(packed)


def accepted(header: str | None, codings: Sequence[str] = CODINGS) -> str:
    """The first of ``codings`` that an ``Accept-Encoding`` allows, or ``identity`` (RFC 9110, 12.5.3)."""
    weights: dict[str, float] = {}
    for item in (header or "").lower().split(","):
        coding, *parameters = (part.strip() for part in item.split(";"))
        quality = next((parameter[2:] for parameter in parameters if parameter.startswith("q=")), "1")
        try:
            weights[coding] = float(quality)
        except ValueError:
            weights[coding] = 0  # a weight nobody can read is no promise to understand the coding
    anything = weights.get("*", 0)
    return next((coding for coding in codings if weights.get(coding, anything) > 0), "identity")


def recode(packed: bytes, coding: str) -> bytes:
    """What `pack` returned, in the given coding."""
    if coding == "zstd":
        return packed
    body = unpack(packed)
    return gzip.compress(body, GZIP_LEVEL, mtime=0) if coding == "gzip" else body
