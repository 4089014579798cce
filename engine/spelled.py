"""Python names a type in its errors; the types that are C's in PyTorch are named there with their module."""

from __future__ import annotations

from typing import Any

from engine.errors import Explained


class Spelled:
    """Errors about a call or a missing attribute name the type as PyTorch's do (``'torch.Size' object is not callable``)."""

    __slots__ = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Nobody means to call a shape.

        Raises:
            TypeError: always, with what was probably meant.
        """
        raise TypeError(Explained(f"'{spelled(self)}' object is not callable", CALLED.get(spelled(self), "")))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'{spelled(self)}' object has no attribute '{name}'", name=name, obj=self)


CALLED = {
    "torch.Size": "A tensor's shape is read without parentheses: x.shape, x.shape[0]; x.size() is a call.",
    "torch.dtype": "A tensor's dtype is read without parentheses; to convert a tensor, write x.to(dtype).",
    "torch.device": "A tensor's device is read without parentheses; to move a tensor, write x.to(device).",
}
"""What was probably meant, by type."""


def spelled(value: object) -> str:
    """The name of a value's type, with PyTorch's module."""
    return f"{type(value).__module__}.{type(value).__name__}"
