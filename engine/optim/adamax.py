"""Adamax."""

from __future__ import annotations

from typing import Any

from engine.ops.core.catalogue import TABLES
from engine.optim.groups import Group
from engine.optim.optimizer import Optimizer
from engine.optim.settings import advance, as_rate, check_like_adam, counter, directed, zeros_like
from engine.tensor import Tensor


class Adamax(Optimizer):
    """Adam with the largest recent gradient in place of the root mean square (Kingma & Ba 2014).

    Raises:
        ValueError: a negative setting, or a beta outside [0, 1).
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_like_adam(lr, betas, eps=eps, weight_decay=weight_decay)
        super().__init__(
            params,
            {
                "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach,
                "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
            },
        )  # fmt: skip

    def _update(self, param: Tensor, grad: Tensor, group: Group) -> None:
        """One step of one parameter."""
        state = self.state[param]
        if not state:
            state.update(step=counter(), exp_avg=zeros_like(param), exp_inf=zeros_like(param))
        step = advance(state)
        grad = directed(grad, param, group)
        first, second = group["betas"]
        mean, largest = state["exp_avg"], state["exp_inf"]
        mean.lerp_(grad, 1 - first)
        largest.copy_(TABLES["torch"]["maximum"](largest.mul(second), grad.abs().add_(group["eps"])))
        param.addcdiv_(mean, largest, value=float(-(as_rate(group["lr"]) / (1 - first**step))))
