"""Laws of random draws."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import torch
from tests.engine.trace.explanations.calls import Call
from tests.engine.trace.explanations.laws import (
    LAWS,
    near,
)


def apart(call: Call) -> bool:
    """Drawn: nothing of the old values is left, and no two draws are equal."""
    return bool(
        np.all(np.isfinite(call.result))
        and np.unique(call.result).size == call.result.size
        and near(call.again(self=np.asarray(call["self"]) * 0).result, call.result)
    )


def drew_whole(low: Any, high: Any) -> Any:
    return lambda c: bool(
        np.all(c.result == np.round(c.result)) and np.all(c.result >= low(c)) and np.all(c.result < high(c))
    )


def moved_alike(call: Call) -> Any:
    """The gradient for other gradients that differ by one number everywhere: shares that sum to one do not feel it."""
    x = torch.tensor(call.x, requires_grad=True)
    torch.manual_seed(0)
    call.operator.run((x, *call.given[1:])).backward(torch.tensor(call.g + 5.0))
    return x.grad.numpy()


LAWS.update(
    {
        "Draws uniform numbers from [from, to)": lambda c: (
            apart(c) and bool(np.all((c.result >= c["from_"]) & (c.result < c["to"])))
        ),
        "Draws normal numbers": lambda c: near((c.again(mean=0.0, std=1.0).result * c["std"] + c["mean"]), c.result),
        "Draws exponential numbers, none below zero": lambda c: apart(c) and bool(np.all(c.result >= 0)),
        "Draws Cauchy numbers": lambda c: near(
            c.again(median=0.0, sigma=1.0).result * c["sigma"] + c["median"], c.result
        ),
        "Draws numbers whose logarithm is normal": lambda c: bool(
            np.all(c.result > 0)
            and near(np.log(c.again(mean=0.0, std=1.0).result) * c["std"] + c["mean"], np.log(c.result))
        ),
        "Draws how many trials it takes to succeed once": drew_whole(lambda c: 1, lambda c: np.inf),
        "Draws 1 with probability `p`, else 0": lambda c: bool(
            np.all(np.isin(c.result, (0, 1)))
            and np.all(c.again(p=1.0).result == 1)
            and not np.any(c.again(p=0.0).result)
        ),
        "Draws 1 with the probability at the same place in `p`, else 0": lambda c: bool(
            np.all(np.isin(c.result, (0, 1)))
            and np.all(c.result[c["p"] == 1] == 1)
            and not np.any(c.result[c["p"] == 0])
        ),
        "Draws whole numbers, none below zero": drew_whole(lambda c: 0, lambda c: np.inf),
        "Draws whole numbers from 0 up to but without `to`": drew_whole(lambda c: 0, lambda c: c["to"]),
        "Draws whole numbers from `from` up to but without `to`": drew_whole(lambda c: c["from_"], lambda c: c["to"]),
        "Draws a gamma number at rate 1 for each concentration, none below zero": lambda c: bool(np.all(c.result >= 0)),
        "a larger concentration makes the same draw larger": lambda c: bool(np.all(c.d / c.g > 0)),
        "Draws shares of 1 along the last dimension": lambda c: near(c.result.sum(-1), np.ones(c.result.shape[:-1])),
        "the gradient keeps their sum at 1": lambda c: near(moved_alike(c), c.d),
        "Draws a normal number around each mean": lambda c: near(
            c.again(mean=np.asarray(c["mean"]) + 1.0).result, c.result + 1.0
        ),
        "Draws a normal number with each standard deviation": lambda c: near(
            c.again(std=np.asarray(c["std"]) * 2.0).result - c["mean"], 2 * (c.result - c["mean"])
        ),
        "Draws a normal number for each pair of mean and standard deviation": lambda c: near(
            c.again(mean=np.asarray(c["mean"]) * 0, std=np.asarray(c["std"]) * 0 + 1).result * c["std"] + c["mean"],
            c.result,
        ),
        "Draws 1 with the probability that stands there, else 0": lambda c: bool(
            np.all(np.isin(c.result, (0, 1))) and np.all(c.again(self=np.ones(3)).result == 1)
        ),
        "Draws a count of events for each rate": drew_whole(lambda c: 0, lambda c: np.inf),
        "Draws how many of `count` trials succeed, each with probability `prob`": drew_whole(
            lambda c: 0, lambda c: c["count"] + 1
        ),
        "PyTorch sends zero back": lambda c: all(not np.any(sent) for sent in c.sent.values()),
    }
)
