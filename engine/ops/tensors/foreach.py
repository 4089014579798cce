"""``torch._foreach_…``: one operator applied to every tensor of a list, as optimizers do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engine.ops.core.catalogue import TABLES, publish
from engine.tensor import Tensor

ALONE = (
    "abs acos asin atan ceil clone cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 max neg reciprocal round rsqrt "
    "sigmoid sign sin sinh sqrt tan tanh trunc zero"
)
"""Operators of one tensor."""
BESIDE = "add sub mul div maximum minimum clamp_max clamp_min pow lerp addcmul addcdiv copy mm"
"""Operators that take more: lists of tensors, lists of numbers, or one number or tensor for all."""


def each(function: Callable[..., Any], in_place: bool) -> Callable[..., Any]:
    """The function on every tensor of the first list, with the parts of the other lists that go with it."""

    def apply(self: Sequence[Tensor], *others: Any, **options: Any) -> tuple[Tensor, ...] | None:
        if not self:
            raise RuntimeError("Tensor list must have at least one tensor.")
        for other in others:
            if isinstance(other, list | tuple) and len(other) != len(self):
                raise RuntimeError(
                    f"Tensor lists must have the same number of tensors, got {len(self)} and {len(other)}"
                )
        parts = [
            [other[place] if isinstance(other, list | tuple) else other for other in others]
            for place in range(len(self))
        ]
        results = tuple(function(one, *rest, **options) for one, rest in zip(self, parts, strict=True))
        return None if in_place else results

    return apply


WITH_A_NUMBER = {"maximum": "clamp_min", "minimum": "clamp_max"}
"""What is done with one number for all, where the operator of one tensor takes tensors only."""


def taking_numbers(name: str) -> Callable[..., Any]:
    """A method of tensors by its name, or by the other one for a number."""
    of_tensors, of_numbers = getattr(Tensor, name), getattr(Tensor, WITH_A_NUMBER.get(name, name))
    if of_tensors is of_numbers:
        return of_tensors
    return lambda self, other: (of_tensors if isinstance(other, Tensor) else of_numbers)(self, other)


def norm_of(tensor: Tensor, ord: Any = 2, dtype: Any = None) -> Tensor:
    """The norm of all elements, which optimizers clip by."""
    made: Tensor = TABLES["linalg"]["vector_norm"](tensor, ord, dtype=dtype)
    return made


def offer(function: Callable[..., Any], spelled: str) -> None:
    """Makes ``torch._foreach_…`` of a function of one tensor."""
    made = each(function, spelled.endswith("_"))
    made.__name__, made.__doc__ = f"_foreach_{spelled}", f"``{spelled}`` of every tensor of a list."
    publish("torch", f"_foreach_{spelled}", made)


for _name in f"{ALONE} {BESIDE}".split():
    for _spelled in (_name, f"{_name}_"):
        if _spelled in TABLES["tensor"]:
            offer(taking_numbers(_spelled), _spelled)
offer(norm_of, "norm")
