"""Checks and small pieces that several algorithms share."""

from __future__ import annotations

from operator import le
from typing import Any

import numpy as np

from engine.ops.core.catalogue import TABLES
from engine.tensor import Tensor, wrap

reaches = le
"""``low <= value``, with the limit first: Python's TypeError about a string names the sides in their order."""


def check_at_least_zero(**settings: Any) -> None:
    """Refuses negative settings, under the names PyTorch gives them in its messages.

    Raises:
        ValueError: naming the first bad one.
    """
    for name, value in settings.items():
        if not reaches(0.0, value):
            raise ValueError(f"Invalid {spoken(name)}: {value}")


def check_not_below_zero(**settings: Any) -> None:
    """`check_at_least_zero` that lets NaN pass, as SGD does.

    Raises:
        ValueError: naming the first bad one.
    """
    for name, value in settings.items():
        if value < 0.0:
            raise ValueError(f"Invalid {spoken(name)}: {value}")


def spoken(name: str) -> str:
    """What PyTorch's messages call a setting."""
    return {"lr": "learning rate", "eps": "epsilon value"}.get(name, f"{name} value")


def check_implementation(defaults: dict[str, Any]) -> None:
    """Refuses to be ``fused`` and something that excludes it at once.

    Raises:
        RuntimeError: naming the other one.
    """
    if defaults["fused"]:
        if defaults["differentiable"]:
            raise RuntimeError("`fused` does not support `differentiable`")
        if defaults["foreach"]:
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def check_betas(betas: Any) -> None:
    """Refuses decay rates outside [0, 1).

    Raises:
        ValueError: naming the bad one.
    """
    for index in (0, 1):
        beta = betas[index]
        if not 0.0 <= beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {index}: {beta}")


def zeros_like(param: Tensor) -> Tensor:
    """A running average before the first step."""
    if param.is_meta:
        made: Tensor = TABLES["torch"]["zeros_like"](param)
        return made
    return wrap(np.zeros(param._array.shape, param._array.dtype))


def counter(value: float = 0.0) -> Tensor:
    """A float32 number kept as a tensor, as PyTorch keeps step counts."""
    return wrap(np.array(value, np.float32))


def advance(state: dict[str, Any]) -> float:
    """Counts a step and returns its number."""
    step = state["step"]
    step += 1
    return float(step._array)


def as_number(value: Any) -> Any:
    """A learning rate given as a tensor, as a number."""
    return value.item() if isinstance(value, Tensor) else value


def as_rate(value: Any) -> Any:
    """A learning rate to compute with: a tensor's number keeps its dtype, in which PyTorch rounds what comes of it."""
    return value._array[()] if isinstance(value, Tensor) else value


def check_single(lr: Any) -> None:
    """Refuses a learning rate of several numbers.

    Raises:
        ValueError: so many.
    """
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")


def check_like_adam(lr: Any, betas: Any, **settings: Any) -> None:
    """Checks what Adam and its descendants have in common, and further ``settings``, in PyTorch's order.

    Raises:
        ValueError: naming the first bad one.
    """
    eps = settings.pop("eps")
    check_single(lr)
    check_at_least_zero(lr=as_number(lr), eps=eps)
    check_betas(betas)
    check_at_least_zero(**settings)


def averaged(state: dict[str, Any], grad: Tensor, betas: tuple[float, float]) -> tuple[Tensor, Tensor]:
    """Moves the running means of the gradient and of its square, Adam's first and second moment, and returns them."""
    first, second = betas
    mean, square = state["exp_avg"], state["exp_avg_sq"]
    mean.lerp_(grad, 1 - first)
    square.mul_(second).addcmul_(grad, grad, value=1 - second)
    return mean, square


def decayed(grad: Tensor, param: Tensor, group: dict[str, Any]) -> Tensor:
    """`directed`, with the decay in the parameter itself where it is decoupled (Loshchilov & Hutter 2017)."""
    decoupled = group["decoupled_weight_decay"]
    if decoupled and group["weight_decay"] != 0:
        param.mul_(float(1 - as_rate(group["lr"]) * group["weight_decay"]))
    return directed(grad, param, group, decays=not decoupled)


def directed(grad: Tensor, param: Tensor, group: dict[str, Any], decays: bool = True) -> Tensor:
    """The gradient, turned round to maximise, with weight decay added (unless the algorithm decays by itself)."""
    if group.get("maximize"):
        grad = -grad
    if decays and group.get("weight_decay"):
        grad = grad.add(param, alpha=group["weight_decay"])
    return grad
