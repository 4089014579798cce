"""Adagrad."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from engine.late import Late
from engine.optim.groups import Group
from engine.optim.optimizer import Optimizer
from engine.optim.settings import (
    advance,
    as_number,
    as_rate,
    check_at_least_zero,
    check_implementation,
    check_single,
    counter,
    directed,
)
from engine.tensor import Tensor, wrap

if TYPE_CHECKING:
    from engine.ops.sparse import rows as sparse_rows
else:
    sparse_rows = Late("engine.ops.sparse.rows")


class Adagrad(Optimizer):
    """Steps by the gradient over the root of the sum of all its squares (Duchi et al. 2011).

    Raises:
        ValueError: a negative setting.
    """

    _takes_sparse = True

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_single(lr)
        check_at_least_zero(
            lr=as_number(lr),
            lr_decay=lr_decay,
            weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value,
            eps=eps,
        )
        super().__init__(
            params,
            {
                "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
                "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
                "differentiable": differentiable, "fused": fused,
            },
        )  # fmt: skip
        check_implementation(self.defaults)
        for group in self.param_groups:
            for param in group["params"]:
                start = np.full(param._array.shape, initial_accumulator_value, param._array.dtype)
                self.state[param].update(step=counter(), sum=wrap(start))

    def _update(self, param: Tensor, grad: Tensor, group: Group) -> None:
        """One step of one parameter.

        Raises:
            RuntimeError: weight decay with a sparse gradient.
        """
        state = self.state[param]
        step = advance(state)
        if not grad._strided and group["weight_decay"]:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")
        grad = directed(grad, param, group)
        rate = as_rate(group["lr"]) / (1 + (step - 1) * group["lr_decay"])
        if not grad._strided:
            stored = grad.coalesce()
            state["sum"].add_(stored * stored)
            spread = state["sum"].sparse_mask(stored)._values().sqrt_().add_(group["eps"])
            param.add_(sparse_rows.with_values(stored, stored._values() / spread), alpha=float(-rate))
            return
        state["sum"].addcmul_(grad, grad, value=1)
        param.addcdiv_(grad, state["sum"].sqrt().add(group["eps"]), value=float(-rate))
