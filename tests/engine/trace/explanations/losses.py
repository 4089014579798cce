"""Laws of losses."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from tests.engine.trace.explanations.calls import Call
from tests.engine.trace.explanations.functions import reduced, share
from tests.engine.trace.explanations.laws import LAWS, gives, near, sends
from tests.engine.trace.explanations.layers import scores


def likelihood(call: Call) -> bool:
    rows, target, weights = scores(call)
    losses = -rows[np.arange(len(target)), target] * weights
    expected = [losses, losses.sum() / weights.sum() if weights.sum() else np.nan, losses.sum()][call["reduction"]]
    return near(np.ravel(call.result), np.ravel(expected))


def to_right_class(call: Call) -> bool:
    rows, target, weights = scores(call)
    made = np.zeros(rows.shape)
    arrived = np.ravel(call.g) / (weights.sum() if call["reduction"] == 1 else 1)
    made[np.arange(len(target)), target] = -weights * arrived
    sent = np.moveaxis(call.d, 1, -1) if np.ndim(call.d) > 1 else call.d
    return near(sent.reshape(rows.shape), made)


def alignments(call: Call) -> Any:
    """Minus the log-likelihood of each sample's labels, over all paths that collapse to them."""
    made = []
    for sample in range(call["log_probs"].shape[1]):
        steps = int(np.ravel(call["input_lengths"])[sample])
        length = int(np.ravel(call["target_lengths"])[sample])
        labels = call["targets"][sample][:length].tolist()
        logs = call["log_probs"][:steps, sample]
        total = -np.inf
        for path in itertools.product(range(logs.shape[1]), repeat=steps):
            if [label for label, _ in itertools.groupby(path) if label != call["blank"]] == labels:
                total = np.logaddexp(total, sum(logs[step, label] for step, label in enumerate(path)))
        made.append(-total)
    return np.array(made)


def difference(call: Call) -> Any:
    return call["self"] - call["target"]


def lacks(call: Call) -> Any:
    """What each class lacks to the right one, and which one that is."""
    rows = np.atleast_2d(call["self"])
    target = np.ravel(call["target"])
    right = rows[np.arange(len(rows)), target][:, None]
    missing = np.maximum(0, call["margin"] - right + rows)
    missing[np.arange(len(rows)), target] = 0
    return missing, target


def far_out(call: Call) -> bool:
    far = call.again(self=np.array([40.0, -40.0]), target=np.array([1.0, 1.0]), reduction=2)
    return near(far.d, far.g * np.array([0.0, -1.0]))


def unlacking(call: Call) -> Any:
    """The gradients of wrong classes that lack nothing."""
    missing, target = lacks(call)
    right = np.arange(missing.shape[1])[None] == target[:, None]
    return np.atleast_2d(call.d)[(missing == 0) & ~right]


def margins(call: Call) -> Any:
    missing, target = lacks(call)
    weights = 1.0 if call["weight"] is None else call["weight"][target][:, None]
    losses = (missing ** call["p"] * weights).mean(1)
    return (
        losses
        if call["reduction"] == 0 and np.ndim(call["self"]) > 1
        else losses[0]
        if np.ndim(call["self"]) < 2
        else reduced(call, losses)
    )


def multilabel_margins(call: Call) -> Any:
    losses = []
    for row, targets in zip(np.atleast_2d(call["self"]), np.atleast_2d(call["target"]), strict=True):
        right = list(itertools.takewhile(lambda label: label >= 0, targets.tolist()))
        wrong = [label for label in range(len(row)) if label not in right]
        losses.append(sum(max(0.0, 1 - row[r] + row[w]) for r in right for w in wrong) / len(row))
    return losses[0] if np.ndim(call["self"]) < 2 else reduced(call, np.array(losses))


LAWS.update(
    {
        "Takes minus the score of the right class": likelihood,
        "every other score gets zero gradient": to_right_class,
        "Minus the log-likelihood of the labels, summed over all ways to stretch them over time": gives(alignments),
        "A smooth hinge": gives(lambda c: reduced(c, np.log1p(np.exp(-c["target"] * c["self"])))),
        "far out there is hardly any slope where the sign is right, and slope one where it is wrong": far_out,
        "What each wrong class lacks to stay a margin below the right one": gives(margins),
        "a wrong class that lacks nothing gets no gradient": lambda c: (
            not np.any(unlacking(c)) if unlacking(c).size else None
        ),
        "What each wrong class lacks to stay one below each right class": gives(multilabel_margins),
        "Squares each difference": gives(lambda c: reduced(c, difference(c) ** 2)),
        "the slope is twice the difference, so large errors pull hardest": sends(
            lambda c: 2 * difference(c) * share(c, np.size(difference(c)))
        ),
        "Squared error for small differences, absolute error for large ones": gives(
            lambda c: reduced(
                c,
                np.where(
                    np.abs(difference(c)) < c["beta"],
                    difference(c) ** 2 / (2 * (c["beta"] or 1)),
                    np.abs(difference(c)) - c["beta"] / 2,
                ),
            )
        ),
        "the pull never exceeds one": lambda c: bool(
            np.all(np.abs(c.d) <= np.abs(np.broadcast_to(share(c, np.size(difference(c))), np.shape(c.d))) * (1 + 1e-9))
        ),
        "Squared error up to δ, beyond it a straight line": gives(
            lambda c: reduced(
                c,
                np.where(
                    np.abs(difference(c)) < c["delta"],
                    difference(c) ** 2 / 2,
                    c["delta"] * (np.abs(difference(c)) - c["delta"] / 2),
                ),
            )
        ),
        "outliers pull with δ at most": lambda c: bool(
            np.all(
                np.abs(c.d)
                <= c["delta"] * np.abs(np.broadcast_to(share(c, np.size(difference(c))), np.shape(c.d))) * (1 + 1e-9)
            )
        ),
    }
)
