"""Operators that PyTorch lets through forward and refuses in backward."""

from __future__ import annotations

from typing import Any


def unimplemented(name: str, arguments: str, namespace: str = "aten::") -> dict[str, Any]:
    """A derivative for each of the arguments (words) that raises PyTorch's "is not implemented".

    PyTorch refuses in two ways: generated refusals name the operator with its namespace, written ones do not. A trace tells the
    derivative by its ``refuses``: it has no formula to show.
    """

    def derivative(grad: Any) -> Any:
        if namespace:
            raise RuntimeError(f"derivative for {namespace}{name} is not implemented")
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

    derivative.refuses = True
    return dict.fromkeys(arguments.split(), derivative)
