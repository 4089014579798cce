"""``get_numerical_jacobian`` and ``get_analytical_jacobian``: how ``gradcheck`` was once used in parts. Deprecated by PyTorch."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engine.tensor import Tensor, wrap
from engine.transforms.gradcheck.jacobians import gradients, listed, numerical_jacobian, unit_seeds


def get_numerical_jacobian(
    fn: Callable[..., Any], inputs: Sequence[Any], target: Any = None, eps: float = 1e-3, grad_out: float = 1.0
) -> tuple[Tensor, ...]:
    """Per target (by default every input) the Jacobian of the first output of ``fn(inputs)`` by central differences.

    Raises:
        ValueError: ``grad_out`` is not 1.
    """
    warn_and_check("get_numerical_jacobian", grad_out)
    targets = [t for t in (listed(inputs) if target is None else listed(target)) if isinstance(t, Tensor)]

    def first(value: Any) -> list[Tensor]:
        return listed(value)[:1]

    return tuple(
        wrap(numerical_jacobian(lambda *given: fn(given), inputs, t, eps, first)[0]) for t in targets if t.requires_grad
    )


def get_analytical_jacobian(
    inputs: Sequence[Any], output: Tensor, nondet_tol: float = 0.0, grad_out: float = 1.0
) -> tuple[tuple[Tensor, ...], bool, bool, bool]:
    """Per input the Jacobian of ``output`` by backward passes, and whether runs agree, sizes fit and types fit.

    Raises:
        ValueError: ``grad_out`` is not 1, or the output is complex.
    """
    warn_and_check("get_analytical_jacobian", grad_out)
    if output.is_complex():
        raise ValueError(
            "Expected output to be non-complex. get_analytical_jacobian no longer supports functions that return complex outputs."
        )
    jacobians, agree, sizes, types = [], True, True, True
    for tensor in inputs:
        if not (isinstance(tensor, Tensor) and tensor.requires_grad):
            continue
        columns = []
        for seed in unit_seeds(output):
            first, second = (gradients(output, [tensor], seed)[0] for _ in range(2))
            agree = agree and bool(np.abs(first - second).max(initial=0) <= nondet_tol)
            sizes = sizes and first.shape == tensor._array.shape
            types = types and first.dtype == tensor._array.dtype
            columns.append(first.reshape(-1))
        jacobians.append(wrap(np.stack(columns, axis=1)))
    return tuple(jacobians), agree, sizes, types


def warn_and_check(name: str, grad_out: float) -> None:
    """Says that the function is going away.

    Raises:
        ValueError: ``grad_out`` is not 1.
    """
    warnings.warn(
        f"`{name}` was part of PyTorch's private API and not meant to be exposed: use `gradcheck` instead.",
        FutureWarning,
        stacklevel=3,
    )
    if grad_out != 1.0:
        raise ValueError(f"Expected grad_out to be 1.0. {name} no longer supports values of grad_out != 1.0.")
