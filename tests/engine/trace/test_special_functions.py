"""Formulas that hold special functions can be computed: each function gives PyTorch's value, found by another way."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from engine.trace.events import MessageSent
from engine.trace.formula import special
from engine.trace.play import play

VALUES: dict[tuple[Callable[..., float], tuple[float, ...]], float] = {
    (special.digamma, (1.5,)): 0.036489973978576194,
    (special.digamma, (-0.3,)): 2.1133097796353986,
    (special.digamma, (40.0,)): 3.6763273740348428,
    (special.polygamma, (2.0, 0.4)): -32.23912862357837,
    (special.zeta, (3.0, 1.5)): 0.41439832211716005,
    (special.erfinv, (0.4,)): 0.37080715859355795,
    (special.normal_cdf, (-1.2,)): 0.11506967022170828,
    (special.bessel, (0, 3.0)): 4.880792585865024,
    (special.bessel, (1, -2.5)): -2.5167162452886984,
    (special.scaled_bessel, (0, 30.0)): 0.0731459464822373,
    (special.scaled_bessel, (1, 2.0)): 0.2152692892489377,
}
"""Recorded from PyTorch in double precision."""


@pytest.mark.parametrize(("asked", "expected"), VALUES.items())
def test_a_series_gives_pytorchs_value(asked: tuple[Callable[..., float], tuple[float, ...]], expected: float) -> None:
    function, arguments = asked
    assert function(*arguments) == pytest.approx(expected, rel=1e-11)


def test_no_value_is_made_up_where_there_is_none() -> None:
    with pytest.raises(ValueError, match="pole"):
        special.digamma(-2.0)
    with pytest.raises(ValueError, match="too long"):
        special.bessel(0, 1e6)
    assert math.isinf(special.erfinv(1.0))


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("torch.lgamma(x)", "1 · ψ(1.5) = 0.03649"),
        ("torch.digamma(x)", "1 · ψ(1, 1.5) = 0.9348"),
        ("torch.i0(x)", "1 · I₁(1.5) = 0.9817"),
        ("torch.xlogy(torch.tensor(2.0), x+1)", "1 · 2 / 2.5 = 0.8"),
    ],
)
def test_a_message_tells_such_a_derivative_with_its_numbers(call: str, told: str) -> None:
    trace = play(f"import torch\nx = torch.tensor(1.5, requires_grad=True)\n{call}.backward()\n")
    assert told in [step.substituted for step in trace.steps if isinstance(step, MessageSent)]


def test_an_operand_without_spaces_is_put_in_parentheses() -> None:
    trace = play("import torch\nx = torch.tensor(1.5, requires_grad=True)\n(2 / (x+1)).backward()\n")
    told = [step.derivative for step in trace.steps if isinstance(step, MessageSent)]
    assert any("(x+1)" in text for text in told)
