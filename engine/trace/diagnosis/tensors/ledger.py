"""What a filled ``.grad`` is made of, pass by pass, and why it is 0, NaN or infinite."""

from __future__ import annotations

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.calls import clearing
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.tensors.zeros import made_zero
from engine.trace.elements import is_zero
from engine.trace.marks import code
from engine.trace.narration.amounts import is_spelled, number_word, shown


def ledger(history: History, tensor: int, step: int) -> Answer:
    """What a filled ``.grad`` is made of, and who has changed it in place since."""
    answer = filled(history, tensor, step)
    writes = [(index, write) for index, write in history.rewritten[tensor] if answer_step(answer) < index <= step]
    if not writes or answer.cause not in LEFT:
        return answer
    index, write = writes[-1]
    text = (
        f"{history.label(tensor)}.grad = {shown(write.value)}: {history.quoted(write.span) or code(write.operator)} on "
        f"{history.line_of(index)} changed {LEFT[answer.cause].format(line=history.line_of(answer.step))}."
    )
    return Answer(answer.cause, text, answer.fix, index, write.span)


LEFT = {
    "filled": "what the pass on {line} had left there",
    "accumulated": "what had been added up there, last by the pass on {line}",
    "assigned": "what had been set by hand on {line}",
}
"""What a write into a gradient changes, by how it had come there."""


def answer_step(answer: Answer) -> int:
    """The step that an answer is about."""
    return -1 if answer.step is None else answer.step


def filled(history: History, tensor: int, step: int) -> Answer:
    """Each pass's contribution since it was last None."""
    label = history.label(tensor)
    given = [(index, event) for index, event in history.set[tensor] if index <= step]
    if given and all(index < given[-1][0] or index > step for index, _ in history.stored[tensor]):
        at, last_set = given[-1]
        text = (
            f"{label}.grad = {shown(last_set.value)}: it was set by hand on {history.line_of(at)}, by no backward pass."
        )
        return Answer("assigned", text, "", at, last_set.span)
    entries: list[tuple[int, events.GradientStored]] = []
    for index, event in history.stored[tensor]:
        if index <= step:
            anew = (*history.zeroed[tensor], *(at for at, _ in given))
            cleared = [at for at in anew if entries and entries[-1][0] < at < index]
            entries = [(index, event)] if event.old is None or cleared else [*entries, (index, event)]
    last = entries[-1][1]
    zero = made_zero(history, tensor, last, entries[-1][0]) if is_zero(last.new) else None
    if zero is not None:
        return zero
    if last.new.nonfinite:
        bad = _turned_bad(history, tensor, last)
        if bad is not None:
            return bad
    base = _set_before(history, tensor, entries[0][0], given)
    if len(entries) == 1 and not base:
        return Answer(
            "filled",
            f"{label}.grad = {shown(last.new)}, filled by the pass on {history.line_of(entries[-1][0])}.",
            "",
            entries[-1][0],
            last.span,
        )
    spelled = all(is_spelled(event.incoming) for _, event in entries)
    parts = base + " + ".join(shown(event.incoming) for _, event in entries[:6]) + (" + …" if len(entries) > 6 else "")
    total = f" = {parts} = {shown(last.new)}" if spelled and is_spelled(last.new) else f" holds {shown(last.new)}"
    passes = f"{number_word(len(entries))} backward passes have" if len(entries) > 1 else "a backward pass has"
    return Answer(
        "accumulated",
        f"{label}.grad{total}: {passes} added to it, and nothing cleared it in between.",
        f"To start anew, clear it before backward(): {clearing(history, tensor)}.",
        entries[-1][0],
        last.span,
    )


def _set_before(history: History, tensor: int, filled: int, given: list[tuple[int, events.GradientSet]]) -> str:
    """What the snippet had put there before the first pass added to it, as the first part of the sum."""
    before = [(at, event) for at, event in given if at < filled]
    if not before or any(before[-1][0] < zero < filled for zero in history.zeroed[tensor]):
        return ""
    at, event = before[-1]
    return f"{shown(event.value)} (set by hand on {history.line_of(at)}) + "


def _turned_bad(history: History, tensor: int, last: events.GradientStored) -> Answer | None:
    """For a gradient with NaN or infinite numbers: the node of this pass that made the first of them on the way here."""
    behind = set(history.recorded_descendants(tensor))
    for call, receiver, answer in history.bad_messages:
        if call == last.call and receiver in behind:
            text = f"{history.label(tensor)}.grad = {shown(last.new)}. {answer.text}"
            return Answer(answer.cause, text, answer.fix, answer.step, answer.span)
    return None
