"""Adadelta."""

from __future__ import annotations

from typing import Any

from engine.optim.groups import Group
from engine.optim.optimizer import Optimizer
from engine.optim.settings import advance, as_number, check_at_least_zero, check_single, counter, directed, zeros_like
from engine.tensor import Tensor


class Adadelta(Optimizer):
    """Steps by the gradient, times the root of its earlier steps' running square over the gradient's (Zeiler 2012).

    Raises:
        ValueError: a negative setting, or ``rho`` outside [0, 1].
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_single(lr)
        check_at_least_zero(lr=as_number(lr))
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check_at_least_zero(eps=eps, weight_decay=weight_decay)
        super().__init__(
            params,
            {
                "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
                "capturable": capturable, "foreach": foreach, "differentiable": differentiable,
            },
        )  # fmt: skip

    def _update(self, param: Tensor, grad: Tensor, group: Group) -> None:
        """One step of one parameter."""
        state = self.state[param]
        if not state:
            state.update(step=counter(), square_avg=zeros_like(param), acc_delta=zeros_like(param))
        advance(state)
        grad = directed(grad, param, group)
        rho, eps, square, moved = group["rho"], group["eps"], state["square_avg"], state["acc_delta"]
        square.mul_(rho).addcmul_(grad, grad, value=1 - rho)
        spread = square.add(eps).sqrt_()
        delta = moved.add(eps).sqrt_().div(spread).mul_(grad)
        moved.mul_(rho).addcmul_(delta, delta, value=1 - rho)
        param.add_(delta, alpha=-as_number(group["lr"]))
