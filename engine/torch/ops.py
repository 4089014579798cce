"""``torch.ops.aten``: PyTorch's operators by their own names, as ``torch.ops.aten.add`` or ``torch.ops.aten.add.Tensor``.

An overload is called as the function is: which one is meant, the arguments tell.
"""

from __future__ import annotations

from typing import Any

from engine.errors import NotHere, explained
from engine.ops.core.catalogue import TABLES

PLACES = ("torch", "functional", "linalg", "special", "fft", "internal", "tensor")


class Packet:
    """All overloads of one operator."""

    def __init__(self, name: str, function: Any, overload: str = "") -> None:
        self._name, self._function, self._overload = name, function, overload
        self.__name__ = name if not overload else f"{name}.{overload}"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function."""
        return self._function(*args, **kwargs)

    def __getattr__(self, overload: str) -> Packet:
        if overload.startswith("__") or self._overload:
            raise AttributeError(overload)
        return Packet(self._name, self._function, overload)

    def __repr__(self) -> str:
        return f"aten.{self.__name__}"


class Namespace:
    """``torch.ops.aten``."""

    def __getattr__(self, name: str) -> Packet:
        if name.startswith("__"):
            raise AttributeError(name)
        for place in PLACES:
            if name in TABLES[place]:
                return Packet(name, TABLES[place][name])
        raise NotHere(
            explained(
                f"'_OpNamespace' 'aten' object has no attribute '{name}'",
                "This engine has no operator of that name; most are functions of torch, torch.linalg or torch.nn.functional.",
            )
        )


aten = Namespace()
