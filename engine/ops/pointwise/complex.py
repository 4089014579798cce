"""Complex numbers: their parts, and making them."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.autograd.layout import is_dense
from engine.dtype_names import scalar_type
from engine.ops.core import conjugates
from engine.ops.core.declare import composite, operator, pointwise, view
from engine.ops.core.geometry import look
from engine.ops.core.inplace import apply_in_place
from engine.ops.pointwise.flat import zeros
from engine.ops.pointwise.precision import in_double
from engine.tensor import Tensor


@operator(formula="x̄", name="conj", at="internal", self=lambda grad: grad.conj())
def conjugate(self: Any) -> Any:
    """Flips the sign of the imaginary part, and of the gradient's."""
    return np.conj(self)


@composite(at="internal tensor", name="_conjugated")
def conjugated(self: Tensor) -> Tensor:
    """The complex conjugate as a derivative computes it, which is nothing put off; of a real tensor, itself."""
    return conjugate(self) if self._array.dtype.kind == "c" else self


@composite()
def conj(self: Tensor) -> Tensor:
    """The complex conjugate; of a real tensor, itself. Computed at once, and yet told apart (`engine.ops.core.conjugates`)."""
    if self._array.dtype.kind != "c":
        return self
    result: Tensor = conjugate(self)
    # A gradient with gaps, such as a sum's, is copied into its leaf by PyTorch, and so resolved: it is not told here.
    if not conjugates.is_conjugate(self) and (isinstance(self._array, np.generic) or is_dense(self._array)):
        conjugates.put_off(result)
    return result


@pointwise(
    formula="x̄",
    name="_conj_physical",
    at="internal",
    holomorphic=False,
    grad_fn="ConjPhysicalBackward0",
    self=lambda grad: grad.conj_physical(),
)
def conjugate_copy(self: Any) -> Any:
    """Flips the sign of the imaginary part, and of the gradient's."""
    return np.conj(self)


@composite(at="torch tensor")
def conj_physical_(self: Tensor) -> Tensor:
    """The complex conjugate, in place; of a real tensor, itself."""
    return apply_in_place(conjugate_copy, (self,)) if self._array.dtype.kind == "c" else self


@composite()
def conj_physical(self: Tensor) -> Tensor:
    """The complex conjugate as a copy; of a real tensor, itself."""
    return conjugate_copy(self) if self._array.dtype.kind == "c" else self


@view(
    formula="(Re x, Im x)",
    at="internal",
    name="view_as_real",
    is_window=False,
    self=lambda grad: view_as_complex(grad.contiguous()),
)
def real_pairs(self: Any) -> Any:
    """Complex numbers as pairs of real ones; the gradient's pairs become complex again.

    Raises:
        RuntimeError: real numbers.
    """
    if self.dtype.kind != "c":
        raise RuntimeError("view_as_real is only supported for complex tensors")
    if not self.ndim:
        return self.reshape(1).view(self.real.dtype)
    part = self.real
    return look(part, (*part.shape, 2), [*(n // part.itemsize for n in part.strides), 1])


@composite(at="torch")
def view_as_real(self: Tensor) -> Tensor:
    """Complex numbers as pairs of real ones, in the same memory.

    Raises:
        RuntimeError: they are not complex, or a conjugate that PyTorch would have put off.
    """
    if conjugates.is_conjugate(self):
        raise RuntimeError(
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can view it as real, "
            "use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the original."
        )
    return real_pairs(self)


@view(formula="x + iy", at="torch", is_window=False, self=lambda grad: view_as_real(grad.contiguous()))
def view_as_complex(self: Any) -> Any:
    """Pairs of real numbers as complex ones; the gradient becomes pairs again.

    Raises:
        RuntimeError: no pairs of neighbouring floats.
    """
    if self.dtype.kind != "f" or self.dtype.itemsize < 4:
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: "
            + str(self.dtype)
        )
    if not self.ndim:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if self.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if self.size and self.strides[-1] != self.itemsize:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    kind = np.dtype(np.complex64 if self.dtype == np.float32 else np.complex128)
    if not self.size:
        return np.empty(self.shape[:-1], kind)
    strides, rest = (
        zip(*(divmod(n, kind.itemsize) for n in self.strides[:-1]), strict=True) if self.ndim > 1 else ((), ())
    )
    if any(rest):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    first = look(self, (2,), [1]).view(kind)
    return look(first, self.shape[:-1], list(strides))


@composite()
def real(self: Tensor) -> Tensor:
    """The real part: a view; of a real tensor, itself."""
    return real_pairs(self).select(self._array.ndim, 0) if self._array.dtype.kind == "c" else self


@composite()
def imag(self: Tensor) -> Tensor:
    """The imaginary part: a view.

    Raises:
        RuntimeError: for a real tensor.
    """
    if self._array.dtype.kind != "c":
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return real_pairs(self).select(self._array.ndim, 1)


def angle_backward(grad: Tensor, self: Tensor) -> Tensor:
    """Zero for real numbers; ``i·x/|x|² · grad`` for complex ones."""
    if not self.dtype.is_complex:
        return zeros(grad)
    share = self / self.abs().pow(2) * 1j * grad
    return share.masked_fill(self == 0, 0)


@pointwise(
    formula="arg x", to_float=True, inplace=False, holomorphic=False, self=lambda grad, self: angle_backward(grad, self)
)
def angle(self: Any) -> Any:
    """The angle from the positive axis: 0 or π for real numbers, so their gradient is zero."""
    if self.dtype.kind == "c":
        return in_double(np.arctan2, self.imag, self.real)
    turned = np.where(self < 0, self.dtype.type(np.pi), self.dtype.type(0))
    return np.where(np.isnan(self), self, turned)[()]


@operator(
    order="elementwise",
    formula="x + i·y",
    at="torch",
    name="complex",
    saves="imag real",
    real=lambda grad: grad.real,
    imag=lambda grad: grad.imag,
)
def complex_(real: Any, imag: Any) -> Any:
    """A complex number from its two parts; each gets its part of the gradient."""
    require_parts(real, imag)
    made = np.empty(np.broadcast_shapes(np.shape(real), np.shape(imag)), dtypes.BY_ARRAY[real.dtype].to_complex().array)
    made.real, made.imag = real, imag
    return made


PARTS = frozenset({"float16", "float32", "float64"})
"""Element types that a complex number's parts may have."""


def require_parts(first: Any, second: Any) -> None:
    """Refuses two parts of a complex number that are not of one floating type.

    Raises:
        RuntimeError: in PyTorch's words.
    """
    one, two = scalar_type(first), scalar_type(second)
    if first.dtype.name not in PARTS or second.dtype.name not in PARTS:
        raise RuntimeError(f"Expected both inputs to be Half, Float or Double tensors but got {one} and {two}")
    if one != two:
        raise RuntimeError(f"Expected object of scalar type {one} but got scalar type {two} for second argument")


def polar_backward(grad: Tensor, result: Tensor) -> Any:
    """Along the result's direction for the length, across it for the angle."""
    pulled = grad.conj()
    return (pulled * result.sgn()).real, (pulled * (result * 1j)).real


@operator(
    order="elementwise",
    formula="r · (cos φ + i sin φ)",
    at="torch",
    differentiable="abs angle",
    joint=lambda grad, result: polar_backward(grad, result),
)
def polar(abs: Any, angle: Any) -> Any:
    """A complex number from its length and its angle; the length gets the part of the gradient that points along it."""
    require_parts(abs, angle)
    made = np.empty(np.broadcast_shapes(np.shape(abs), np.shape(angle)), dtypes.BY_ARRAY[abs.dtype].to_complex().array)
    made.real, made.imag = abs * np.cos(angle), abs * np.sin(angle)
    return made


@composite()
def resolve_conj(self: Tensor) -> Tensor:
    """A copy of a conjugate that PyTorch would have put off; itself otherwise."""
    return self.clone() if conjugates.is_conjugate(self) else self


@composite()
def resolve_neg(self: Tensor) -> Tensor:
    """A copy of the imaginary part of a conjugate that PyTorch would have put off; itself otherwise."""
    return self.clone() if conjugates.is_negative(self) else self


@composite()
def is_complex(self: Tensor) -> bool:
    """Whether its elements are complex."""
    return self.dtype.is_complex


@composite()
def is_conj(self: Tensor) -> bool:
    """Whether PyTorch would have put the conjugation off."""
    return conjugates.is_conjugate(self)


@composite()
def is_neg(self: Tensor) -> bool:
    """Whether PyTorch would have put the sign off: that of a put-off conjugate's imaginary part."""
    return conjugates.is_negative(self)


@composite()
def is_floating_point(self: Tensor) -> bool:
    """Whether its elements are real floating-point numbers."""
    return self.dtype.is_floating_point


def write_part(which: str) -> Any:
    """``z.real = …`` writes into the part."""

    def write(self: Tensor, value: Any) -> None:
        getattr(Tensor, which).fget(self).copy_(value)

    return write


Tensor.real = property(real, write_part("real"), doc=real.__doc__)
Tensor.imag = property(imag, write_part("imag"), doc=imag.__doc__)
