"""Adam with decoupled weight decay."""

from __future__ import annotations

from typing import Any, ClassVar

from engine.optim.adam import Adam
from engine.optim.groups import Group


class AdamW(Adam):
    """Adam that shrinks the weights directly, not by way of the gradient (Loshchilov & Hutter 2017)."""

    _added_later: ClassVar[Group] = {**Adam._added_later, "decoupled_weight_decay": True}

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )
