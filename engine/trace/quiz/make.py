"""Walks a trace and picks its questions: every kind that fits, no kind twice as often as the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from engine.trace import events, unsaid
from engine.trace.document import Question, Trace
from engine.trace.narration.telling import Reader
from engine.trace.quiz import errors, numbers, structure

MOST = 14
"""Questions per trace."""
PER_KIND = 3
"""Questions of one kind."""
TRIES = 60
"""Steps that are looked at for one kind: a long loop asks the same question again and again."""

ASKERS: tuple[tuple[type[events.Event], Callable[[Reader, Any], Question | None]], ...] = (
    (events.MessageSent, numbers.arriving_gradient),
    (events.MessagesSummed, numbers.accumulated),
    (events.GradientStored, numbers.stored_again),
    (events.OptimizerStepped, numbers.optimizer_update),
    (events.NodeRan, structure.next_node),
    (events.BackwardStarted, structure.which_get_grad),
    (events.NameBound, structure.what_grad_fn),
    (events.BackwardEnded, structure.grad_of_result),
)


def ask(trace: Trace) -> None:
    """Fills in ``trace.questions``, in order of steps, in place."""
    reader = Reader(trace)
    asked: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    prompts: set[str] = set()
    answered: set[tuple[str, str]] = set()
    found: list[Question] = []
    for step in trace.steps:
        reader.advance(step)
        for kind, asker in ASKERS:
            if type(step) is not kind or asked[asker.__name__] >= PER_KIND or tried[asker.__name__] >= TRIES:
                continue
            tried[asker.__name__] += 1
            try:
                question = asker(reader, step)
            except Exception as error:  # noqa: BLE001 (it costs this question only)
                unsaid.note(trace, "questions", error, about=asker.__name__)
                continue
            if question is not None and question.prompt not in prompts and not repeats(question, answered):
                asked[asker.__name__] += 1
                prompts.add(question.prompt)
                found.append(question)
    for about_the_end in (errors.what_raises, errors.where_raises):
        try:
            question = about_the_end(trace)
        except Exception as error:  # noqa: BLE001 (it costs this question only)
            unsaid.note(trace, "questions", error, about=about_the_end.__name__)
            continue
        found += [] if question is None else [question]
    trace.questions = sorted(thinned(found), key=lambda question: question.step)


def repeats(question: Question, answered: set[tuple[str, str]]) -> bool:
    """Whether it asks for the same node again: once one knows that a leaf has no grad_fn, one knows it of all."""
    if question.kind not in ("grad_fn", "grad_of_result"):
        return False
    answer = question.kind, next(choice.text for choice in question.choices if choice.right)
    known = answer in answered
    answered.add(answer)
    return known


def thinned(questions: list[Question]) -> list[Question]:
    """At most `MOST`: the first of every kind, then the second, then the third."""
    seen: Counter[str] = Counter()
    ranked = []
    for question in questions:
        ranked.append((seen[question.kind], question.step, question))
        seen[question.kind] += 1
    ranked.sort(key=lambda entry: entry[:2])
    return [question for _, _, question in ranked[:MOST]]
