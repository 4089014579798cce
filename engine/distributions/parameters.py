"""Parameters of distributions: brought to one shape; probabilities from logits, and the other way round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine import dtype as dtypes
from engine.autograd.modes import enable_grad
from engine.ops.core.catalogue import TABLES
from engine.ops.factories.creation import tensor
from engine.ops.layout.expansion import broadcast_tensors
from engine.tensor import Tensor
from engine.type_info import finfo


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Tensors of one shape; numbers take the dtype of the first tensor, or the default one.

    Raises:
        ValueError: something is neither number nor tensor.
    """
    if not all(isinstance(value, Tensor | bool | int | float) for value in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    dtype = next((value.dtype for value in values if isinstance(value, Tensor)), dtypes.defaults.floating)
    made = [value if isinstance(value, Tensor) else tensor(value, dtype=dtype) for value in values]
    return broadcast_tensors(*made)


def function_of(place: str, name: str) -> Callable[..., Any]:
    """A function of ``torch`` or ``torch.linalg``."""
    function: Callable[..., Any] = TABLES[place][name]
    return function


def functional(name: str) -> Callable[..., Any]:
    """A function of ``torch.nn.functional``."""
    function: Callable[..., Any] = TABLES["functional"][name]
    return function


def filled_like(tensor: Tensor, value: float) -> Tensor:
    """The same number everywhere."""
    filled: Tensor = function_of("torch", "full_like")(tensor, value)
    return filled


def clamp_probs(probs: Tensor) -> Tensor:
    """Probabilities kept one rounding away from 0 and 1, so that their logarithm is finite."""
    eps = finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Log-odds of binary probabilities, else logarithms."""
    clamped = clamp_probs(probs)
    return clamped.log() - (-clamped).log1p() if is_binary else clamped.log()


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """The inverse: sigmoid, else softmax."""
    return logits.sigmoid() if is_binary else logits.softmax(-1)


def sum_rightmost(value: Tensor, dims: int) -> Tensor:
    """Sum over the last ``dims`` dimensions."""
    return value.reshape(*value.shape[:-dims], -1).sum(-1) if dims else value


def xlogx(x: Tensor) -> Tensor:
    """x ln x, and 0 at 0."""
    return x.xlogy(x)


def below_diagonal(n: int, diag: int) -> Tensor:
    """A mask of an n × n matrix: what is not above the ``diag``-th diagonal."""
    rows = TABLES["torch"]["arange"](n)
    mask: Tensor = rows < rows.view(-1, 1) + (diag + 1)
    return mask


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """Vectors to matrices that hold them, row by row, on and below the ``diag``-th diagonal.

    Raises:
        ValueError: no square matrix has so many elements there.
        RuntimeError: the same, where the nearest matrix is too small.
    """
    count, slope = vec.shape[-1], 1 + 2 * diag
    side = (-slope + (slope * slope + 8 * count + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    if round(side) - side > finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {count} which cannot be expressed as the lower triangular part of a square D x D matrix."
        )
    n = round(side)
    matrix = vec.new_zeros((*vec.shape[:-1], n, n))
    matrix[..., below_diagonal(n, diag)] = vec
    return matrix


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """Of matrices what lies on and below the ``diag``-th diagonal, row by row.

    Raises:
        ValueError: no such diagonal.
    """
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    vector: Tensor = mat[..., below_diagonal(n, diag)]
    return vector


class Lazy:
    """An attribute computed, with gradients, when first asked for."""

    def __init__(self, compute: Callable[[Any], Tensor]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        with enable_grad():
            value = instance.__dict__[self._name] = self._compute(instance)
        return value
