"""``gradcheck``: derivatives against finite differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.autograd.backward import grad
from engine.autograd.modes import enable_grad
from engine.tensor import Tensor
from engine.transforms.gradcheck.arriving import check_what_arrives
from engine.transforms.gradcheck.forward import check_forward, check_forward_batches, check_missing_tangents
from engine.transforms.gradcheck.jacobians import (
    Checked,
    GradcheckError,
    analytical_jacobians,
    compare,
    differentiable,
    listed,
    numerical_jacobian,
)
from engine.transforms.gradcheck.sparse import check_outputs, of_stored, with_every_place
from engine.transforms.testing.sample_tensors import make_tensor

FAST_NOTE = (
    "\nThe Jacobians above are whole: `fast_mode=True` compares the same matrices here, since they are small. Set it to False for "
    "PyTorch's default."
)


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
        AssertionError: options that exclude each other.
    """
    require_a_mode(
        {"check_forward_ad": check_forward_ad, "check_backward_ad": check_backward_ad},
        ("check_batched_grad", check_batched_grad, "check_backward_ad"),
        ("check_batched_forward_grad", check_batched_forward_grad, "check_forward_ad"),
    )
    try:
        given = inputs if isinstance(inputs, tuple | list) else (inputs,)
        if not masked:
            given = tuple(with_every_place(value) for value in given)
        checked = checked_inputs(given)
        with enable_grad():
            returned = func(*given)
            outputs = differentiable(returned)
            check_outputs(outputs)
            if not outputs:
                check_constant(func, given, checked, eps)
                return True
            if check_backward_ad:
                options = (nondet_tol, check_grad_dtypes, fast_mode)
                check_jacobians(func, given, outputs, checked, eps, (atol, rtol), *options)
            if check_forward_ad:
                check_forward(func, given, returned, checked, eps, (atol, rtol))
                if check_undefined_grad:
                    check_missing_tangents(func, given, checked)
                if check_batched_forward_grad:
                    check_forward_batches(func, given, checked)
            if check_backward_ad:
                check_what_arrives(func, given, outputs, checked, check_batched_grad, check_undefined_grad)
    except GradcheckError as error:
        if not raise_exception:
            return False
        if fast_mode and "mismatch" in str(error):
            raise GradcheckError(f"{error}{FAST_NOTE}") from None
        raise
    return True


def require_a_mode(modes: dict[str, bool], *options: tuple[str, bool, str]) -> None:
    """Raises AssertionError: no mode is on, or an option is on (each: its name, its value, its mode) whose mode is off."""
    if not any(modes.values()):
        raise AssertionError(f"Expected at least one of {' or '.join(modes)} to be True")
    for option, asked, mode in options:
        if asked and not modes[mode]:
            raise AssertionError(f"Setting {option}=True requires {mode} to be True")


def check_jacobians(
    func: Callable[..., Any],
    given: Sequence[Any],
    outputs: list[Tensor],
    checked: Checked,
    eps: float,
    tolerances: tuple[float, float],
    nondet_tol: float,
    check_grad_dtypes: bool,
    fast_mode: bool,
) -> None:
    """Raises GradcheckError: backward gives another Jacobian than central differences.

    Args:
        outputs: what the function gave already.
        tolerances: absolute and relative.
    """
    wanted = [tensor for _, tensor in checked]
    for prefix, select in parts_of(outputs):
        parts = select(func(*given)) if prefix else outputs
        numerical = {i: numerical_jacobian(func, given, t, eps, select) for i, t in checked}
        for o, output in enumerate(parts):
            found = analytical_jacobians(output, wanted, nondet_tol, check_grad_dtypes)
            for (i, tensor), whole in zip(checked, found, strict=True):
                analytical = of_stored(whole, tensor) if fast_mode else whole
                compare(numerical[i][o], analytical, (o, i), tolerances, (prefix, ""))


def checked_inputs(given: Sequence[Any]) -> Checked:
    """The inputs that require grad, with their positions.

    Raises:
        ValueError: there is none.
        RuntimeError: one shows the same element several times.
    """
    checked = [(n, i) for n, i in enumerate(given) if isinstance(i, Tensor) and i.requires_grad]
    for number, tensor in checked:
        if tensor.dtype not in (dtypes.float64, dtypes.complex128):
            warnings.warn(
                f"Input #{number} requires gradient and is not a double precision floating point or complex. This check will "
                "likely fail if all the inputs are not of double precision floating point or complex. ",
                UserWarning,
                stacklevel=3,
            )
        array = tensor._array if tensor._strided else tensor._array.values
        if any(not step and length > 1 for step, length in zip(array.strides, array.shape, strict=True)):
            raise RuntimeError(
                f"The {number}th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping to "
                "be able to compute the numerical gradients correctly. You should call .contiguous on the input before passing it "
                "to gradcheck."
            )
    if not checked:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )
    return checked


def parts_of(outputs: list[Tensor]) -> list[tuple[str, Callable[..., Any]]]:
    """What to compare: the outputs, or, if some are complex, their imaginary and then their real parts."""
    if not any(o.dtype.is_complex for o in outputs):
        return [("", differentiable)]

    def part(name: str) -> Callable[..., Any]:
        return lambda value: [getattr(o, name) if o.dtype.is_complex else o for o in differentiable(value)]

    words = "While considering the {} part of complex outputs only, "
    return [(words.format("imaginary"), part("imag")), (words.format("real"), part("real"))]


def check_constant(func: Callable[..., Any], given: Sequence[Any], checked: Checked, eps: float) -> None:
    """Raises GradcheckError: no output requires grad, and yet they depend on the inputs."""

    def every(value: Any) -> list[Tensor]:
        return [v for v in listed(value) if v.dtype.category >= dtypes.FLOAT and not v.dtype.is_complex]

    for _, tensor in checked:
        if any(np.any(jacobian) for jacobian in numerical_jacobian(func, given, tensor, eps, every)):
            raise GradcheckError("Numerical gradient for function expected to be zero")


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    gen_non_contig_grad_outputs: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    **options: Any,
) -> bool:
    """``torch.autograd.gradgradcheck``: `gradcheck` of the gradient itself.

    Raises:
        GradcheckError, ValueError, AssertionError: as `gradcheck`.
    """
    require_a_mode(
        {"check_fwd_over_rev": check_fwd_over_rev, "check_rev_over_rev": check_rev_over_rev},
        ("check_undefined_grad", options.get("check_undefined_grad", True), "check_rev_over_rev"),
        ("check_batched_grad", options.get("check_batched_grad", False), "check_rev_over_rev"),
    )
    given = tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)
    if grad_outputs is None:
        outputs = differentiable(func(*given))
        seeds = tuple(random_like(o, gen_non_contig_grad_outputs) for o in outputs)
    else:
        seeds = tuple(grad_outputs) if isinstance(grad_outputs, tuple | list) else (grad_outputs,)
    count = len(given)
    tracked = [i for i, value in enumerate((*given, *seeds)) if isinstance(value, Tensor) and value.requires_grad]

    def slope(*args: Any) -> Any:
        for i in tracked:  # forward mode hands over tensors outside any graph
            args[i].requires_grad_()
        produced = differentiable(func(*args[:count]))
        wanted = [args[i] for i in tracked if i < count]
        found = grad(produced, wanted, args[count:], create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    modes = {"check_forward_ad": check_fwd_over_rev, "check_backward_ad": check_rev_over_rev}
    return gradcheck(slope, (*given, *seeds), **modes, **options)


def random_like(output: Tensor, gaps: bool) -> Tensor:
    """A random gradient for an output, drawn from the program's generator; with ``gaps`` every second element of a larger tensor."""
    return make_tensor(
        output.shape, dtype=output.dtype, device="cpu", low=-1, high=1, requires_grad=True, noncontiguous=gaps
    )


__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]
