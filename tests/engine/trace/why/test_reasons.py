"""No reason and no warning states a falsehood: cause, place, code, value and count are read back and held against the trace."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec
import pytest

from app.examples.gallery import gallery
from app.lessons.lesson import lessons
from engine.trace.claims.reasons import wrong_reasons
from engine.trace.claims.reasons.causes import FACTS
from engine.trace.diagnosis.causes import CAUSES
from engine.trace.document import Reason, Trace
from engine.trace.play import play
from tests.engine.trace.why.programs import SNIPPETS, played

PUBLISHED = {
    **{f"lesson {slug}": lesson.snippet for slug, lesson in lessons().items()},
    **{f"example {example.title}": example.snippet for topic in gallery() for example in topic.examples},
}


@pytest.mark.parametrize("name", SNIPPETS)
def test_every_reason_holds(name: str) -> None:
    assert wrong_reasons(played(SNIPPETS[name])) == []


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_reason_of_what_the_site_shows_holds(name: str) -> None:
    assert wrong_reasons(play(PUBLISHED[name])) == []


def test_every_cause_has_a_meaning_that_is_checked() -> None:
    assert set(FACTS) == set(CAUSES)


LOOP = """\
import torch
from torch import nn
torch.manual_seed(0)
net, y = nn.Linear(2, 1), torch.ones(3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.StepLR(opt, step_size=1, gamma=0.1)
unused = torch.ones(2, requires_grad=True)
for epoch in range(2):
    for batch in range(3):
        out = net(torch.ones(3, 2))
        loss = ((out - y) ** 2).mean()
        loss.backward()
        opt.step()
        schedule.step()
cut = (net.weight * 2).detach()
"""


def lines_moved(text: str) -> str:
    return re.sub(r"line (\d+)", lambda found: f"line {int(found[1]) % 15 + 1}", text, count=1)


def digits_turned(text: str) -> str:
    return re.sub(r"(?<=\.)(\d)", lambda found: str((int(found[1]) + 5) % 10), text, count=1)


FALSIFIED: dict[str, Callable[[str], str]] = {
    "another line": lines_moved,
    "another digit": digits_turned,
    "another count": lambda text: re.sub(r"\b6 times|\bsix times", "5 times", text),
    "another shape": lambda text: text.replace("[3, 1]", "[1, 3]"),
    "another name": lambda text: text.replace("`out`", "`y`").replace("`schedule.step()`", "`schedule.run()`"),
    "another number of passes": lambda text: text.replace("six backward passes", "nine backward passes"),
}


def told(trace: Trace) -> list[Reason]:
    return [
        reason
        for reason in trace.reasons
        if reason.warns or reason.cause in ("accumulated", "filled", "detach", "computed")
    ]


@pytest.mark.parametrize("way", FALSIFIED)
def test_a_falsified_sentence_is_noticed(way: str) -> None:
    trace = play(LOOP)
    falsify = FALSIFIED[way]
    false = [
        msgspec.structs.replace(reason, text=falsify(reason.text))
        for reason in told(trace)
        if falsify(reason.text) != reason.text
    ]
    assert false
    trace.reasons = []
    assert wrong_reasons(trace) == []
    for reason in false:
        trace.reasons = [reason]
        assert wrong_reasons(trace), reason.text


@pytest.mark.parametrize(
    ("cause", "instead"),
    [
        ("filled", "backward_not_called"),
        ("leaf", "not_a_leaf"),
        ("accumulated", "zeroed"),
        ("detach", "numpy"),
        ("detach", "item"),
        ("detach", "integer"),
        ("accumulated", "copied"),
        ("accumulated", "not_differentiable"),
        ("accumulated", "broadcast_surprise"),
        ("stale_gradient", "never_stepped"),
        ("broadcast_surprise", "graph_freed"),
    ],
)
def test_a_cause_that_is_not_so_is_noticed(cause: str, instead: str) -> None:
    trace = play(LOOP)
    reasons = [reason for reason in trace.reasons if reason.cause == cause]
    assert reasons
    trace.reasons = [msgspec.structs.replace(reasons[-1], cause=instead)]
    assert wrong_reasons(trace) != []
