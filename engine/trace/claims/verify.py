"""Replays a trace and asks each claim's check."""

from __future__ import annotations

from engine.trace.claims.registry import CHAPTER_CHECKS, CHECKS
from engine.trace.document import Trace
from engine.trace.state import State


def verify(trace: Trace) -> list[str]:
    """The claims that do not hold, and what is said without a claim; empty for a sound narration."""
    return [*wrong_steps(trace), *wrong_titles(trace), *(f"not said: {gap}" for gap in trace.unsaid)]


def wrong_steps(trace: Trace) -> list[str]:
    """What is wrong with the sentences of steps."""
    state = State(trace)
    wrong = []
    for index, step in enumerate(trace.steps):
        state.advance(step)
        backed = {claim.sentence for claim in step.claims}
        for place, sentence in enumerate((step.text, *step.detail)):
            if place not in backed:
                wrong.append(f"step {index}: no claim behind {sentence!r}")
        for claim in step.claims:
            found = CHECKS.get(claim.says)
            if found is None:
                wrong.append(f"step {index}: nobody checks {claim.says!r}")
            elif not found(state, step, claim):
                wrong.append(f"step {index}: {(step.text, *step.detail)[claim.sentence]!r} claims {claim}")
    return wrong


def wrong_titles(trace: Trace) -> list[str]:
    """What is wrong with the titles of chapters."""
    wrong = []
    for chapter in trace.chapters:
        if not chapter.claims:
            wrong.append(f"no claim behind the title {chapter.title!r}")
        for claim in chapter.claims:
            found = CHAPTER_CHECKS.get(claim.says)
            if found is None:
                wrong.append(f"{chapter.title!r}: nobody checks {claim.says!r}")
            elif not found(trace, chapter, claim):
                wrong.append(f"{chapter.title!r} claims {claim}")
    return wrong
