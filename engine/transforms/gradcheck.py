"""``gradcheck``: derivatives against finite differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.autograd.backward import grad
from engine.autograd.modes import enable_grad
from engine.tensor import Tensor, wrap


class GradcheckError(RuntimeError):
    """Analytical and numerical derivatives differ."""


def tensors_of(value: Any) -> list[Tensor]:
    """The tensors among one value or a tuple of values."""
    return [v for v in (value if isinstance(value, tuple | list) else (value,)) if isinstance(v, Tensor)]


def differentiable(output: Tensor) -> bool:
    """Whether an output takes part: a tracked tensor of real or complex numbers."""
    return output.requires_grad and output.dtype.category >= dtypes.FLOAT


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """``torch.autograd.gradcheck``: compares each output's Jacobian with central differences of step ``eps``.

    Raises:
        GradcheckError: on a mismatch (or returns False, if ``raise_exception`` is off).
        ValueError: no input requires grad.
    """
    given = inputs if isinstance(inputs, tuple | list) else (inputs,)
    checked = [(n, i) for n, i in enumerate(given) if isinstance(i, Tensor) and i.requires_grad]
    if not checked:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )
    for number, tensor in checked:
        if tensor.dtype not in (dtypes.float64, dtypes.complex128):
            warnings.warn(
                f"Input #{number} requires gradient and is not a double precision floating point or complex. This check will "
                "likely fail if all the inputs are not of double precision floating point or complex. ",
                UserWarning,
                stacklevel=2,
            )
    try:
        with enable_grad():
            outputs = tensors_of(func(*given))
        for o, output in enumerate(outputs):
            if not differentiable(output):
                continue
            for i, tensor in checked:
                compare(func, given, outputs, o, i, tensor, eps, atol, rtol)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def compare(
    func: Callable[..., Any],
    given: Any,
    outputs: list[Tensor],
    o: int,
    i: int,
    tensor: Tensor,
    eps: float,
    atol: float,
    rtol: float,
) -> None:
    """One output against one input.

    Raises:
        GradcheckError: PyTorch's "Jacobian mismatch", with both matrices.
    """
    numerical = numerical_jacobian(func, given, o, i, eps)
    analytical = analytical_jacobian(outputs[o], tensor)
    if not np.allclose(numerical, analytical, rtol=rtol, atol=atol, equal_nan=True):
        raise GradcheckError(
            f"Jacobian mismatch for output {o} with respect to input {i},\n"
            f"numerical:{wrap(numerical.astype(tensor._array.dtype))!r}\nanalytical:{wrap(analytical)!r}\n"
        )


def numerical_jacobian(func: Callable[..., Any], given: Any, o: int, i: int, eps: float) -> np.ndarray:
    """``[input element, output element]`` by central differences; the input is restored after each step."""
    target = given[i].detach()
    rows = []
    for index in np.ndindex(target._array.shape):
        original = target._array[index].copy()
        moved = []
        try:
            for step in (eps, -eps):
                target._array[index] = original + step
                result = tensors_of(func(*given))[o]._array
                moved.append(np.array(result, dtype=np.result_type(result.dtype, np.float64), copy=True).reshape(-1))
        finally:
            target._array[index] = original
        rows.append((moved[0] - moved[1]) / (2 * eps))
    width = given[i]._array.size
    return np.stack(rows) if rows else np.zeros((width, 0))


def analytical_jacobian(output: Tensor, tensor: Tensor) -> np.ndarray:
    """``[input element, output element]`` by one backward pass per output element."""
    columns = []
    for j in range(output._array.size):
        seed = np.zeros(output._array.size, output._array.dtype)
        seed[j] = 1
        (gradient,) = grad(
            output, tensor, wrap(seed.reshape(output._array.shape)), retain_graph=True, allow_unused=True
        )
        columns.append(
            np.zeros(tensor._array.size, tensor._array.dtype) if gradient is None else gradient._array.reshape(-1)
        )
    return np.stack(columns, axis=1) if columns else np.zeros((tensor._array.size, 0))


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    gen_non_contig_grad_outputs: bool = False,
    **options: Any,
) -> bool:
    """``torch.autograd.gradgradcheck``: `gradcheck` of the gradient itself."""
    given = inputs if isinstance(inputs, tuple | list) else (inputs,)
    outputs = [o for o in tensors_of(func(*given)) if differentiable(o)]
    rng = np.random.RandomState(0)
    seeds = grad_outputs or tuple(
        wrap(np.asarray(rng.uniform(-1, 1, o._array.shape)).astype(o._array.dtype)).requires_grad_() for o in outputs
    )
    seeds = seeds if isinstance(seeds, tuple | list) else (seeds,)
    count = len(given)

    def slope(*args: Any) -> Any:
        inner = [a if isinstance(a, Tensor) and a.requires_grad else a for a in args[:count]]
        produced = [o for o in tensors_of(func(*inner)) if differentiable(o)]
        wanted = [a for a in inner if isinstance(a, Tensor) and a.requires_grad]
        found = grad(produced, wanted, args[count:], create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return gradcheck(slope, (*given, *seeds), **options)
