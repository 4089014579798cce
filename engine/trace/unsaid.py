"""What could not be said of a trace because a reader of it failed: only that part is lost, and the trace says so.

The steps themselves are recorded before any reader runs. A fault in one reader, or in one sentence, must not cost the page
its other words.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from engine.trace.document import Chapter, Part, Trace, Unsaid
from engine.trace.labels.inner import UNNAMED
from engine.trace.narration.amounts import counted, listed
from engine.trace.parts import Claim

MOST = 50
"""Gaps that are noted: a narrator that fails at every turn of a loop fails the same way."""
AT_A_STEP = "What happens here could not be put into words: a fault of Backplay's, not of your program."
HERE = Path(__file__).parent


def note(trace: Trace, part: Part, error: Exception, about: str = "", step: int | None = None) -> None:
    """Notes a gap. Called from the handler of whatever was raised.

    Raises:
        MemoryError: the run's own limit, and no fault of the reader's.
    """
    if isinstance(error, MemoryError):
        raise error
    if len(trace.unsaid) < MOST:
        trace.unsaid.append(Unsaid(part, about, step, f"{type(error).__name__}{place(error.__traceback__)}"))


def place(traceback: TracebackType | None) -> str:
    """Where it was raised, by the file's path inside of this package."""
    if traceback is None:
        return ""
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    file = Path(traceback.tb_frame.f_code.co_filename)
    inside = file.relative_to(HERE) if file.is_relative_to(HERE) else Path(file.name)
    return f" in {inside.as_posix()}, line {traceback.tb_lineno}"


def name_plainly(trace: Trace) -> None:
    """Calls by their first name, or by none, the tensors that got no label."""
    for tensor in trace.tensors:
        tensor.label = tensor.label or (tensor.names[0] if tensor.names else UNNAMED)


def say_nothing_of(trace: Trace, step: int) -> None:
    """Puts in the place of a step's words that they are missing."""
    event = trace.steps[step]
    event.text, event.detail, event.formula = AT_A_STEP, (), None
    event.claims = (Claim("unsaid"),)


def close_gaps(trace: Trace) -> None:
    """Leaves the document whole for whoever draws it, and says at its end what is missing."""
    last = len(trace.steps) - 1
    if any(gap.part == "chapters" for gap in trace.unsaid):
        trace.chapters = [Chapter("other", "The run", 0, last, [Claim("end")])]
    if trace.unsaid and last >= 0:
        end = trace.steps[last]
        end.detail = (*end.detail, sentence(trace))
        end.claims = (*end.claims, Claim("unsaid", sentence=len(end.detail)))


def sentence(trace: Trace) -> str:
    """What is missing, in words."""
    steps = {gap.step for gap in trace.unsaid if gap.part == "narration"}
    about = list(dict.fromkeys(f"`{gap.about}`" for gap in trace.unsaid if gap.part == "reasons" and gap.about))
    parts = {gap.part for gap in trace.unsaid}
    missing = [
        *(["what some tensors are called"] if "labels" in parts else []),
        *([f"why {listed(about)} {'is' if len(about) == 1 else 'are'} as shown"] if about else []),
        *(["why things are as they are"] if "reasons" in parts and not about else []),
        *(["some warnings"] if "warnings" in parts else []),
        *([f"the words of {counted(len(steps), 'step')}"] if "narration" in parts else []),
        *(["the chapters"] if "chapters" in parts else []),
        *(["some questions"] if "questions" in parts else []),
    ]
    return f"Missing, by a fault of Backplay's and not of your program: {listed(missing)}."
