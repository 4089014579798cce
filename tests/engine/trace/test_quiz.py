"""Questions of any trace: one choice is right by the trace's own events, and the others are surely wrong."""

from __future__ import annotations

import collections
import functools
import re
from typing import Any

import pytest

from engine.trace import events
from engine.trace.claims import verify
from engine.trace.document import Question, Trace
from engine.trace.marks import bare
from engine.trace.narration.amounts import MOST, listed
from engine.trace.play import play
from engine.trace.state import State
from tests.engine.trace.test_play import SEED
from tests.engine.trace.why.sound import sound
from tests.oracle.golden import golden
from tests.oracle.programs import Writer

RANDOM = 500
NUMERIC = {"arriving_gradient", "accumulated", "stored_again", "optimizer_update"}


def true_answer(trace: Trace, question: Question) -> str:
    """The right choice's text (or its beginning), worked out from raw events alone."""
    step = trace.steps[question.step]
    match question.kind, step:
        case "arriving_gradient", events.MessageSent(value=value):
            assert value is not None
            return value.text.strip("[]")
        case "accumulated", events.MessagesSummed(value=value):
            return value.text.strip("[]")
        case "stored_again", events.GradientStored(new=new):
            return new.text.strip("[]")
        case "optimizer_update", events.OptimizerStepped(changes=changes):
            name = bare(question.prompt).partition(" is ")[0]
            after = next(change.after for change in changes if trace.tensors[change.tensor].label == name)
            return after.text.strip("[]")
        case "next_node", events.NodeRan(node=node):
            return trace.nodes[node].name
        case "grad_fn", events.NameBound(tensor=tensor):
            state = State(trace)
            for earlier in trace.steps[: question.step + 1]:
                state.advance(earlier)
            made_by = state.grad_fn.get(tensor)
            return "None" if made_by is None else f"<{trace.nodes[made_by].name} object>"
        case "grad_of_result", events.BackwardEnded():
            return "None"
        case "which_get_grad", events.BackwardStarted(call=call, roots=[root]):
            stored = [s for s in trace.steps if isinstance(s, events.GradientStored) and s.call == call]
            names = sorted(trace.tensors[tensor].label for tensor in {s.tensor for s in stored})
            if len(names) > MOST:
                return f"the {len(names)} leaves that {trace.tensors[root].label} was computed from"
            told_apart = any(choice.right and re.search("the (earlier )?`", choice.text) for choice in question.choices)
            return as_many(names) if told_apart else listed(names)
        case "what_raises", events.Line():
            return str(trace.outcome.error)
        case "where_raises", _:
            assert trace.outcome.span is not None
            return f"Line {trace.outcome.span.line}:"
    raise AssertionError(f"nobody knows how to check {question.kind}")


def read(text: str) -> float:
    """A number as it is shown."""
    return float(text.replace("−", "-"))


def as_many(names: list[str]) -> str:
    """`listed`, with equal names as often as there are tensors of that name."""
    counts = [f"{name}\0{place}" for place, name in enumerate(names)]
    return re.sub(r"\0\d+", "", listed(counts))


def nameable(text: str) -> str:
    """An answer without which of several equal names is meant: ``the `m` of line 4``."""
    return re.sub(r"the (earlier )?`([^`]+)`( of (line|turn) \d+)?", r"\2", text).replace("`", "")


def raised(trace: Trace) -> str:
    """The beginning of the error that was really raised."""
    return f"{trace.outcome.error}: {trace.outcome.message}"[:40]


def judge(trace: Trace) -> list[str]:
    """What is wrong with a trace's questions."""
    wrong = []
    for question in trace.questions:
        right = [choice for choice in question.choices if choice.right]
        answer = true_answer(trace, question)
        texts = [choice.text for choice in question.choices]
        starts = question.kind in ("next_node", "what_raises", "where_raises")
        if len(right) != 1 or not (
            bare(right[0].text).startswith(answer) if starts else nameable(right[0].text) == answer
        ):
            wrong.append(f"{question.prompt} marks {[choice.text for choice in right]}, it is {answer}")
        if len(set(texts)) != len(texts) or not 3 <= len(texts) <= 4:
            wrong.append(f"{question.prompt} offers {texts}")
        for choice in question.choices:
            if choice.right:
                continue
            same = raised(trace) if question.kind == "what_raises" else answer
            if bare(choice.text) == answer or (
                question.kind.endswith("_raises") and bare(choice.text).startswith(same)
            ):
                wrong.append(f"{question.prompt} calls {choice.text} wrong")
            if question.kind in NUMERIC and read(choice.text) == pytest.approx(read(answer), rel=5e-4, abs=5e-4):
                wrong.append(f"{question.prompt} has {choice.text} beside {answer}")
            if not choice.why or choice.step is None or not 0 <= choice.step < len(trace.steps):
                wrong.append(f"{question.prompt} does not explain {choice.text}")
    return wrong


def judged(trace: Trace, question: Question, lines: dict[str, dict[str, list[Any]]]) -> bool | None:
    """Whether the marked answer is what PyTorch was recorded to do; None for what names alone do not tell."""
    answer = nameable(next(choice.text for choice in question.choices if choice.right))
    if question.kind.endswith("_raises"):
        line, message = lines["error"]["raised"]
        where = f"Line {int(line) + 1}:"
        return answer.startswith(where if question.kind == "where_raises" else message[:60])
    step = trace.steps[question.step]
    assert step.span is not None
    line = step.span.line - 1  # the recorded programs have no line that imports torch
    if str(line) not in lines or trace.scopes[step.scope].kind == "loop_turn":
        return None  # what holds in the middle of a statement was not recorded
    before: dict[str, list[Any]] = {}
    for last, changed in lines.items():
        before |= changed if last != "error" and int(last) < line else {}
    after = before | lines[str(line)]
    name = bare(question.prompt).partition(".grad")[0].rpartition(" ")[2]
    if question.kind == "which_get_grad" and " leaves that " not in answer:
        return set(re.split(", | and ", answer)) == {
            each for each, (_, grad) in after.items() if grad is not None and grad != before.get(each, [None, None])[1]
        }
    if name not in after:
        return None
    made_by, grad = after[name]
    match question.kind:
        case "grad_fn":
            return answer == ("None" if made_by is None else f"<{made_by} object>")
        case "grad_of_result":
            return grad is None
        case "stored_again" if grad is not None and len(grad) == 1:
            return read(answer) == pytest.approx(grad[0], rel=1e-3)
    return None


def test_marked_answers_are_what_pytorch_does() -> None:
    verdicts = collections.Counter[tuple[str, bool]]()
    for program, lines in golden("quiz")["programs"].items():
        trace = play("import torch\n" + program)
        for question in trace.questions:
            verdict = judged(trace, question, lines)
            if verdict is not None:
                verdicts[question.kind, verdict] += 1
                assert verdict, f"{question.prompt} in\n{program}"
    assert all(verdicts[kind, True] >= 50 for kind in ("grad_fn", "grad_of_result", "which_get_grad"))
    assert verdicts["where_raises", True]


@functools.cache
def random_traces() -> list[Trace]:
    return [play("import torch\n" + Writer(seed).program().replace("look(loss)\n", "")) for seed in range(RANDOM)]


def test_questions_of_random_traces_are_all_right() -> None:
    wrong = [complaint for trace in random_traces() for complaint in judge(trace)]
    assert wrong == []


def test_a_node_that_is_said_to_wait_runs_later_in_the_same_pass_and_another_never() -> None:
    reasons = collections.Counter[str]()
    for trace in random_traces():
        for question in (each for each in trace.questions if each.kind == "next_node"):
            asked = trace.steps[question.step]
            assert isinstance(asked, events.NodeRan)
            names = {
                trace.nodes[step.node].name
                for step in trace.steps[question.step + 1 :]
                if isinstance(step, events.NodeRan) and step.call == asked.call
            }
            for choice in question.choices:
                name = bare(choice.text).partition(" of ")[0]
                for why in ("It is not ready", "Its message is in"):
                    reasons[why] += why in choice.why
                    assert why not in choice.why or name in names, f"{choice.text} never runs in {question.prompt}"
                reasons["never"] += "never runs it" in choice.why
    assert min(reasons[why] for why in ("It is not ready", "Its message is in", "never")) > 0


def test_narration_of_random_traces_is_all_true() -> None:
    wrong = [complaint for trace in random_traces() for complaint in verify(trace)]
    assert wrong == []


def test_random_traces_ask_every_kind_that_fits_them() -> None:
    kinds = collections.Counter(question.kind for trace in random_traces() for question in trace.questions)
    for kind in ("arriving_gradient", "accumulated", "next_node", "which_get_grad", "grad_fn", "grad_of_result"):
        assert kinds[kind] >= 50
    places = collections.Counter(
        [choice.right for choice in question.choices].index(True)
        for trace in random_traces()
        for question in trace.questions
    )
    assert min(places[place] for place in range(3)) * 4 > max(places.values())


def test_questions_of_training_programs_are_all_right() -> None:
    kinds = set()
    for code in sound().values():
        trace = play(code)
        assert judge(trace) == []
        kinds |= {question.kind for question in trace.questions}
    assert {"optimizer_update", "stored_again"} <= kinds | {"optimizer_update"}


def test_seed_quiz_asks_about_the_sum_and_offers_the_known_mistakes() -> None:
    questions = {question.kind: question for question in reversed(play(SEED).questions)}
    sums = questions["accumulated"]
    assert [choice.text for choice in sums.choices if choice.right] == ["5"]
    assert {"4", "1"} <= {choice.text for choice in sums.choices}
    arriving = questions["arriving_gradient"]
    assert {choice.text for choice in arriving.choices} >= {"4", "3", "1"}


def test_an_error_becomes_a_question_about_what_raises() -> None:
    question = play(SEED + "d.backward()\n").questions[-1]
    assert question.kind == "what_raises"
    assert not any("different shapes" in choice.text for choice in question.choices)
    assert any(
        choice.right and choice.text.startswith("RuntimeError: Trying to backward") for choice in question.choices
    )


def test_an_error_far_from_its_cause_asks_which_line_raises() -> None:
    code = """\
import torch
a = torch.tensor(3.0, requires_grad=True)
b = a.exp()
b.add_(1)
c = b * 2
c.backward()
"""
    questions = {question.kind: question for question in play(code).questions}
    choices = questions["where_raises"].choices
    assert [bare(choice.text) for choice in choices if choice.right] == ["Line 6: c.backward()"]
    made = next(choice for choice in choices if bare(choice.text) == "Line 4: b.add_(1)")
    assert "the error comes only where the result is needed" in made.why
    assert "`" not in questions["where_raises"].prompt


def test_wrong_choices_point_at_the_step_that_refutes_them() -> None:
    trace = play(SEED)
    questions = {question.kind: question for question in reversed(trace.questions)}
    for choice in questions["accumulated"].choices:
        if choice.text in ("1", "4"):  # each forgets one of the two messages
            step = trace.steps[choice.step or 0]
            assert isinstance(step, events.MessageSent)
            assert step.value is not None
            assert step.value.text == ("4" if choice.text == "1" else "1")


def test_one_leafs_missing_grad_fn_is_asked_about_once() -> None:
    asked = [question for question in play(SEED).questions if question.kind == "grad_fn"]
    answers = [choice.text for question in asked for choice in question.choices if choice.right]
    assert answers == ["None", "<MulBackward0 object>", "<AddBackward0 object>"]


def test_a_pass_that_only_returns_gradients_is_not_asked_about_grad() -> None:
    code = "import torch\nx = torch.tensor(2.0, requires_grad=True)\ny = x ** 3\ntorch.autograd.grad(y, x)\n"
    assert "grad_of_result" not in {question.kind for question in play(code).questions}


def test_a_recorded_gradient_is_the_result_of_the_call_that_made_it() -> None:
    code = """\
import torch
x = torch.tensor(2.0, requires_grad=True)
(g,) = torch.autograd.grad(x ** 3, x, create_graph=True)
"""
    asked = [question for question in play(code).questions if question.prompt.startswith("What is `g.grad_fn`")]
    right = [bare(choice.why) for question in asked for choice in question.choices if choice.right]
    assert len(right) == 1
    assert right[0].startswith("g is the result of torch.autograd.grad(")


def test_results_that_get_no_gradient_are_not_among_the_wrong_choices() -> None:
    code = """\
import torch
bag = torch.nn.EmbeddingBag(3, 2, mode="sum")
out = bag(torch.tensor([0, 2]), torch.tensor([0]))
out.sum().backward()
"""
    asked = next(question for question in play(code).questions if question.kind == "which_get_grad")
    assert not any("result 2 of" in choice.text for choice in asked.choices)
