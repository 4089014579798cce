"""RMSprop."""

from __future__ import annotations

from typing import Any, ClassVar

from engine.optim.groups import Group
from engine.optim.optimizer import Optimizer
from engine.optim.settings import advance, as_number, check_at_least_zero, check_single, counter, directed, zeros_like
from engine.tensor import Tensor


class RMSprop(Optimizer):
    """Steps by the gradient over the root of its running square (Hinton 2012; centred: Graves 2013).

    Raises:
        ValueError: a negative setting.
    """

    _added_later: ClassVar[Group] = {**Optimizer._added_later, "momentum": 0, "centered": False}

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_single(lr)
        check_at_least_zero(lr=as_number(lr), eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        super().__init__(
            params,
            {
                "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
                "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach, "maximize": maximize,
                "differentiable": differentiable,
            },
        )  # fmt: skip

    def _update(self, param: Tensor, grad: Tensor, group: Group) -> None:
        """One step of one parameter."""
        state = self.state[param]
        if not state:
            state.update(step=counter(), square_avg=zeros_like(param))
            if group["momentum"] > 0:
                state["momentum_buffer"] = zeros_like(param)
            if group["centered"]:
                state["grad_avg"] = zeros_like(param)
        advance(state)
        grad = directed(grad, param, group)
        lr, alpha, square = as_number(group["lr"]), group["alpha"], state["square_avg"]
        square.mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
        if group["centered"]:
            mean = state["grad_avg"]
            mean.lerp_(grad, 1 - alpha)
            spread = square.addcmul(mean, mean, value=-1).sqrt_()
        else:
            spread = square.sqrt()
        spread = spread.add(group["eps"])
        if group["momentum"] > 0:
            buffer = state["momentum_buffer"]
            buffer.mul_(group["momentum"]).addcdiv_(grad, spread)
            param.add_(buffer, alpha=-lr)
        else:
            param.addcdiv_(grad, spread, value=-lr)
