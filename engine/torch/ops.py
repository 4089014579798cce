"""``torch.ops.aten``: PyTorch's operators by their own names, as ``torch.ops.aten.add`` or ``torch.ops.aten.add.Tensor``.

An overload is called as the function is: which one is meant, the arguments tell.
"""

from __future__ import annotations

from engine.errors import NotHere, explained
from engine.ops.core.catalogue import OPERATORS, TABLES
from engine.ops.core.overloads import NAMES, OpOverloadPacket, packet

PLACES = ("torch", "functional", "linalg", "special", "fft", "internal", "tensor")


METHODS = frozenset({"unfold"})
"""Operators that have the name of another function of ``torch.nn.functional``."""


class Namespace:
    """``torch.ops.aten``."""

    def __getattr__(self, name: str) -> OpOverloadPacket:
        if name.startswith("__"):
            raise AttributeError(name)
        made = packet(name)
        if made.function is None:
            places = PLACES[::-1] if name in METHODS else PLACES
            made.function = next((TABLES[place][name] for place in places if name in TABLES[place]), None)
        if made.function is None and name not in internal_names():
            raise NotHere(
                explained(
                    f"'_OpNamespace' 'aten' object has no attribute '{name}'",
                    "This engine has no operator of that name; most are functions of torch, torch.linalg or torch.nn.functional.",
                )
            )
        return made


def internal_names() -> set[str]:
    """What operators are called that no function of torch has the name of, and their in-place twins."""
    names = {NAMES.get(operator.name, operator.name) for operator in OPERATORS}
    return names | {f"{name}_" for name in names}


aten = Namespace()
