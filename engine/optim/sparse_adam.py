"""SparseAdam."""

from __future__ import annotations

from typing import Any

from engine.errors import explained
from engine.optim.optimizer import Group, Optimizer
from engine.optim.settings import as_number, check_betas
from engine.tensor import Tensor


class SparseAdam(Optimizer):
    """Adam for sparse gradients, of which this engine has none: it can be made, its step refuses as PyTorch's does."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        if not as_number(lr) > 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not eps > 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})

    def update(self, param: Tensor, grad: Tensor, group: Group) -> None:
        """Refuses.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError(
            explained(
                "SparseAdam does not support dense gradients, please consider Adam instead",
                "Gradients are always dense in this engine, also those of an embedding with sparse=True.",
            )
        )
