"""Operators that PyTorch lets through forward and refuses in backward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def unimplemented(name: str, arguments: str, namespace: str = "aten::") -> dict[str, Callable[..., Any]]:
    """A derivative for each of the arguments (words) that raises PyTorch's "is not implemented"."""

    def derivative(grad: Any) -> Any:
        raise RuntimeError(
            f"derivative for {namespace}{name} is not implemented"
            if namespace
            else f"the derivative for '{name}' is not implemented."
        )

    return dict.fromkeys(arguments.split(), derivative)
