"""Gradients of many parameters together: their norm, and clipping."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from contextlib import nullcontext
from typing import Any

from engine.autograd.modes import no_grad
from engine.errors import Explained
from engine.observe import state as observing
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
        scale(with_gradients(parameters), max_norm, total_norm, None, "clip_grads_with_norm_")


def with_gradients(parameters: Any) -> list[tuple[Tensor, Tensor]]:
    """The parameters that have a gradient, each with it."""
    found = []
    for parameter in listed(parameters):
        gradient = parameter.grad  # asked for by name: of a result it warns
        if gradient is not None:
            found.append((parameter, gradient))
    return found


def scale(
    held: list[tuple[Tensor, Tensor]], max_norm: float, total: Tensor, norm_type: float | None, function: str
) -> None:
    """Multiplies the gradients by ``max_norm / total`` where that is less than 1.

    That, and not its parts, is told to whoever watches; a multiplication by 1 is not.
    """
    factor: Tensor | None = None
    if held:
        with observing.silent():
            factor = (float(max_norm) / (total + 1e-6)).clamp(max=1.0)
    listener = observing.listener
    if listener is not None:
        owners = [parameter for parameter, _ in held]
        listener.gradients_clipping(function, owners, float(max_norm), norm_type, total, factor)
    untold = listener is not None and factor is not None and float(factor) == 1.0
    with observing.silent() if untold else nullcontext():
        for _, gradient in held:
            gradient.mul_(factor)


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
        gradients = [gradient for _, gradient in with_gradients(parameters)]
        with observing.silent():
            total = get_total_norm(gradients, norm_type, error_if_nonfinite, foreach)
        held = with_gradients(parameters)  # asked for a second time, as in PyTorch: a result warns twice
        scale(held, max_norm, total, float(norm_type), "clip_grad_norm_")
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
    held = [(p, p._grad) for p in listed(parameters) if p._grad is not None]
    if not held:
        raise RuntimeError(
            Explained(
                "Expected !nested_tensorlist[0].empty() to be true, but got false.  (Could this error message be improved?  If so, "
                "please report an enhancement request to PyTorch.)",
                "None of the parameters has a gradient: call backward() before clipping.",
            )
        )
    limit = float(clip_value)
    listener = observing.listener
    with no_grad():
        beyond = [1] * len(held)
        if listener is not None:
            beyond = [elements_beyond(gradient, limit) for _, gradient in held]
            owners = [parameter for parameter, _ in held]
            listener.gradients_clipping("clip_grad_value_", owners, limit, beyond=sum(beyond))
        for (_, gradient), some in zip(held, beyond, strict=True):
            with nullcontext() if some else observing.silent():
                gradient.clamp_(min=-limit, max=limit)


def elements_beyond(gradient: Tensor, limit: float) -> int:
    """How many elements are larger than ``limit`` or smaller than ``-limit``; untold."""
    with observing.silent():
        return int((gradient.abs() > limit).sum()) if gradient._strided else 1
