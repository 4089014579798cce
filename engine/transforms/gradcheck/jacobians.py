"""The two Jacobians that ``gradcheck`` compares: by finite differences, and by the engine's own passes.

A complex output is checked as two real functions, its real and its imaginary part. The derivative of a real function by a complex
input is ``∂s/∂x + i·∂s/∂y``, which is what PyTorch's gradients are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from engine import observe
from engine.autograd.backward import grad
from engine.tensor import Tensor, wrap
from engine.transforms.gradcheck.sparse import elements, in_full, in_their_rows

Function = Callable[..., Any]
Checked = list[tuple[int, Tensor]]
"""The inputs that require grad, with their positions."""
NOT_REENTRANT = (
    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives different values, "
    "although analytical gradient matches numerical gradient. The tolerance for nondeterminism was {tolerance}."
)


class GradcheckError(RuntimeError):
    """Analytical and numerical derivatives differ."""


GradcheckError.__module__ = "torch.autograd.gradcheck"


def listed(value: Any) -> list[Any]:
    """What a function returned, as a list."""
    return list(value) if isinstance(value, tuple | list) else [value]


def differentiable(value: Any) -> list[Tensor]:
    """The outputs that take part: those that require grad."""
    return [output for output in listed(value) if output.requires_grad]


def numerical_jacobian(
    func: Function, given: Sequence[Any], tensor: Tensor, eps: float, select: Function
) -> list[np.ndarray]:
    """``[input element, output element]`` per output by central differences; the input is restored after each step.

    ``select`` picks the outputs (real tensors) out of what the function returns.

    Raises:
        AssertionError: an output's shape or dtype depends on the input's values.
    """
    jacobians = differences(func, given, tensor, eps, 1.0, select)
    if not tensor.dtype.is_complex:
        return jacobians
    return [
        along + 1j * across
        for along, across in zip(jacobians, differences(func, given, tensor, eps, 1j, select), strict=True)
    ]


def differences(
    func: Function, given: Sequence[Any], tensor: Tensor, eps: float, unit: complex, select: Function
) -> list[np.ndarray]:
    """The same for steps along 1 or 1j (``unit``)."""
    rows: list[list[np.ndarray]] = []
    numbers: list[int] = []
    name = f"input {next((n for n, i in enumerate(given, 1) if i is tensor), 1)}"
    for memory, index, number in elements(tensor):
        original = memory[index].copy()
        at = [int(along) for along in np.unravel_index(number, tensor.shape)] if tensor.shape else []
        place = f"{name} at {at}" if at else name
        try:
            memory[index] = original + eps * unit
            with observe.state.part(f"{place}, nudged by {eps * unit:g}"):
                above = moved(func, given, select)
            memory[index] = original - eps * unit
            with observe.state.part(f"{place}, nudged by {-eps * unit:g}"):
                below = moved(func, given, select)
        finally:
            memory[index] = original
        for one, other in zip(above, below, strict=True):
            check_alike(one, other, eps)
        rows.append([(flat(a) - flat(b)) / (2 * eps) for a, b in zip(above, below, strict=True)])
        numbers.append(number)
    if not rows:
        return [np.zeros((tensor._array.size, o._array.size)) for o in select(func(*given))]
    found = [np.stack(columns) for columns in zip(*rows, strict=True)]
    return found if tensor._strided else [in_their_rows(part, numbers, tensor._array.size) for part in found]


def moved(func: Function, given: Sequence[Any], select: Function) -> list[Tensor]:
    """Copies of the outputs: an output may share the memory that is moved."""
    return [wrap(in_full(o)) for o in select(func(*given))]


def flat(output: Tensor) -> np.ndarray:
    """Its elements in one row, in single or double precision as they are; doubles for all others."""
    own = output._array.dtype
    wide = own if own.char in "fdFD" else np.float64
    return np.asarray(output._array, dtype=wide).reshape(-1)


def check_alike(one: Tensor, other: Tensor, eps: float) -> None:
    """Raises AssertionError: shape or dtype differ on the two sides of a step."""
    for what, kind in (("shape", "shapes"), ("dtype", "dtypes")):
        if getattr(one, what) != getattr(other, what):
            raise AssertionError(
                f"Expected `func` to return outputs with the same {what} when inputs are perturbed by {eps}, but got: {kind} "
                f"{getattr(one, what)} and {getattr(other, what)}."
            )


def analytical_jacobians(
    output: Tensor, tensors: Sequence[Tensor], tolerance: float, check_dtype: bool
) -> list[np.ndarray]:
    """``[input element, output element]`` per input: a backward pass for all of them per output element, the whole run twice.

    Raises:
        GradcheckError: the two runs differ by more than ``tolerance``, or a gradient is of another type or size.
    """
    first, second = ([gradients(output, tensors, seed) for seed in unit_seeds(output)] for _ in range(2))
    for row, again in zip(first, second, strict=True):
        for gradient, other, tensor in zip(row, again, tensors, strict=True):
            if check_dtype and gradient.dtype != tensor._array.dtype:
                raise GradcheckError("Gradient has dtype mismatch")
            if gradient.shape != tensor._array.shape:
                raise GradcheckError("Analytical gradient has incorrect size")
            if np.abs(gradient - other).max(initial=0) > tolerance:
                raise GradcheckError(NOT_REENTRANT.format(tolerance=tolerance))
    if not first:
        return [np.zeros((tensor._array.size, 0)) for tensor in tensors]
    return [np.stack([gradient.reshape(-1) for gradient in column], axis=1) for column in zip(*first, strict=True)]


def unit_seeds(output: Tensor) -> Iterator[np.ndarray]:
    """One flat gradient per element of an output: 1 there, 0 elsewhere."""
    for j in range(output._array.size):
        seed = np.zeros(output._array.size, output._array.dtype)
        seed[j] = 1
        yield seed


def gradients(output: Tensor, tensors: Sequence[Tensor], seed: np.ndarray) -> list[np.ndarray]:
    """Every input's gradient for one seed, zeros where there is none."""
    shaped = wrap(seed.reshape(output._array.shape))
    found = grad(output, list(tensors), shaped, retain_graph=True, allow_unused=True)
    return [
        np.zeros(tensor._array.shape, tensor._array.dtype) if gradient is None else in_full(gradient)
        for gradient, tensor in zip(found, tensors, strict=True)
    ]


def compare(
    numerical: np.ndarray,
    analytical: np.ndarray,
    places: tuple[int, int],
    tolerances: tuple[float, float],
    words: tuple[str, str],
) -> None:
    """One output against one input (``places``); ``words`` are what precedes and what qualifies the message.

    Raises:
        GradcheckError: PyTorch's "Jacobian mismatch", with both matrices.
    """
    atol, rtol = tolerances
    if numerical.shape == analytical.shape and np.allclose(numerical, analytical, rtol=rtol, atol=atol, equal_nan=True):
        return
    prefix, mode = words
    raise GradcheckError(
        f"{prefix}Jacobian {mode}mismatch for output {places[0]} with respect to input {places[1]},\n"
        f"numerical:{wrap(numerical)!r}\nanalytical:{wrap(analytical)!r}\n"
    )
