"""L-BFGS spends its evaluations as PyTorch does: a line search may use no more than what ``max_eval`` has left."""

from __future__ import annotations

from typing import Any

import pytest

from engine import torch

TWO_STEPS: list[tuple[int, int | None, int, list[float]]] = [
    (3, None, 6, [0.64106629, -1.17270504]),
    (20, None, 36, [0.99999811, 0.99999602]),
    (20, 2, 4, [1.52194309, -1.68197255]),
    (20, 5, 10, [0.08159128, 0.00143798]),
    (3, 40, 8, [0.16430563, -0.40123278]),
]
"""``max_iter``, ``max_eval``, how often torch 2.13.0 calls the closure in two steps, and where it ends, on Rosenbrock's function."""


@pytest.mark.parametrize(("max_iter", "max_eval", "calls", "expected"), TWO_STEPS)
def test_a_line_search_stops_where_the_evaluations_do(
    max_iter: int, max_eval: int | None, calls: int, expected: list[float]
) -> None:
    weight = torch.tensor([3.0, -2.0], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([weight], max_iter=max_iter, max_eval=max_eval, line_search_fn="strong_wolfe")
    called = 0

    def closure() -> Any:
        nonlocal called
        called += 1
        optimizer.zero_grad()
        loss = (1 - weight[0]) ** 2 + 100 * (weight[1] - weight[0] ** 2) ** 2
        loss.backward()
        return loss

    for _ in range(2):
        optimizer.step(closure)
    assert (called, weight.tolist()) == (calls, pytest.approx(expected, abs=1e-6))


def test_the_first_step_is_kept_as_the_tensor_it_was_computed_as() -> None:
    p = torch.nn.Parameter(torch.tensor([2.0, -3.0]))
    optimizer = torch.optim.LBFGS([p], lr=0.5, max_iter=1)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (p**2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert repr(optimizer.state[p]["t"]) == "tensor(0.0500)"
    optimizer.step(closure)
    assert optimizer.state[p]["t"] == 0.5
