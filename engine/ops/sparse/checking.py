"""Gradient checks of functions of sparse tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from engine.tensor import Tensor


def as_sparse_gradcheck(gradcheck: Callable[..., Any]) -> Callable[..., Any]:
    """``torch.sparse.as_sparse_gradcheck``: the check, told that only stored places count (``masked=True``).

    What the function returns may be sparse too: its elements are compared.
    """

    @functools.wraps(gradcheck)
    def check(func: Callable[..., Any], inputs: Any, **options: Any) -> Any:
        given = inputs if isinstance(inputs, list | tuple) else (inputs,)
        masked = options.get("masked", any(isinstance(each, Tensor) and not each._strided for each in given))

        def dense(*arguments: Any) -> Any:
            returned = func(*arguments)
            outputs = returned if isinstance(returned, list | tuple) else (returned,)
            elements = tuple(in_full(output, masked) for output in outputs)
            return elements if outputs is returned else elements[0]

        return gradcheck(dense, inputs, **{"masked": True, **options})

    return check


def in_full(output: Any, masked: bool) -> Any:
    """All elements of a sparse output; anything else as it is."""
    if isinstance(output, Tensor) and not output._strided:
        return output.to_dense(masked_grad=masked)
    return output
