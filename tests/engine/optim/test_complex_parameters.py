"""Complex parameters: three steps of every algorithm end where PyTorch's end, and what it keeps between steps is complex."""

from __future__ import annotations

from typing import Any

import pytest

from engine import torch

AFTER_THREE_STEPS: list[tuple[str, dict[str, Any], list[str], list[complex]]] = [
    (
        "SGD",
        {"momentum": 0.9, "nesterov": True},
        ["momentum_buffer"],
        [(0.5112223434 - 0.443888283j), (0.2897346639 - 0.5j)],
    ),
    (
        "Adam",
        {"amsgrad": True, "weight_decay": 0.1},
        ["exp_avg", "exp_avg_sq", "max_exp_avg_sq"],
        [(0.9700265377 + 1.9700085783j), (0.2798811602 - 0.4721641582j)],
    ),
    (
        "AdamW",
        {"maximize": True},
        ["exp_avg", "exp_avg_sq"],
        [(1.029717303 + 2.0294047841j), (0.2198815238 - 0.4859856533j)],
    ),
    (
        "RMSprop",
        {"centered": True, "momentum": 0.5},
        ["square_avg", "momentum_buffer", "grad_avg"],
        [(0.693015287 + 1.6685616469j), (0.483529095 - 0.5000153402j)],
    ),
    ("Adagrad", {}, ["sum"], [(0.9773598508 + 1.977226114j), (0.2721672416 - 0.5j)]),
    ("Adamax", {}, ["exp_avg", "exp_inf"], [(0.9703603644 + 1.9701070517j), (0.2787991569 - 0.5j)]),
    ("NAdam", {}, ["exp_avg", "exp_avg_sq"], [(0.9745028127 + 1.9743545818j), (0.2749699674 - 0.5j)]),
    ("RAdam", {}, ["exp_avg", "exp_avg_sq"], [(0.7363289952 + 0.681644976j), (0.2655580346 - 0.5j)]),
    ("Rprop", {}, ["prev", "step_size"], [(0.9636 + 1.9636j), (0.2864 - 0.5j)]),
    ("ASGD", {"lambd": 0.1}, ["ax"], [(0.7775379989 + 0.8953970196j), (0.2645111059 - 0.4985331097j)]),
    (
        "Adadelta",
        {"weight_decay": 0.1},
        ["square_avg", "acc_delta"],
        [(0.9999029289 + 1.9999029263j), (0.250097059 - 0.499903196j)],
    ),
    ("LBFGS", {"max_iter": 2}, [], [(0.9933856295 + 1.9669281476j), (0.2506453115 - 0.5j)]),
    (
        "LBFGS",
        {"max_iter": 2, "line_search_fn": "strong_wolfe"},
        [],
        [(0.9645468111 + 1.8227340554j), (0.2535094924 - 0.5j)],
    ),
]
"""Algorithm, settings besides ``lr=0.01``, the names of its complex state, and what torch 2.13.0 makes of the parameter."""


@pytest.mark.parametrize(("algorithm", "settings", "kept", "expected"), AFTER_THREE_STEPS)
def test_each_part_has_averages_of_its_own(
    algorithm: str, settings: dict[str, Any], kept: list[str], expected: list[complex]
) -> None:
    weight = torch.tensor([1 + 2j, 0.25 - 0.5j], dtype=torch.complex128, requires_grad=True)
    optimizer = getattr(torch.optim, algorithm)([weight], lr=0.01, **settings)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = ((weight * (1 + 1j) - 1).abs() ** 3).sum()
        loss.backward()
        return loss

    for _ in range(3):
        optimizer.step(closure)
    assert weight.tolist() == pytest.approx(expected, abs=1e-9)
    state = optimizer.state[weight]
    complex_state = [name for name, value in state.items() if torch.is_tensor(value) and value.is_complex()]
    assert complex_state == kept
    assert list(optimizer.state) == [weight]


def test_a_step_writes_into_the_parameter_itself() -> None:
    weight = torch.tensor([1j], requires_grad=True)
    before = weight._version
    weight.grad = torch.tensor([1 + 0j])
    torch.optim.Adam([weight], lr=0.5).step()
    assert weight._version > before
    assert weight.tolist() == pytest.approx([-0.5 + 1j])


@pytest.mark.parametrize("algorithm", ["Adafactor", "Muon"])
def test_an_algorithm_for_real_numbers_refuses_at_its_step(algorithm: str) -> None:
    weight = torch.ones(2, 2, dtype=torch.complex64, requires_grad=True)
    weight.grad = torch.ones(2, 2, dtype=torch.complex64)
    optimizer = getattr(torch.optim, algorithm)([weight])
    with pytest.raises(RuntimeError, match=f"{algorithm} does not support complex parameters"):
        optimizer.step()


def test_sparse_adam_refuses_when_it_is_made() -> None:
    with pytest.raises(ValueError, match=r"Complex params at indices \[\[0, 1\]\]"):
        torch.optim.SparseAdam([torch.ones(1), torch.tensor([1j])])
