"""What narrations say of an optimizer is how it steps: each description is an update in numpy, and PyTorch's own steps are.

The optimizers' numbers are held against PyTorch's answers in `test_optimizers`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine import torch
from engine.trace.narration.training import explained

START = np.array([1.0, -2.0, 0.5])
SLOPES = [np.array([0.4, -0.3, 0.2]), np.array([0.1, 0.5, 0.2]), np.array([-0.2, 0.4, 0.6]), np.array([-0.3, 0.1, 0.1])]
RATE = 0.1
Path = list[Any]
"""A parameter's values after each step."""
Walk = Callable[..., Path]


def walked(name: str, start: Any = START, slopes: Any = None, **settings: Any) -> Path:
    """Where an optimizer takes a parameter that gets those gradients; or down a bowl of the curvatures 100 and 1."""
    parameter = torch.tensor(start, requires_grad=True)
    optimizer = getattr(torch.optim, name)([parameter], **{"lr": RATE, **settings})
    path = []

    def bowl() -> Any:
        optimizer.zero_grad()
        loss = 50 * parameter[0] ** 2 + parameter[1] ** 2 / 2
        loss.backward()
        return loss

    for slope in SLOPES if slopes is None else slopes:
        if slope is None:
            optimizer.step(bowl)
        else:
            parameter.grad = torch.tensor(slope)
            optimizer.step()
        path.append(parameter.detach().numpy().copy())
    return path


def bent(name: str, *arguments: Any, **settings: Any) -> Path:
    """The same with other numbers, which no description may be true of."""
    path = walked(name, *arguments, **settings)
    return [place + 0.04 * np.arange(1, place.size + 1).reshape(place.shape) ** 2 for place in path]


def near(left: Any, right: Any, tolerance: float = 1e-6) -> bool:
    return bool(np.allclose(np.array(left), np.array(right), rtol=tolerance, atol=tolerance))


def descent(momentum: float = 0.0, nesterov: bool = False, decay: float = 0.0) -> Path:
    place, moving, path = START, None, []
    for slope in SLOPES:
        pull = slope + decay * place
        moving = pull if moving is None else momentum * moving + pull
        place = place - RATE * (pull + momentum * moving if nesterov else moving)
        path.append(place)
    return path


def sgd(walk: Walk) -> bool:
    return (
        near(walk("SGD"), descent())
        and near(walk("SGD", momentum=0.9), descent(0.9))
        and near(walk("SGD", momentum=0.9, nesterov=True), descent(0.9, nesterov=True))
        and near(walk("SGD", weight_decay=0.1), descent(decay=0.1))
    )


def means(first: float = 0.9, second: float = 0.999) -> Any:
    """After each step: its number, the gradient, the running mean and the running square, corrected for their start at 0."""
    mean, square = np.zeros(3), np.zeros(3)
    for number, slope in enumerate(SLOPES, 1):
        mean, square = first * mean + (1 - first) * slope, second * square + (1 - second) * slope**2
        yield number, slope, mean / (1 - first**number), square / (1 - second**number)


def stepping(step: Callable[..., Any], shrink: float = 0.0) -> Path:
    place, path = START, []
    for number, slope, mean, square in means():
        place = place * (1 - RATE * shrink) - RATE * step(number, slope, mean, square)
        path.append(place)
    return path


def adam(walk: Walk) -> bool:
    return near(walk("Adam"), stepping(lambda number, slope, mean, square: mean / (np.sqrt(square) + 1e-8)))


def adamw(walk: Walk) -> bool:
    return near(
        walk("AdamW"), stepping(lambda number, slope, mean, square: mean / (np.sqrt(square) + 1e-8), shrink=0.01)
    )


def adamax(walk: Walk) -> bool:
    largest, place, expected = np.zeros(3), START, []
    for _, slope, mean, _ in means():
        largest = np.maximum(0.999 * largest, np.abs(slope) + 1e-8)
        place = place - RATE * mean / largest
        expected.append(place)
    return near(walk("Adamax"), expected)


def adagrad(walk: Walk) -> bool:
    total, place, expected = np.zeros(3), START, []
    for slope in SLOPES:
        total = total + slope**2
        place = place - RATE * slope / (np.sqrt(total) + 1e-10)
        expected.append(place)
    return near(walk("Adagrad"), expected)


def rmsprop(walk: Walk) -> bool:
    square, place, expected = np.zeros(3), START, []
    for slope in SLOPES:
        square = 0.99 * square + 0.01 * slope**2
        place = place - RATE * slope / (np.sqrt(square) + 1e-8)
        expected.append(place)
    return near(walk("RMSprop"), expected)


def adadelta(walk: Walk) -> bool:
    square, moved, place, expected = np.zeros(3), np.zeros(3), START, []
    for slope in SLOPES:
        square = 0.9 * square + 0.1 * slope**2
        step = np.sqrt(moved + 1e-6) / np.sqrt(square + 1e-6) * slope
        moved = 0.9 * moved + 0.1 * step**2
        place = place - RATE * step
        expected.append(place)
    return near(walk("Adadelta"), expected)


def rprop(walk: Walk) -> bool:
    """Only signs count; while one stays its step grows by 1.2, when it turns the step is halved and left out once."""
    size, before, place, expected = np.full(3, RATE), np.zeros(3), START, []
    for slope in SLOPES:
        kept = np.sign(slope * before)
        size = np.clip(size * np.where(kept > 0, 1.2, np.where(kept < 0, 0.5, 1.0)), 1e-6, 50)
        before = np.where(kept < 0, 0, slope)
        place = place - np.sign(before) * size
        expected.append(place)
    return near(walk("Rprop"), expected) and near(walk("Rprop", slopes=[7 * slope for slope in SLOPES]), expected)


def asgd(walk: Walk) -> bool:
    parameter = torch.tensor(START, requires_grad=True)
    optimizer = torch.optim.ASGD([parameter], lr=RATE, lambd=0.0, alpha=0.0, t0=0)
    for slope in SLOPES:
        parameter.grad = torch.tensor(slope)
        optimizer.step()
    average = optimizer.state[parameter]["ax"].numpy()
    path = walk("ASGD", lambd=0.0, alpha=0.0, t0=0)
    return near(path, descent()) and near(average, np.mean(path[1:], axis=0))


def nadam(walk: Walk) -> bool:
    mean, square, product, place, expected = np.zeros(3), np.zeros(3), 1.0, START, []
    for number, slope in enumerate(SLOPES, 1):
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        now, following = (0.9 * (1 - 0.5 * 0.96 ** (n * 0.004)) for n in (number, number + 1))
        product *= now
        ahead = (1 - now) * slope / (1 - product) + following * mean / (1 - product * following)
        place = place - RATE * ahead / (np.sqrt(square / (1 - 0.999**number)) + 1e-8)
        expected.append(place)
    return near(walk("NAdam"), expected)


def radam(walk: Walk) -> bool:
    """At first the running mean alone; once the squares can be trusted, from the sixth step on, they count too."""
    alone = stepping(lambda number, slope, mean, square: mean)
    few, many = (np.diff(walk("RAdam", slopes=SLOPES * 2, betas=(0.9, second)), axis=0) for second in (0.999, 0.9))
    return near(walk("RAdam"), alone) and not near(few[-1], many[-1])


MATRIX = np.array([[1.0, 2.0, -1.0], [0.5, -0.25, 3.0]])
SLANTED = [np.array([[0.1, -0.2, 0.3], [0.4, 0.5, -0.6]])]


def adafactor(walk: Walk) -> bool:
    parameter = torch.tensor(MATRIX, requires_grad=True)
    optimizer = torch.optim.Adafactor([parameter], lr=RATE)
    parameter.grad = torch.tensor(SLANTED[0])
    optimizer.step()
    state = optimizer.state[parameter]
    squares = SLANTED[0] ** 2
    rows, columns = squares.mean(1, keepdims=True), squares.mean(0, keepdims=True)
    kept = near(state["row_var"].numpy(), rows) and near(state["col_var"].numpy(), columns)
    step = SLANTED[0] / np.sqrt(rows * columns / squares.mean())
    length = np.sqrt(np.mean(MATRIX**2)) * RATE / max(1.0, np.sqrt(np.mean(step**2)))
    expected = MATRIX - length * step
    return (
        kept and set(state) == {"step", "row_var", "col_var"} and near(walk("Adafactor", MATRIX, SLANTED)[-1], expected)
    )


def muon(walk: Walk) -> bool:
    after = walk("Muon", MATRIX.astype(np.float32), [SLANTED[0].astype(np.float32)], weight_decay=0.0)[-1]
    lengths = np.linalg.svd((MATRIX - after) / RATE, compute_uv=False)
    slanted = np.linalg.svd(SLANTED[0], compute_uv=False)
    return bool(lengths.max() / lengths.min() < 1.6 < slanted.max() / slanted.min())


def lbfgs(walk: Walk) -> bool:
    """With the history it is at the bottom of the bowl after one call, where steps down the gradient zigzag."""
    start = np.array([1.0, 1.0])
    remembered = walk("LBFGS", start, [None], lr=1.0, line_search_fn="strong_wolfe")[-1]
    return near(remembered, np.zeros(2), 1e-4)


LAWS: dict[str, Callable[[Walk], bool]] = {
    "SGD": sgd, "Adam": adam, "AdamW": adamw, "Adamax": adamax, "Adagrad": adagrad, "RMSprop": rmsprop,
    "Adadelta": adadelta, "Rprop": rprop, "ASGD": asgd, "NAdam": nadam, "RAdam": radam, "Adafactor": adafactor,
    "Muon": muon, "LBFGS": lbfgs,
}  # fmt: skip
STEPS_NEVER = {"SparseAdam"}
"""It refuses every gradient that is not sparse, so no narration speaks of it."""


def test_every_optimizer_that_narrations_explain_has_a_law() -> None:
    spoken = {name for name in dir(torch.optim) if explained(name)}
    assert spoken - STEPS_NEVER == set(LAWS)


@pytest.mark.parametrize("name", LAWS)
def test_what_is_said_of_an_optimizer_is_how_it_steps(name: str) -> None:
    assert LAWS[name](walked)
    assert not LAWS[name](bent)
