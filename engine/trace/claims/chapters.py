"""Claims of chapter titles: their lines, turn, call, pass and what happens in them."""

from __future__ import annotations

from engine.trace import events
from engine.trace.claims.registry import check_chapter
from engine.trace.document import Chapter, Scope, Trace
from engine.trace.enclosing import around
from engine.trace.parts import Claim
from engine.trace.turns import turn_number


def scopes_of(trace: Trace, step: events.Event) -> list[Scope]:
    """The scopes that enclose a step, from the innermost."""
    return [trace.scopes[scope] for scope in around(trace, step.scope)]


def inside(trace: Trace, chapter: Chapter) -> list[events.Step]:
    """The chapter's steps."""
    return trace.steps[chapter.first : chapter.last + 1]


def outermost_turn(trace: Trace, step: events.Event) -> int | None:
    """The number of the outermost loop's turn that a step happens in."""
    turns = [scope for scope in scopes_of(trace, step) if scope.kind == "loop_turn"]
    return turn_number(turns[-1].title) if turns else None


@check_chapter("lines")
def _(trace: Trace, chapter: Chapter, claim: Claim) -> bool:
    lines = [step.span.line for step in inside(trace, chapter) if step.span is not None]
    return bool(lines) and min(lines) == claim.number and str(max(lines)) == claim.text


@check_chapter("turn")
def _(trace: Trace, chapter: Chapter, claim: Claim) -> bool:
    """Its first step happens in the outermost loop's turn of that number."""
    return outermost_turn(trace, trace.steps[chapter.first]) == claim.number


@check_chapter("inner_turns")
def _(trace: Trace, chapter: Chapter, claim: Claim) -> bool:
    """Its first and its last step happen in the inner loops' turns of those numbers."""
    for end in (chapter.first, chapter.last):
        turns = [scope for scope in scopes_of(trace, trace.steps[end]) if scope.kind == "loop_turn"]
        numbers = ".".join(str(turn_number(scope.title)) for scope in reversed(turns[:-1]))
        if not f"{numbers}.".startswith(f"{claim.text}."):
            return False
    return True


@check_chapter("turns")
def _(trace: Trace, chapter: Chapter, claim: Claim) -> bool:
    """It goes from the outermost loop's turn of one number to that of another."""
    turns = [outermost_turn(trace, trace.steps[end]) for end in (chapter.first, chapter.last)]
    return [str(turn) for turn in turns] == [str(claim.number), claim.text]


@check_chapter("scope")
def _(trace: Trace, chapter: Chapter, claim: Claim) -> bool:
    """Some step of it happens in that function or module."""
    return any(scope.title == claim.text for step in inside(trace, chapter) for scope in scopes_of(trace, step))


@check_chapter("pass")
def _(trace: Trace, chapter: Chapter, claim: Claim) -> bool:
    """The pass starts in this chapter, by that function, from that tensor."""
    started = [step for step in inside(trace, chapter) if isinstance(step, events.BackwardStarted)]
    return any(step.function == claim.text and claim.tensor in step.roots for step in started)


@check_chapter("in_pass")
def _(trace: Trace, chapter: Chapter, claim: Claim) -> bool:
    """Its steps belong to a backward pass."""
    return any(scope.kind == "backward" for step in inside(trace, chapter) for scope in scopes_of(trace, step))


@check_chapter("happens")
def _(trace: Trace, chapter: Chapter, claim: Claim) -> bool:
    """A step of that kind is in it."""
    return any(step.__struct_config__.tag == claim.text for step in inside(trace, chapter))


@check_chapter("end")
def _(trace: Trace, chapter: Chapter, claim: Claim) -> bool:
    """It is the last chapter."""
    return chapter.last == len(trace.steps) - 1
