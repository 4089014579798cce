"""Gradient checks of functions of sparse tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


def as_sparse_gradcheck(gradcheck: Callable[..., Any]) -> Callable[..., Any]:
    """``torch.sparse.as_sparse_gradcheck``: the check, told that only stored places count (``masked=True``)."""

    @functools.wraps(gradcheck)
    def check(func: Callable[..., Any], inputs: Any, **options: Any) -> Any:
        return gradcheck(func, inputs, **{"masked": True, **options})

    return check
