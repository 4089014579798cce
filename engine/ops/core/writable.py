"""Which tensors may be written to, and with which values: PyTorch's rules for in-place operators."""

from __future__ import annotations

from typing import Any

from engine import dtype as dtypes
from engine.autograd.modes import state as modes
from engine.dtype_names import SCALAR_TYPE
from engine.ops.core.dimension import common_shape
from engine.tensor import Tensor


def check_writable(target: Any, arguments: tuple[Any, ...] = ()) -> None:
    """PyTorch's rule: no in-place write to a leaf that requires grad, nor to some views, while recording.

    Restricted views may still be written to when nothing among the call's ``arguments`` requires grad.

    Raises:
        RuntimeError: with PyTorch's opening words.
        TypeError: for what is no tensor.
    """
    if not isinstance(target, Tensor):
        raise TypeError(f"an in-place operation needs a Tensor to write into, not {type(target).__name__}")
    if not modes.grad_enabled or modes.inference:
        return
    if target._base is not None and any_requires_grad(arguments or (target,)):
        target._check_view_writable()
    if target._node is None and target.requires_grad:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")


def check_fits(target: Tensor, value: Any) -> None:
    """The value must broadcast to the target, and not lose its category on the way.

    Raises:
        RuntimeError: another shape, or a category that would be lost.
    """
    check_shape(target, getattr(value, "shape", ()))
    kind = getattr(value, "dtype", None)
    if kind is not None and kind != target._array.dtype:
        have, want = dtypes.BY_ARRAY[kind], target.dtype
        if have.category > want.category:
            raise RuntimeError(
                f"result type {SCALAR_TYPE[have.name]} can't be cast to the desired output type {SCALAR_TYPE[want.name]}"
            )


def check_shape(target: Tensor, shape: tuple[int, ...]) -> None:
    """Raises RuntimeError: a value of this shape does not broadcast to the target."""
    have = target._array.shape
    if shape != have:
        full = common_shape(have, shape)
        if full != have:
            raise RuntimeError(f"output with shape {list(have)} doesn't match the broadcast shape {list(full)}")


def any_requires_grad(arguments: tuple[Any, ...]) -> bool:
    """Whether a tensor among the arguments (lists included) requires grad."""
    for argument in arguments:
        if isinstance(argument, Tensor):
            if argument.requires_grad:
                return True
        elif isinstance(argument, list | tuple) and any(isinstance(a, Tensor) and a.requires_grad for a in argument):
            return True
    return False
