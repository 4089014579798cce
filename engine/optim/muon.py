"""Muon."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from engine.ops.core.catalogue import TABLES
from engine.optim.groups import Group
from engine.optim.optimizer import Optimizer
from engine.optim.settings import as_number, check_single, reaches, zeros_like
from engine.tensor import Tensor


class Muon(Optimizer):
    """Momentum made orthogonal: every direction of a matrix' update gets about the same length (Jordan et al. 2024).

    Raises:
        ValueError: a negative setting, or a parameter that is no matrix.
    """

    _complex_refusal = "Muon does not support complex parameters"
    _added_later: ClassVar[Group] = {}

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        check_single(lr)
        settings = (("Learning rate", as_number(lr)), ("momentum", momentum), ("weight decay", weight_decay))
        for name, value in settings:
            if not reaches(0.0, value):
                raise ValueError(f"{name} should be >= 0 but is: {value}")
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(
            params,
            {
                "lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
                "ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps, "adjust_lr_fn": adjust_lr_fn,
            },
        )  # fmt: skip
        for param in (param for group in self.param_groups for param in group["params"]):
            if param.ndim != 2:
                raise ValueError(
                    f"Muon only supports 2D parameters whereas we found a parameter with size: {param.size()}"
                )

    def _update(self, param: Tensor, grad: Tensor, group: Group) -> None:
        """One step of one matrix."""
        state = self.state[param]
        if not state:
            state["momentum_buffer"] = zeros_like(param)
        momentum, lr = group["momentum"], as_number(group["lr"])
        average = state["momentum_buffer"].lerp_(grad, 1 - momentum)
        direction = grad.lerp(average, momentum) if group["nesterov"] else average
        rows, columns = param.shape
        longer = (
            0.2 * math.sqrt(max(rows, columns))
            if group["adjust_lr_fn"] == "match_rms_adamw"
            else math.sqrt(max(1, rows / columns))
        )
        step = orthogonal(direction, group["ns_coefficients"], group["ns_steps"], group["eps"])
        param.mul_(1 - lr * group["weight_decay"])
        param.add_(step, alpha=-lr * longer)


def orthogonal(matrix: Tensor, coefficients: tuple[float, float, float], steps: int, eps: float) -> Any:
    """The nearest orthogonal matrix, roughly: a Newton-Schulz iteration in bfloat16 that pushes singular values to 1.

    Raises:
        ValueError: 100 steps or more.
    """
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    a, b, c = coefficients
    addmm, tall = TABLES["torch"]["addmm"], matrix.size(0) > matrix.size(1)
    result = matrix.bfloat16()
    if tall:
        result = result.T
    result.div_(result.norm().clamp(min=eps))
    for _ in range(steps):
        gram = result @ result.T
        result = addmm(result, addmm(gram, gram, gram, beta=b, alpha=c), result, beta=a)
    return result.T if tall else result
