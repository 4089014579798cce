"""Adam."""

from __future__ import annotations

from typing import Any

from engine.ops.core.catalogue import TABLES
from engine.optim.groups import Group
from engine.optim.optimizer import Optimizer
from engine.optim.settings import (
    advance,
    as_rate,
    averaged,
    check_implementation,
    check_like_adam,
    counter,
    decayed,
    zeros_like,
)
from engine.tensor import Tensor


class Adam(Optimizer):
    """Steps by the running mean of the gradient over the root of its running square (Kingma & Ba 2014).

    Raises:
        ValueError: a negative setting, or a beta outside [0, 1).
    """

    _sparse_refusal = "Adam does not support sparse gradients, please consider SparseAdam instead"

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        check_like_adam(lr, betas, eps=eps, weight_decay=weight_decay)
        if not any(all(isinstance(beta, kind) for beta in betas) for kind in (float, Tensor)):
            raise ValueError("betas must be either both floats or both Tensors")
        super().__init__(
            params,
            {
                "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
                "maximize": maximize, "foreach": foreach, "capturable": capturable, "differentiable": differentiable,
                "fused": fused, "decoupled_weight_decay": decoupled_weight_decay,
            },
        )  # fmt: skip
        check_implementation(self.defaults)

    def _update(self, param: Tensor, grad: Tensor, group: Group) -> None:
        """One step of one parameter; bias corrections make up for averages that began at zero."""
        state = self.state[param]
        if not state:
            state.update(step=counter(), exp_avg=zeros_like(param), exp_avg_sq=zeros_like(param))
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = zeros_like(param)
        lr = as_rate(group["lr"])
        first, second = group["betas"]
        step = advance(state)
        grad = decayed(grad, param, group)
        mean, square = averaged(state, grad, group["betas"])
        if group["amsgrad"]:
            largest = state["max_exp_avg_sq"]
            largest.copy_(TABLES["torch"]["maximum"](largest.clone(), square))
            square = largest
        spread = (square.sqrt() / (1 - second**step) ** 0.5).add_(group["eps"])
        param.addcdiv_(mean, spread, value=float(-(lr / (1 - first**step))))
