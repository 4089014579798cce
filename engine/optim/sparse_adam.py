"""SparseAdam."""

from __future__ import annotations

import math
from operator import lt
from typing import TYPE_CHECKING, Any, ClassVar

from engine.errors import Explained
from engine.late import Late
from engine.optim.groups import Group
from engine.optim.optimizer import Optimizer
from engine.optim.settings import as_number, check_betas, check_single, zeros_like
from engine.tensor import Tensor

if TYPE_CHECKING:
    from engine.ops.sparse import rows as sparse_rows
else:
    sparse_rows = Late("engine.ops.sparse.rows")


class SparseAdam(Optimizer):
    """Adam for sparse gradients: only rows that have a gradient are touched, their running averages included.

    Raises:
        ValueError: a setting out of range.
    """

    _takes_sparse = True
    _added_later: ClassVar[Group] = {}

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        check_single(lr)
        if not lt(0.0, as_number(lr)):  # the limit first, as in `reaches`
            raise ValueError(f"Invalid learning rate: {lr}")
        if not eps > 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        places = [[i, j] for i, g in enumerate(self.param_groups) for j, p in enumerate(g["params"]) if not p._strided]
        if places:
            raise ValueError(f"Sparse params at indices {places}: SparseAdam requires dense parameter tensors")
        places = [
            [i, j] for i, g in enumerate(self.param_groups) for j, p in enumerate(g["params"]) if p.dtype.is_complex
        ]
        if places:
            raise ValueError(f"Complex params at indices {places}: SparseAdam does not support complex parameters")

    def _update(self, param: Tensor, grad: Tensor, group: Group) -> None:
        """One step of the rows that have a gradient.

        Raises:
            RuntimeError: a dense gradient.
        """
        if grad._strided:
            raise RuntimeError(
                Explained(
                    "SparseAdam does not support dense gradients, please consider Adam instead",
                    "Only nn.Embedding(…, sparse=True) and its like have sparse ones.",
                )
            )
        state = self.state[param]
        if not state:
            state.update(step=0, exp_avg=zeros_like(param), exp_avg_sq=zeros_like(param))
        state["step"] += 1
        first, second = group["betas"]
        stored = (-grad if group["maximize"] else grad).coalesce()
        slopes = stored._values()
        if not slopes.numel():
            return
        mean = moved(state["exp_avg"], stored, slopes, 1 - first)
        square = moved(state["exp_avg_sq"], stored, slopes.pow(2), 1 - second)
        correction = math.sqrt(1 - second ** state["step"]) / (1 - first ** state["step"])
        step = mean.div_(square.sqrt_().add_(group["eps"])).mul_(-as_number(group["lr"]) * correction)
        param.add_(sparse_rows.with_values(stored, step))


def moved(average: Tensor, stored: Tensor, values: Tensor, share: float) -> Tensor:
    """Moves the rows of a running average toward new values; returns them as they are now."""
    before = average.sparse_mask(stored)._values()
    change = values.sub(before).mul_(share)
    average.add_(sparse_rows.with_values(stored, change.clone()))
    return change.add_(before)
