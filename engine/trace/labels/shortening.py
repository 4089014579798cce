"""Source text that is too long to be read as a name, cut inside its brackets."""

from __future__ import annotations

import functools
import re

LONGEST = 40
"""Characters of source text that still read as a name."""


@functools.lru_cache(maxsize=4096)
def shortened(text: str, longest: int = LONGEST) -> str:
    """The text on one line; what does not fit is left out inside of brackets, innermost first: ``(q * f([…])).sum()``."""
    text = " ".join(text.split())
    while len(text) > longest:
        text = _small_hidden(text)
        groups = list(_INNERMOST.finditer(text))
        if not groups:
            text = text[: longest - 1].rstrip() + "…"
            break
        group = max(groups, key=lambda found: len(found[2]))
        kept = group[2][: max(0, len(group[2]) - (len(text) - longest) - 1)]
        kept = kept[: kept.rfind(", ") + 2] if ", " in kept else ""
        closed = f"{kept}…".translate(_HIDDEN)
        brackets = (group[1] + closed + group[3]).translate(_HIDDEN)
        text = text[: group.start()] + brackets + text[group.end() :]
    return text.translate(_SHOWN)


def _small_hidden(text: str) -> str:
    """The text with brackets put aside that have hardly anything in them: they give no room, and stand in the way of others."""
    hidden = _SMALL.sub(lambda found: found[0].translate(_HIDDEN), text)
    return hidden if hidden == text else _small_hidden(hidden)


_SMALL = re.compile(r"[(\[{][^()\[\]{}]?[)\]}]")
_INNERMOST = re.compile(r"([(\[{])([^()\[\]{}]{2,})([)\]}])")
_HIDDEN = str.maketrans("()[]{}", "\ue000\ue001\ue002\ue003\ue004\ue005")
_SHOWN = str.maketrans("\ue000\ue001\ue002\ue003\ue004\ue005", "()[]{}")
"""Brackets that are done with take the place of others while the ones around them are looked at."""
