"""``torch.ops.aten``: PyTorch's operators by their own names, as ``torch.ops.aten.add`` or ``torch.ops.aten.add.Tensor``.

An overload is called as the function is: which one is meant, the arguments tell.
"""

from __future__ import annotations

from typing import Any

from engine.errors import NotHere, explained
from engine.ops.core.catalogue import operators, table
from engine.ops.core.overloads import NAMES, OpOverloadPacket, packet
from engine.transforms.custom_operators import CustomOpDef, defined
from engine.utils.profiling.session import record_function

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
            made.function = next((names[name] for names in map(table, places) if name in names), None)
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
    names = {NAMES.get(operator.name, operator.name) for operator in operators()}
    return names | {f"{name}_" for name in names}


aten = Namespace()


class Profiler:
    """``torch.ops.profiler``: the functions behind ``record_function``."""

    @staticmethod
    def _record_function_enter(name: str, args: str | None = None) -> record_function:
        """A named stretch begins."""
        return record_function(name, args).__enter__()

    @staticmethod
    def _record_function_exit(handle: record_function) -> None:
        """It ends."""
        handle.__exit__()

    _record_function_enter_new = _record_function_enter


profiler = Profiler()


class Overload:
    """``torch.ops.mylib.f.default``: a program's own operator, called as it is."""

    def __init__(self, operator: CustomOpDef) -> None:
        self._qualname, self._operator, self._schema = operator._qualname, operator, operator._schema

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The operator's result."""
        return self._operator(*args, **kwargs)

    def name(self) -> str:
        """As in C++."""
        return self._qualname

    def __str__(self) -> str:
        return f"{self._qualname.replace('::', '.')}.default"

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self._qualname.replace('::', '.')}', overload='default')>"


class Packet(Overload):
    """``torch.ops.mylib.f``."""

    def __init__(self, operator: CustomOpDef) -> None:
        super().__init__(operator)
        self.default = Overload(operator)

    def __str__(self) -> str:
        return self._qualname.replace("::", ".")

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self._qualname.replace('::', '.')}')>"


class OwnNamespace:
    """``torch.ops.mylib``: the operators that the program made there."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Packet:
        operator = defined.get(f"{self._name}::{name}")
        if operator is None:
            raise AttributeError(f"'_OpNamespace' '{self._name}' object has no attribute '{name}'")
        return Packet(operator)


def __getattr__(name: str) -> OwnNamespace:
    if name.startswith("__"):
        raise AttributeError(name)
    return OwnNamespace(name)
