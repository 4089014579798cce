"""A line search that ends where the strong Wolfe conditions hold (Nocedal & Wright 2006, 3.5 and 3.6)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from engine.tensor import Tensor

Point = tuple[float, float, Tensor, Any]
"""Step length, loss, gradient, slope along the direction."""


def cubic_minimum(
    x1: float, f1: float, g1: float, x2: float, f2: float, g2: float, bounds: tuple[float, float] | None = None
) -> float:
    """Where the cubic through two points with these slopes is least, within the bounds."""
    low, high = bounds if bounds is not None else (min(x1, x2), max(x1, x2))
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1**2 - g1 * g2
    if square < 0:
        return (low + high) / 2.0
    d2 = math.sqrt(square)
    if x1 <= x2:
        place = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    else:
        place = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2))
    return min(max(place, low), high)


def strong_wolfe(
    evaluate: Callable[[float], tuple[float, Tensor]],
    length: float,
    direction: Tensor,
    loss: float,
    gradient: Tensor,
    slope: Any,
    c1: float = 1e-4,
    c2: float = 0.9,
    least_change: float = 1e-9,
    max_search: int = 25,
) -> tuple[float, Tensor, float, int]:
    """(loss, gradient, step length, number of evaluations) at an acceptable point along ``direction``.

    Args:
        evaluate: loss and gradient at a step length.
        length: first guess.
        loss, gradient, slope: at the start; the slope is the gradient along the direction.
        c1, c2: how much the loss must fall, and how much the slope must flatten.
    """
    reach = float(direction.abs().max())
    start_loss, start_slope = loss, float(slope)
    gradient = gradient.clone()
    previous: Point = (0.0, loss, gradient, start_slope)
    bracket, done, calls, iteration = [], False, 0, 0
    here = measured(evaluate, length, direction)
    calls += 1
    while iteration < max_search:
        length, new_loss, _, new_slope = here
        if new_loss > start_loss + c1 * length * start_slope or (iteration > 1 and new_loss >= previous[1]):
            bracket = [previous, here]
            break
        if abs(new_slope) <= -c2 * start_slope:
            bracket, done = [here], True
            break
        if new_slope >= 0:
            bracket = [previous, here]
            break
        shortest, longest = length + 0.01 * (length - previous[0]), length * 10
        guess = cubic_minimum(previous[0], previous[1], previous[3], length, new_loss, new_slope, (shortest, longest))
        previous = here
        here = measured(evaluate, guess, direction)
        calls += 1
        iteration += 1
    if iteration == max_search:
        bracket = [(0.0, start_loss, gradient, start_slope), here]
    best, calls = zoomed(
        evaluate,
        bracket,
        done,
        direction,
        reach,
        start_loss,
        start_slope,
        c1,
        c2,
        least_change,
        iteration,
        max_search,
        calls,
    )
    return best[1], best[2], best[0], calls


def measured(evaluate: Callable[[float], tuple[float, Tensor]], length: float, direction: Tensor) -> Point:
    """The point at a step length."""
    loss, gradient = evaluate(length)
    gradient = gradient.clone()
    return length, loss, gradient, float(gradient.dot(direction))


def zoomed(
    evaluate: Callable[[float], tuple[float, Tensor]],
    bracket: list[Point],
    done: bool,
    direction: Tensor,
    reach: float,
    start_loss: float,
    start_slope: float,
    c1: float,
    c2: float,
    least_change: float,
    iteration: int,
    max_search: int,
    calls: int,
) -> tuple[Point, int]:
    """Narrows the bracket until its low end is acceptable; returns it and the evaluations so far."""
    stuck = False
    low, high = (0, 1) if bracket[0][1] <= bracket[-1][1] else (1, 0)
    while not done and iteration < max_search:
        if abs(bracket[1][0] - bracket[0][0]) * reach < least_change:
            break
        (x1, f1, _, g1), (x2, f2, _, g2) = bracket
        length = cubic_minimum(x1, f1, g1, x2, f2, g2)
        left, right = min(x1, x2), max(x1, x2)
        margin = 0.1 * (right - left)
        if min(right - length, length - left) < margin:
            if stuck or length >= right or length <= left:
                length = right - margin if abs(length - right) < abs(length - left) else left + margin
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        here = measured(evaluate, length, direction)
        calls += 1
        iteration += 1
        if here[1] > start_loss + c1 * length * start_slope or here[1] >= bracket[low][1]:
            bracket[high] = here
            low, high = (0, 1) if bracket[0][1] <= bracket[1][1] else (1, 0)
        else:
            if abs(here[3]) <= -c2 * start_slope:
                done = True
            elif here[3] * (bracket[high][0] - bracket[low][0]) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = here
    return bracket[low if len(bracket) > 1 else 0], calls
