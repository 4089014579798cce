"""Complex numbers have no order: what is said to comparisons, sorting and rounding of them."""

from __future__ import annotations

from typing import Any

from engine.dtype_names import SCALAR_TYPE

OTHERWISE: dict[str, Exception] = {
    "sort": RuntimeError(" Sort does not support complex dtypes on CPU"),
    "topk": RuntimeError(" topk does not support complex dtypes on CPU"),
    "argmax": RuntimeError("argmax(): does not support complex input"),
    "argmin": RuntimeError("argmin(): does not support complex input"),
    "maximum": RuntimeError("maximum not implemented for complex tensors."),
    "minimum": RuntimeError("minimum not implemented for complex tensors."),
    "clamp": NotImplementedError("clamp is not supported for complex types"),
    "signbit": NotImplementedError("signbit is not implemented for complex tensors."),
    "floor": NotImplementedError("floor is not supported for complex inputs"),
    "ceil": NotImplementedError("ceil is not supported for complex inputs"),
    "trunc": NotImplementedError("trunc is not supported for complex inputs"),
    "sign": NotImplementedError(
        "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead."
    ),
}
"""Most refusals name PyTorch's kernel; these do not."""


def forbid_complex(array: Any, name: str) -> None:
    """Refuses complex numbers.

    Args:
        array: the argument.
        name: PyTorch's name of the operator, or of its kernel (``max_all``).

    Raises:
        NotImplementedError, RuntimeError: in PyTorch's words.
    """
    dtype = getattr(array, "dtype", None)
    if dtype is None or dtype.kind != "c":
        return
    if name in OTHERWISE:
        raise type(OTHERWISE[name])(*OTHERWISE[name].args)
    raise NotImplementedError(f"\"{name}\" not implemented for '{SCALAR_TYPE[dtype.name]}'")
