"""Gradients of many parameters together: their norm, and clipping."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

from engine.autograd.modes import no_grad
from engine.errors import explained
from engine.ops.core.catalogue import TABLES
from engine.tensor import Tensor


def listed(parameters: Any) -> list[Tensor]:
    """One tensor or many, as a list."""
    return [parameters] if isinstance(parameters, Tensor) else list(parameters)


def get_total_norm(
    tensors: Iterable[Tensor], norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Tensor:
    """The norm of all tensors seen as one vector.

    Raises:
        RuntimeError: it is not finite, and that was to be an error.
    """
    torch = TABLES["torch"]
    tensors = listed(tensors)
    norm_type = float(norm_type)
    if not tensors:
        return torch["tensor"](0.0)
    with no_grad():
        norms = [TABLES["linalg"]["vector_norm"](tensor, norm_type) for tensor in tensors]
        total = TABLES["linalg"]["vector_norm"](torch["stack"](norms), norm_type)
    if error_if_nonfinite and bool(torch["logical_or"](total.isnan(), total.isinf())):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this "
            "error and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
        )
    return total


def clip_grads_with_norm_(parameters: Any, max_norm: float, total_norm: Tensor, foreach: bool | None = None) -> None:
    """Scales all gradients by ``max_norm / total_norm`` if that makes them smaller."""
    with no_grad():
        grads = [p.grad for p in listed(parameters) if p.grad is not None]  # asked for by name: of a result it warns
        if not grads:
            return
        factor = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
        for grad in grads:
            grad.mul_(factor)


def clip_grad_norm_(
    parameters: Any,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scales all gradients so that their joint norm is at most ``max_norm``; returns the norm before.

    Raises:
        RuntimeError: the norm is not finite, and that was to be an error.
    """
    with no_grad():
        parameters = listed(parameters)
        grads = [p.grad for p in parameters if p.grad is not None]
        total = get_total_norm(grads, norm_type, error_if_nonfinite, foreach)
        clip_grads_with_norm_(parameters, max_norm, total, foreach)
        return total


def clip_grad_norm(
    parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False
) -> Tensor:
    """Old spelling of `clip_grad_norm_`."""
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite)


def clip_grad_value_(parameters: Any, clip_value: float, foreach: bool | None = None) -> None:
    """Cuts every gradient element off at ±``clip_value``.

    Raises:
        RuntimeError: no parameter has a gradient (a slip of PyTorch's that programs see).
    """
    grads = [p._grad for p in listed(parameters) if p._grad is not None]
    if not grads:
        raise RuntimeError(
            explained(
                "Expected !nested_tensorlist[0].empty() to be true, but got false.",
                "None of the parameters has a gradient: call backward() before clipping.",
            )
        )
    with no_grad():
        for grad in grads:
            grad.clamp_(min=-float(clip_value), max=float(clip_value))
