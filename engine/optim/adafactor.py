"""Adafactor."""

from __future__ import annotations

from typing import Any, ClassVar

from engine.ops.core.catalogue import TABLES
from engine.optim.groups import Group
from engine.optim.optimizer import Optimizer
from engine.optim.settings import advance, as_number, check_single, counter, reaches
from engine.tensor import Tensor
from engine.type_info import finfo


class Adafactor(Optimizer):
    """Steps by the gradient over the root of its running square, of which a matrix keeps the means of rows and columns only
    (Shazeer & Stern 2018).

    Raises:
        ValueError: a setting outside its range.
    """

    _complex_refusal = "Adafactor does not support complex parameters"
    _added_later: ClassVar[Group] = {"foreach": None}

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        check_single(lr)
        for right, words, value in (
            (reaches(0.0, as_number(lr)), "Learning rate should be >= 0", lr),
            (beta2_decay <= 0, "beta2_decay should be <= 0", beta2_decay),
            (eps[0] is None or reaches(0.0, eps[0]), "epsilon1 should be >= 0", eps[0]),
            (reaches(0.0, eps[1]), "epsilon2 should be >= 0", eps[1]),
            (reaches(1.0, d), "Clipping threshold d should be >= 1", d),
            (reaches(0.0, weight_decay), "weight_decay should be >= 0", weight_decay),
        ):
            if not right:
                raise ValueError(f"{words} but is: {value}")
        super().__init__(
            params,
            {
                "lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay": weight_decay,
                "foreach": foreach, "maximize": maximize,
            },
        )  # fmt: skip

    def _update(self, param: Tensor, grad: Tensor, group: Group) -> None:
        """One step of one parameter; its length is a share of the parameter's own length."""
        state = self.state[param]
        if not state:
            state["step"] = counter()
            if grad.dim() > 1:
                state["row_var"] = grad.new_zeros((*grad.shape[:-1], 1))
                state["col_var"] = grad.new_zeros((*grad.shape[:-2], 1, grad.shape[-1]))
            else:
                state["variance"] = grad.new_zeros(grad.shape)
        if group["maximize"]:
            grad = -grad
        lr, step = as_number(group["lr"]), advance(state)
        smallest = finfo(param.dtype).eps if group["eps"][0] is None else group["eps"][0]
        rate = min(lr, 1 / step**0.5)
        length = max(group["eps"][1], param.norm(2).item() / param.numel() ** 0.5) * rate
        if group["weight_decay"] != 0:
            param.mul_(1 - lr * group["weight_decay"])
        estimate = running_square(grad, state, step ** group["beta2_decay"], smallest)
        update = estimate.clamp_(min=smallest * smallest).rsqrt_().mul_(grad)
        clipping = max(1.0, update.norm(2).item() / (update.numel() ** 0.5 * group["d"]))
        param.add_(update, alpha=-length / clipping)


def running_square(grad: Tensor, state: dict[str, Any], weight: float, smallest: float) -> Any:
    """The running mean of the squared gradient: of a matrix, rebuilt from those of its rows and columns."""
    if grad.dim() <= 1:
        return state["variance"].lerp_(grad * grad, weight).clone()
    norm, rows, columns = TABLES["torch"]["norm"], state["row_var"], state["col_var"]
    rows.lerp_(norm(grad, dim=-1, keepdim=True).square_().div_(grad.size(-1)), weight)
    columns.lerp_(norm(grad, dim=-2, keepdim=True).square_().div_(grad.size(-2)), weight)
    return (rows @ columns).div_(rows.mean(dim=-2, keepdim=True).clamp_(min=smallest))
