"""What is said of dead relus, losses, layers and sizes of gradients is worked out anew: each falsified sentence is noticed."""

from __future__ import annotations

import re

import msgspec
import pytest

from engine.trace.claims.reasons import wrong_reasons
from engine.trace.document import Reason, Trace
from engine.trace.play import play
from tests.engine.trace.why.cases import cases
from tests.engine.trace.why.programs import played

FALSE: dict[str, tuple[tuple[str, str], ...]] = {
    "dead_relu": ((r"in 3 passes", "in 2 passes"), (r"in 3 passes", "in 9 passes")),
    "squashed_twice": (
        (r"softmax already", "sigmoid already"),
        (r"sigmoid already", "softmax already"),
        (r"`cross_entropy` takes", "`nll_loss` takes"),
        (r"already \(line \d+\)", "already (line 2)"),
    ),
    "scores_given": (
        (r"holds raw scores, but `nll_loss`", "holds raw scores, but `binary_cross_entropy`"),
        (r"\(line \d+\) holds raw scores", "(line 2) holds raw scores"),
    ),
    "wrong_dim": (
        (r"over dimension 0 of", "over dimension 1 of"),
        (r"shape \[(\d+), (\d+)\], the batch: samples", r"shape [\2, \1], the batch: samples"),
        (r"every probability is 1", "every probability is 0"),
        (r"along dimension 0", "along dimension 1"),
    ),
    "symmetric": (
        (r"^The \w+ units", "The seven units"),
        (r"get equal gradients", "get gradients of 0"),
    ),
    "vanishing": (
        (r"shrinks from (\S+) (.+) to (\S+) at", r"shrinks from \3 \2 to \1 at"),
        (r"The gradient shrinks", "The gradient grows"),
    ),
    "exploding": (
        (r"grows from (\S+) (.+) to (\S+) at", r"grows from \3 \2 to \1 at"),
        (r"grows: (\S+) became (\S+) in", r"grows: \2 became \1 in"),
    ),
}
"""By cause: what to look for in its sentence, and what to write instead."""


def sentences(cause: str) -> list[tuple[Trace, Reason]]:
    """What the labelled programs are told with a cause."""
    programs = [played(case.code) for case in cases() if case.cause == cause]
    return [(trace, reason) for trace in programs for reason in trace.reasons if reason.cause == cause]


def alone(trace: Trace, reason: Reason) -> list[str]:
    """What is wrong with one reason of a trace."""
    return wrong_reasons(msgspec.structs.replace(trace, reasons=[reason]))


@pytest.mark.parametrize(("cause", "pattern", "instead"), [(c, *pair) for c, pairs in FALSE.items() for pair in pairs])
def test_a_falsified_sentence_is_noticed(cause: str, pattern: str, instead: str) -> None:
    told = [(trace, reason) for trace, reason in sentences(cause) if re.search(pattern, reason.text)]
    assert told
    for trace, reason in told:
        assert alone(trace, reason) == []
        false = msgspec.structs.replace(reason, text=re.sub(pattern, instead, reason.text))
        assert alone(trace, false) != [], false.text


SOUND = """\
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
w = torch.randn(4, 3, requires_grad=True)
x, y = torch.randn(6, 4), torch.tensor([0, 1, 2, 0, 1, 2])
for _ in range(3):
    h = torch.relu(x @ w)
    loss = F.nll_loss(F.log_softmax(h, dim=1), y)
    loss.backward()
"""
SAID_OF_SOUND = {
    "dead_relu": (
        "torch.relu(x @ w)",
        (
            "`torch.relu(x @ w)` (line 8) has let no gradient through in 3 passes: its inputs are all negative, so what lies before "
            "it stops learning."
        ),
    ),
    "wrong_dim": (
        "F.log_softmax(h, dim=1)",
        (
            "`F.log_softmax(h, dim=1)` on line 9 normalises over dimension 0 of shape [6, 3], the batch: samples share their "
            "probability. The loss reads each row as the classes of one sample."
        ),
    ),
    "scores_given": (
        "F.nll_loss(F.log_softmax(h, dim=1), y)",
        (
            "`F.log_softmax(h, dim=1)` (line 9) holds raw scores, but `nll_loss` takes logarithms of probabilities, which are never "
            "above 0: the loss has no lower end."
        ),
    ),
    "squashed_twice": (
        "F.nll_loss(F.log_softmax(h, dim=1), y)",
        (
            "`F.log_softmax(h, dim=1)` went through softmax already (line 9), and `nll_loss` takes logarithms of probabilities: without "
            "them a bad guess costs hardly more than a good one."
        ),
    ),
    "symmetric": (
        "torch.randn(4, 3, requires_grad=True)",
        (
            "The four units of `w` have equal weights since line 5 and get equal gradients in every pass, so they stay equal: together "
            "they do no more than one unit."
        ),
    ),
}
"""By cause: the columns that it would be about in a sound program, and the sentence."""


@pytest.mark.parametrize("cause", SAID_OF_SOUND)
def test_what_is_not_so_of_a_sound_program_is_noticed(cause: str) -> None:
    trace = play(SOUND)
    assert trace.reasons
    columns, text = SAID_OF_SOUND[cause]
    line = next(number for number, written in enumerate(SOUND.split("\n"), 1) if columns in written)
    tensor = max(t for t, row in enumerate(trace.tensors) if row.span is not None and row.span.line == line)
    last = len(trace.steps) - 1
    span = trace.tensors[tensor].span
    false = Reason(tensor, "value", cause, last, last, text, span=span, fix="", step=last, warns=True)
    assert f"{cause} does not hold: {text!r}" in alone(trace, false)
