"""One question to a child, and what came of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable

from engine.sandbox import journal
from engine.sandbox.dialogue import Dialogue
from engine.sandbox.ending import Ending, Usage, without_answer
from engine.sandbox.frames import Kind
from engine.sandbox.limits import Limits
from engine.sandbox.link import Spare
from engine.trace.tape import Batch


@dataclasses.dataclass(frozen=True, slots=True)
class Attempt:
    """What came of one question."""

    ending: Ending
    answer: bytes | None = None
    """The document as the run sent it: unchecked."""
    batches: list[Batch] = dataclasses.field(default_factory=list)
    """Without an answer: what the journal holds. Typed, otherwise unchecked."""
    usage: Usage | None = None
    """Without an answer: what the kernel says."""


async def attempt(
    spare: Spare, kind: Kind, content: bytes, limits: Limits, end: Callable[[], Awaitable[Usage | None]]
) -> Attempt:
    """Hands content to the spare child and waits for its end, one way or the other; then lets go of it.

    ``end`` makes sure that a child without an answer is gone, and tells what the kernel says of it, if anybody knows.
    Never raises for what the child does.
    """
    try:
        dialogue = Dialogue(spare.question, spare.answer, limits.document_bytes)
        answer, ending = await dialogue.hold(kind, content, limits.wall_seconds)
        if answer is not None:
            return Attempt(Ending.ANSWERED, answer)
        usage = await end()
        if ending is None:
            ending = Ending.CRASH if usage is None else without_answer(usage, limits)
        return Attempt(ending, None, journal.read(spare.journal, limits.journal_bytes), usage)
    finally:
        spare.close()
