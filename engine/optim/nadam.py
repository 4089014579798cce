"""NAdam."""

from __future__ import annotations

from typing import Any

from engine.optim.groups import Group
from engine.optim.optimizer import Optimizer
from engine.optim.settings import advance, as_rate, averaged, check_like_adam, counter, decayed, zeros_like
from engine.tensor import Tensor


class NAdam(Optimizer):
    """Adam with Nesterov momentum (Dozat 2016).

    Raises:
        ValueError: a negative setting, or a beta outside [0, 1).
    """

    _captured = "params, mu_products and state_steps"

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_like_adam(lr, betas, eps=eps, weight_decay=weight_decay, momentum_decay=momentum_decay)
        super().__init__(
            params,
            {
                "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "momentum_decay": momentum_decay,
                "decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize, "foreach": foreach,
                "capturable": capturable, "differentiable": differentiable,
            },
        )  # fmt: skip

    def _update(self, param: Tensor, grad: Tensor, group: Group) -> None:
        """One step of one parameter."""
        state = self.state[param]
        if not state:
            state.update(
                step=counter(), mu_product=counter(1.0), exp_avg=zeros_like(param), exp_avg_sq=zeros_like(param)
            )
        step, lr = advance(state), as_rate(group["lr"])
        first, second = group["betas"]
        grad = decayed(grad, param, group)
        now = first * (1.0 - 0.5 * 0.96 ** (step * group["momentum_decay"]))
        following = first * (1.0 - 0.5 * 0.96 ** ((step + 1) * group["momentum_decay"]))
        state["mu_product"] *= now
        product = state["mu_product"].item()
        mean, square = averaged(state, grad, group["betas"])
        spread = square.div(1 - second**step).sqrt().add(group["eps"])
        param.addcdiv_(grad, spread, value=float(-lr * (1.0 - now) / (1.0 - product)))
        param.addcdiv_(mean, spread, value=float((-lr * following) / (1.0 - product * following)))
