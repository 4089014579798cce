"""RAdam."""

from __future__ import annotations

import math
from typing import Any

from engine.optim.groups import Group
from engine.optim.optimizer import Optimizer
from engine.optim.settings import advance, as_number, averaged, check_like_adam, counter, decayed, zeros_like
from engine.tensor import Tensor


class RAdam(Optimizer):
    """Adam that waits until its running squares can be trusted (Liu et al. 2019).

    Raises:
        ValueError: a negative setting, or a beta outside [0, 1).
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_like_adam(lr, betas, eps=eps, weight_decay=weight_decay)
        super().__init__(
            params,
            {
                "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
                "foreach": foreach, "capturable": capturable, "decoupled_weight_decay": decoupled_weight_decay,
                "differentiable": differentiable,
            },
        )  # fmt: skip

    def _update(self, param: Tensor, grad: Tensor, group: Group) -> None:
        """One step of one parameter."""
        state = self.state[param]
        if not state:
            state.update(step=counter(), exp_avg=zeros_like(param), exp_avg_sq=zeros_like(param))
        step, lr = advance(state), as_number(group["lr"])
        first, second = group["betas"]
        grad = decayed(grad, param, group)
        mean, square = averaged(state, grad, group["betas"])
        correction = 1 - second**step
        corrected = mean / (1 - first**step)
        longest = 2 / (1 - second) - 1
        length = longest - 2 * step * second**step / correction
        if length > 5.0:
            rectified = math.sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length))
            adaptive = correction**0.5 / square.sqrt().add(group["eps"])
            param.add_(corrected * lr * adaptive * rectified, alpha=-1.0)
        else:
            param.add_(corrected * lr, alpha=-1.0)
