"""What lessons say is so: in the trace that people play, and on real PyTorch; what wrong choices say is not."""

from __future__ import annotations

import ast
import functools
import re
from typing import Any

import pytest

from app.lessons.lesson import Lesson, lessons
from app.lessons.prose import Claim, Prose
from engine.trace.document import Trace
from engine.trace.play import play
from tests.app.lessons.replay import answer, pointed_at
from tests.oracle import judge
from tests.oracle.golden import golden
from tests.oracle.lesson_programs import Program, key, programs

RECORDED = golden("lessons")
PROGRAMS = {program.name: program for program in programs()}
NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:e[-+]?\d+)?")
KEY_PHRASE = 45
"""Characters of an error's message that have to be PyTorch's; what follows is each side's own."""


@functools.cache
def played(code: str) -> Trace:
    return play(code)


def agree(left: Any, right: Any, tolerance: float = 1e-5) -> bool:
    """Equal, numbers within ``tolerance`` (absolute near zero, relative elsewhere)."""
    if isinstance(left, list) and isinstance(right, list):
        pairs = zip(left, right, strict=False)
        return bool(len(left) == len(right) and all(agree(ours, theirs, tolerance) for ours, theirs in pairs))
    if all(type(each) in (int, float) for each in (left, right)):
        return bool(abs(left - right) <= tolerance * max(1.0, abs(right)))
    return bool(type(left) is type(right) and left == right)


def says(shown: str, actual: Any) -> bool:
    """Whether a value as it is written stands for ``actual``: numbers to the digits that are shown."""
    try:
        written = ast.literal_eval(re.sub("-?(?:nan|inf)", r"'\g<0>'", shown.replace("−", "-")))
    except (ValueError, SyntaxError):
        return bool(shown == actual)
    if isinstance(written, tuple):
        written = list(written)
    decimals = max(map(len, re.findall(r"\.(\d+)", shown)), default=0)
    return bool(shown == actual) or agree(rounded(actual, decimals), written, 1e-9)


def rounded(value: Any, decimals: int) -> Any:
    if isinstance(value, list):
        return [rounded(element, decimals) for element in value]
    return round(value, decimals) if isinstance(value, float) else value


def test_a_written_value_stands_for_what_rounds_to_it_and_nothing_else() -> None:
    assert says("0.33", 1 / 3)
    assert says("[1, −2.5]", [1.0, -2.5])
    assert says("None", None)
    assert says("(3, 1)", [3, 1])
    assert says("MulBackward0", "MulBackward0")
    assert says("nan", "nan")
    assert says("[-inf, 1]", ["-inf", 1.0])
    assert not says("nan", 1.0)
    assert not says("0.34", 1 / 3)
    assert not says("0", None)
    assert not says("1", True)
    assert not says("[1]", [1.0, 2.0])


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_lesson_or_example_runs_as_on_pytorch(name: str) -> None:
    trace, seen = played(PROGRAMS[name].code), RECORDED[name]
    if name.startswith("example: "):  # some train for long, where the last digits of float32 part ways
        assert NUMBER.sub("#", trace.stdout) == NUMBER.sub("#", seen["stdout"])
        ours, theirs = ([float(found) for found in NUMBER.findall(text)] for text in (trace.stdout, seen["stdout"]))
        assert ours == pytest.approx(theirs, rel=1e-4, abs=1e-7)
    else:
        assert trace.stdout == seen["stdout"]
    assert ending(trace)[:KEY_PHRASE] == seen["outcome"][:KEY_PHRASE]


def ending(trace: Trace) -> str:
    outcome = trace.outcome
    return "ok" if outcome.status == "ok" else f"{outcome.error}: {outcome.message.splitlines()[0]}"


@pytest.mark.parametrize("lesson", lessons().values(), ids=lambda lesson: lesson.slug)
def test_what_ends_in_an_error_says_so(lesson: Lesson) -> None:
    promised = {lesson.slug: lesson.raises}
    promised |= {f"{lesson.slug}, try {number}": change.raises for number, change in enumerate(lesson.tries, 1)}
    for name, raises in promised.items():
        assert ending(played(PROGRAMS[name].code)).startswith(raises or "ok"), name
        assert RECORDED[name]["outcome"].startswith(raises or "ok"), name


@pytest.mark.parametrize("name", PROGRAMS)
def test_trace_and_pytorch_give_the_same_answer_to_every_claim(name: str) -> None:
    program = PROGRAMS[name]
    ours = {key(claim): answer(played(program.code), claim) for claim in program.claims}
    theirs = RECORDED[name]["answers"]
    assert set(ours) == set(theirs), "ask again: make record"
    assert [(asked, ours[asked], theirs[asked]) for asked in ours if not agree(ours[asked], theirs[asked])] == []


@pytest.mark.parametrize("lesson", lessons().values(), ids=lambda lesson: lesson.slug)
def test_every_number_in_a_lesson_is_right(lesson: Lesson) -> None:
    assert not [claim for text in lesson.texts() for claim in text.claims if claim.subject == claim.value]
    wrong = untrue(lesson.slug, [claim for text in lesson.texts() for claim in text.claims])
    for number, change in enumerate(lesson.tries, 1):
        wrong += untrue(f"{lesson.slug}, try {number}", list(Prose.of(change.text).claims))
    assert wrong == []


@pytest.mark.parametrize("lesson", lessons().values(), ids=lambda lesson: lesson.slug)
def test_every_wrong_choice_is_wrong(lesson: Lesson) -> None:
    for text in lesson.misconceptions():
        assert not text.claims or untrue(lesson.slug, list(text.claims)), f"{text!r} is true"


def untrue(name: str, claims: list[Claim]) -> list[tuple[Claim, Any]]:
    """The claims that real PyTorch does not confirm, with what it says."""
    answers = RECORDED[name]["answers"]
    return [(claim, answers[key(claim)]) for claim in claims if not says(claim.value, answers[key(claim)])]


@pytest.mark.parametrize("lesson", lessons().values(), ids=lambda lesson: lesson.slug)
def test_no_number_stands_in_a_lesson_unclaimed(lesson: Lesson) -> None:
    texts = [*lesson.texts(), *lesson.misconceptions(), *(Prose.of(change.text) for change in lesson.tries)]
    programs = [lesson.snippet, *(lesson.changed(change) for change in lesson.tries)]
    known = [*programs, *(node.name for program in programs for node in played(program).nodes)]
    for text in texts:
        assert not any(character.isdigit() for character in text.words), f"a number without a claim: {text!r}"
        for code in text.code:
            numbered = any(character.isdigit() for character in code)
            assert not numbered or any(code in each for each in known), f"{code!r} is in no program: {text!r}"


@pytest.mark.parametrize("lesson", lessons().values(), ids=lambda lesson: lesson.slug)
def test_every_pointer_leads_to_a_step(lesson: Lesson) -> None:
    trace = played(lesson.snippet)
    for question in lesson.questions:
        for choice in question.choices:
            if choice.step is not None:
                assert trace.steps[pointed_at(trace, choice.step)].text


@judge.at_hand
def test_pytorch_answers_now_as_it_was_recorded() -> None:
    assert judge.asked("record_lessons") == RECORDED


def test_a_claim_that_is_not_so_is_found() -> None:
    """Guards the tests above: they would be worth nothing if they could not fail."""
    program = Program("any", "a = 1\n", (Claim("a.grad", "6"),))
    lesson = lessons()["dynamic-computation-graph"]
    assert answer(played(lesson.snippet), program.claims[0]) == 5
    assert not says("6", 5.0)
