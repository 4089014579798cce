"""All parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

from engine.ops.core.catalogue import TABLES
from engine.tensor import Tensor


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All elements of all parameters, one after the other."""
    return TABLES["torch"]["cat"]([parameter.view(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Lets every parameter look at its part of the vector.

    Raises:
        TypeError: ``vec`` is no tensor.
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    offset = 0
    for parameter in parameters:
        size = parameter.numel()
        parameter.data = vec[offset : offset + size].view_as(parameter).data
        offset += size
