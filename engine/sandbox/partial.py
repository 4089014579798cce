"""The document of a run that did not finish: every step that its journal holds, and the line it stopped at (law 6)."""

from __future__ import annotations

from collections.abc import Iterable

from engine.sandbox.ending import Ending
from engine.trace.assemble import Assembler
from engine.trace.document import Trace
from engine.trace.tape import Batch


def assemble(code: str, batches: Iterable[Batch], ending: Ending) -> Trace:
    """Puts the journal's batches together. Words, chapters and questions are still missing.

    Without batches it is the least that can be said: the snippet, and why there are no steps. A batch that does not
    follow the one before (only a forged journal has such) ends the reading there.
    """
    assembler = Assembler(code)
    for batch in batches:
        try:
            assembler.feed(batch)
        except ValueError:
            break
    return assembler.finish(ending.value)
