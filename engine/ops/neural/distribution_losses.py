"""Losses against a distribution: how unlikely a target is under the predicted one, or how far the two are apart."""

from __future__ import annotations

import math
import warnings

from engine.autograd.modes import no_grad
from engine.ops.core.catalogue import torch_function
from engine.ops.core.declare import composite
from engine.ops.core.handed_on import require_kind
from engine.ops.neural.reduction import SUM, reduce_loss, reduction_number
from engine.ops.pointwise.arithmetic import add_number, mul_number
from engine.tensor import Tensor


@composite(at="functional")
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """How unlikely counts are under Poisson rates (given as logarithms unless ``log_input`` is off)."""
    number = reduction_number(reduction, size_average, reduce)
    require_kind(log_input, "bool", "poisson_nll_loss", "log_input", 3)
    require_kind(full, "bool", "poisson_nll_loss", "full", 4)
    require_kind(eps, "float", "poisson_nll_loss", "eps", 5)
    # PyTorch's compiler evaluates this first.
    expected = target * (input if log_input else add_number(input, eps).log())
    loss = (input.exp() if log_input else input) - expected
    if full:
        half_log = mul_number(mul_number(target, 2 * math.pi).log(), 0.5)  # and this
        stirling = target * target.log() - target + half_log
        loss = loss + stirling.masked_fill(target <= 1, 0)
    return reduce_loss(loss, number)


@composite(at="functional")
def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Tensor | float, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    """How unlikely targets are under normal distributions with the given means and variances.

    Raises:
        ValueError: a negative variance, or its size fits neither the input nor its leading dimensions.
    """
    if isinstance(var, int | float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * torch_function("ones_like")(input)
    elif (var < 0).any():
        raise ValueError("var has negative entry/entries")
    if var.shape != input.shape:
        if input.shape[:-1] == var.shape:
            var = var.unsqueeze(-1)
        elif not (
            input.ndim == var.ndim
            and all(v in (1, n) for v, n in zip(var.shape, input.shape, strict=True))
            and var.shape[-1] == 1
        ):
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    loss = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return reduce_loss(loss, reduction_number(reduction))


@composite(at="functional")
def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """The divergence of log-probabilities ``input`` from probabilities ``target``.

    ``mean`` divides by all elements; ``batchmean`` is the divergence as mathematics has it.

    Raises:
        RuntimeError: for whole or complex numbers.
    """
    require_kind(log_target, "bool", "kl_div", "log_target")
    if size_average is None and reduce is None:
        if reduction == "mean":
            warnings.warn(
                "reduction: 'mean' divides the total loss by both the batch size and the support size."
                "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
                "'mean' will be changed to behave the same as 'batchmean' in the next major release.",
                stacklevel=4,
            )
        number = SUM if reduction == "batchmean" else reduction_number(reduction)
    else:
        number = reduction_number(reduction, size_average, reduce)
    if input.is_complex() or target.is_complex():
        raise RuntimeError("kl_div: Complex inputs not supported.")
    if not (input.is_floating_point() and target.is_floating_point()):
        raise RuntimeError("kl_div: Integral inputs not supported.")
    loss = divergence(input, target, number, log_target=log_target)
    if reduction == "batchmean" and input.ndim:
        loss = loss / input.shape[0]
    return loss


@composite(at="torch", name="kl_div")
def divergence(input: Tensor, target: Tensor, reduction: int = 1, *, log_target: bool = False) -> Tensor:
    """``torch.kl_div``: the reduction is a number."""
    if log_target:
        apart = target - input  # PyTorch's compiler evaluates the right side first
        return reduce_loss(target.exp() * apart, reduction)
    cross = target * input
    loss = target.xlogy(target) - cross
    return reduce_loss(loss, reduction)
