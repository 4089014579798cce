"""``torch._vmap_internals``: the first vmap, which tests of autograd still use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.transforms.vmap import vmap


def _vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, allow_none_pass_through: bool = False
) -> Callable[..., Any]:
    """`vmap`; with ``allow_none_pass_through`` the function may return None among its tensors."""

    def mapped(*args: Any) -> Any:
        absent: list[int] = []
        several: list[bool] = []

        def tensors_only(*example: Any) -> Any:
            returned = func(*example)
            several[:] = [isinstance(returned, tuple)]
            outputs = returned if isinstance(returned, tuple) else (returned,)
            absent[:] = [place for place, output in enumerate(outputs) if output is None]
            return tuple(output for output in outputs if output is not None)

        if not allow_none_pass_through:
            return vmap(func, in_dims, out_dims)(*args)
        found = list(vmap(tensors_only, in_dims, out_dims)(*args))
        for place in absent:
            found.insert(place, None)
        return tuple(found) if several[0] else found[0]

    return mapped


__all__ = ["_vmap", "vmap"]
