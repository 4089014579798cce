"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.autograd.modes import state as modes
from engine.observe import state as observing
from engine.ops.core.inplace import unshared_array
from engine.ops.pointwise.precision import fused_unrounded
from engine.optim.groups import Group
from engine.optim.optimizer import Optimizer
from engine.optim.settings import as_number, check_implementation, check_not_below_zero, check_single, directed
from engine.storage import shared_counter
from engine.tensor import Tensor


class SGD(Optimizer):
    """θ ← θ − lr · g, with momentum (Polyak 1964; Nesterov, Sutskever et al. 2013) and weight decay if asked for.

    Raises:
        ValueError: a negative setting, or Nesterov without momentum.
    """

    _takes_sparse = True

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_single(lr)
        check_not_below_zero(lr=as_number(lr), momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(
            params,
            {
                "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
                "nesterov": nesterov, "maximize": maximize, "foreach": foreach, "differentiable": differentiable,
                "fused": fused,
            },
        )  # fmt: skip
        check_implementation(self.defaults)

    def _update(self, param: Tensor, grad: Tensor, group: Group) -> None:
        """One step of one parameter."""
        momentum = group["momentum"]
        if group["maximize"] or group["weight_decay"]:
            grad = directed(grad, param, group)
        if momentum != 0:
            state = self.state[param]
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = state["momentum_buffer"] = grad.clone().detach()
            else:
                buffer.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
            grad = grad.add(buffer, alpha=momentum) if group["nesterov"] else buffer
        add_scaled(param, grad, -as_number(group["lr"]))


def add_scaled(param: Tensor, grad: Tensor, alpha: Any) -> None:
    """``param.add_(grad, alpha=alpha)``, the commonest of all updates: at once, where nothing about it is unusual."""
    array, step = unshared_array(param), grad._array
    if (
        array is None
        or modes.grad_enabled
        or modes.special
        or observing.listener is not None
        or type(grad) is not Tensor
        or type(step) is not np.ndarray
        or type(alpha) is not float
        or array.dtype.char != "f"
        or step.dtype is not array.dtype
        or step.shape != array.shape
    ):
        param.add_(grad, alpha=alpha)
        return
    array[...] = fused_unrounded(step, alpha, array)
    shared_counter(param).value += 1
