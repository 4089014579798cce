"""Averaged stochastic gradient descent."""

from __future__ import annotations

from typing import Any

from engine.optim.groups import Group
from engine.optim.optimizer import Optimizer
from engine.optim.settings import advance, as_number, check_at_least_zero, check_single, counter, directed, zeros_like
from engine.tensor import Tensor


class ASGD(Optimizer):
    """SGD that also keeps the average of its parameters, in ``state[p]["ax"]`` (Polyak & Juditsky 1992).

    Raises:
        ValueError: a negative setting.
    """

    _captured = "params, mus, etas, and state_steps"

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_single(lr)
        check_at_least_zero(lr=as_number(lr), weight_decay=weight_decay)
        super().__init__(
            params,
            {
                "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay, "foreach": foreach,
                "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
            },
        )  # fmt: skip

    def _update(self, param: Tensor, grad: Tensor, group: Group) -> None:
        """One step of one parameter."""
        state = self.state[param]
        lr = as_number(group["lr"])
        if not state:
            state.update(step=counter(), eta=counter(lr), mu=counter(1.0), ax=zeros_like(param))
        step = advance(state)
        grad = directed(grad, param, group)
        eta, mu, average = state["eta"].item(), state["mu"].item(), state["ax"]
        param.mul_(1 - group["lambd"] * eta)
        param.add_(grad, alpha=-eta)
        if mu != 1:
            average.add_(param.sub(average).mul_(mu))
        else:
            average.copy_(param)
        state["eta"].fill_(lr / (1 + group["lambd"] * lr * step) ** group["alpha"])
        state["mu"].fill_(1 / max(1, step - group["t0"]))
