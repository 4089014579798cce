"""Elementwise functions of float32 whose every bit is PyTorch's: what is computed, and on which numbers.

Seven, thirty-nine and no dimension: elementwise kernels compute whole blocks of sixteen with vector code, what is left over one
by one, and the two differ in the last digit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

Compute = Callable[[Any, Any], Any]

FUNCTIONS: dict[str, Compute] = {
    "exp": lambda torch, x: x.exp(),
    "exp2": lambda torch, x: x.exp2(),
    "expm1": lambda torch, x: x.expm1(),
    "log": lambda torch, x: x.abs().log(),
    "log1p": lambda torch, x: x.abs().log1p(),
    "log1p below zero": lambda torch, x: (-x.abs() / 8).log1p(),
    "logit": lambda torch, x: (x.abs() / 8).logit(),
    "logsumexp": lambda torch, x: x.flatten().logsumexp(0),
    "logaddexp": lambda torch, x: torch.logaddexp(x, 1 - x),
    "logaddexp2": lambda torch, x: torch.logaddexp2(x, 1 - x).detach(),
    "sin": lambda torch, x: x.sin(),
    "cos": lambda torch, x: x.cos(),
    "sin of many turns": lambda torch, x: (x * 500).sin(),
    "sinc": lambda torch, x: x.sinc(),
    "sinh": lambda torch, x: x.sinh(),
    "cosh": lambda torch, x: x.cosh(),
    "x ** 4": lambda torch, x: x**4,
    "x ** 2.5": lambda torch, x: x.abs() ** 2.5,
    "x ** 0.3": lambda torch, x: x.abs() ** 0.3,
    "2 ** x": lambda torch, x: 2**x,
    "x ** y": lambda torch, x: x.abs() ** (1 - x),
    "hypot": lambda torch, x: torch.hypot(x, 1 - x),
    "softplus": lambda torch, x: torch.nn.functional.softplus(x),
    "logsigmoid": lambda torch, x: torch.nn.functional.logsigmoid(x).detach(),
    "elu": lambda torch, x: torch.nn.functional.elu(x),
    "selu": lambda torch, x: torch.nn.functional.selu(x),
    "mish": lambda torch, x: torch.nn.functional.mish(x),
    "glu": lambda torch, x: torch.nn.functional.glu(torch.cat([x.flatten(), 1 - x.flatten()])),
    "gelu by tanh": lambda torch, x: torch.nn.functional.gelu(x, approximate="tanh"),
    "binary cross-entropy": lambda torch, x: torch.nn.functional.binary_cross_entropy(
        x.abs() / 8, x.detach().ge(0).float(), reduction="none"
    ),
    "binary cross-entropy of logits": lambda torch, x: torch.nn.functional.binary_cross_entropy_with_logits(
        x, x.detach().ge(0).float(), reduction="none"
    ),
    "batch norm by kept statistics": lambda torch, x: (
        torch.nn.functional.batch_norm(
            torch.stack([x.flatten(), 1 - x.flatten(), x.flatten() / 3]),
            x.detach().flatten() / 2,
            x.detach().flatten().square() + 1,
            weight=x.flatten(),
        )
        * torch.stack([x.flatten(), x.flatten() / 7, x.flatten() + 1]).detach()
    ),
    "norm of order 1": lambda torch, x: x.norm(p=1),
    "norm of order 3": lambda torch, x: x.norm(p=3),
    "lengths of columns": lambda torch, x: torch.stack([x.flatten(), 1 - x.flatten(), x.flatten() / 3]).norm(dim=0),
    "soft margin": lambda torch, x: torch.nn.functional.soft_margin_loss(x, x.detach().sign(), reduction="none"),
}
SIZES = (0, 7, 39)


def numbers(size: int) -> Any:
    """So many numbers between −5.5 and 5.5, none of them round; one number for no dimension."""
    drawn = [5.5 * math.sin(1 + 12.9898 * place) for place in range(size or 1)]
    return drawn if size else drawn[0]


def answers(torch: Any, name: str, size: int) -> dict[str, list[int]]:
    """The bits of the values, and of the gradient where there is one."""
    x = torch.tensor(numbers(size), dtype=torch.float32, requires_grad=True)
    value = FUNCTIONS[name](torch, x)
    told = {"value": value}
    if value.requires_grad:
        (told["gradient"],) = torch.autograd.grad(value.sum() * 3, x)
    return {what: tensor.detach().flatten().view(torch.int32).tolist() for what, tensor in told.items()}
