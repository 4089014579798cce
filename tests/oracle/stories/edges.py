"""Stories about values at the edges of what functions are made for: nan, infinity, zeros with a sign, what falls out of range."""

from __future__ import annotations

from typing import Any


def nan_passes_activations_and_their_slopes(torch: Any, say: Any) -> None:
    functional = torch.nn.functional
    activations = (
        "relu relu6 elu selu celu silu mish softplus hardtanh hardswish hardsigmoid hardshrink softshrink leaky_relu"
    )
    for dtype in (torch.float32, torch.float64):
        x = torch.tensor([float("nan"), 1.0], dtype=dtype, requires_grad=True)
        for name in activations.split():
            y = getattr(functional, name)(x)
            say(name, y, torch.autograd.grad(y.sum(), x))
        y = functional.threshold(x, 0.5, 0.1)
        say(y, torch.autograd.grad(y.sum(), x))


def a_logit_has_a_slope_between_its_bounds_only(torch: Any, say: Any) -> None:
    x = torch.tensor([-0.5, 0.0, 0.25, 0.5, 1.0, 2.0], dtype=torch.float64, requires_grad=True)
    for eps in (None, 0.3):
        y = torch.logit(x, eps)
        (slope,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        say(y, slope)
        say(torch.autograd.grad(slope.sum(), x))


def zeros_keep_their_sign_through_odd_functions(torch: Any, say: Any) -> None:
    zero = torch.tensor([-0.0, 0.0])
    for function in (torch.erfinv, torch.sin, torch.tan, torch.asinh, torch.expm1, torch.erf, torch.trunc):
        say((1 / function(zero)).tolist())
    say((1 / torch.remainder(torch.tensor([-0.0, 0.0, -3.0, 3.0]), 1.5)).tolist())
    say((1 / torch.remainder(torch.tensor([-0.0, -3.0]), torch.tensor([1.5, -1.5]))).tolist())
    say(torch.lgamma(torch.tensor([float("-inf"), float("inf")])))


def the_cardinal_sine_is_computed_in_its_own_precision(torch: Any, say: Any) -> None:
    for dtype in (torch.float32, torch.float64):
        x = torch.tensor([0.0, 1e-30, 0.5, 2.5], dtype=dtype, requires_grad=True)
        y = torch.sinc(x)
        say(y, torch.autograd.grad(y.sum(), x))
    say(torch.sinc(torch.tensor([1.0, 2.0, -3.0])).abs() > 1e-9)


def an_angle_of_hardly_anything_has_no_slope(torch: Any, say: Any) -> None:
    for dtype in (torch.float32, torch.float64):
        for size in (0.0, 1e-30, 1.0):
            y, x = (torch.tensor(size, dtype=dtype, requires_grad=True) for _ in range(2))
            say(torch.autograd.grad(torch.atan2(y, x), (y, x)))
