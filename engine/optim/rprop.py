"""Rprop."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.optim.groups import Group
from engine.optim.optimizer import Optimizer
from engine.optim.settings import advance, as_number, check_at_least_zero, check_single, counter, directed, zeros_like
from engine.tensor import Tensor, wrap


class Rprop(Optimizer):
    """Looks at the gradient's sign only; steps grow while it stays, shrink when it turns (Riedmiller & Braun 1993).

    Raises:
        ValueError: a negative learning rate, or ``etas`` that do not shrink and grow.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_single(lr)
        check_at_least_zero(lr=as_number(lr))
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(
            params,
            {
                "lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach, "maximize": maximize,
                "differentiable": differentiable, "capturable": capturable,
            },
        )  # fmt: skip

    def _update(self, param: Tensor, grad: Tensor, group: Group) -> None:
        """One step of one parameter."""
        state = self.state[param]
        if not state:
            size = np.full(param._array.shape, as_number(group["lr"]), param._array.dtype)
            state.update(step=counter(), prev=zeros_like(param), step_size=wrap(size))
        advance(state)
        grad = directed(grad, param, group)
        shrinks, grows = group["etas"]
        turned = grad.mul(state["prev"]).sign()._array
        factor = np.where(turned > 0, grows, np.where(turned < 0, shrinks, 1)).astype(param._array.dtype)
        size = state["step_size"]
        size.mul_(wrap(factor)).clamp_(*group["step_sizes"])
        kept = wrap(np.where(turned < 0, 0, grad._array).astype(param._array.dtype))
        param.addcmul_(kept.sign(), size, value=-1)
        state["prev"].copy_(kept)
