"""The names under which ``torch.ops`` knows operators: a packet (``aten.add``) of overloads (``aten.add.Tensor``).

There is one object per name, so that what a dispatch mode is shown can be compared with what the person wrote.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.ops.core.operator import Operator
from engine.tensor import Tensor


class OpOverload:
    """One overload; a call calls the operator itself while a dispatch mode is asked about it, else the function of that name."""

    def __init__(self, packet: OpOverloadPacket, overload: str) -> None:
        self.overloadpacket, self._overloadname = packet, overload
        self.__name__ = f"{packet.__name__}.{overload}"
        self.asked: list[Callable[..., Any]] = []
        """What a call means now, innermost last (`engine.ops.core.dispatch`)."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Computes."""
        return self.asked[-1](*args, **kwargs) if self.asked else self.overloadpacket(*args, **kwargs)

    def name(self) -> str:
        """As in C++."""
        suffix = "" if self._overloadname == "default" else f".{self._overloadname}"
        return f"{self.overloadpacket.namespace}::{self.overloadpacket.__name__}{suffix}"

    def __str__(self) -> str:
        return f"{self.overloadpacket.namespace}.{self.__name__}"

    def __repr__(self) -> str:
        packet = self.overloadpacket
        return f"<OpOverload(op='{packet.namespace}.{packet.__name__}', overload='{self._overloadname}')>"


class OpOverloadPacket:
    """All overloads of one operator; which is meant by a call, the arguments tell."""

    def __init__(self, namespace: str, name: str) -> None:
        self.namespace, self.__name__ = namespace, name
        self.function: Callable[..., Any] | None = None
        """The function of this name, for calls by hand."""
        self.known: dict[str, OpOverload] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function."""
        if self.function is None:
            raise RuntimeError(f"{self} cannot be called by hand here; use the function of torch that stands for it")
        return self.function(*args, **kwargs)

    def __getattr__(self, overload: str) -> OpOverload:
        if overload.startswith("__"):
            raise AttributeError(overload)
        return self.known.setdefault(overload, OpOverload(self, overload))

    def __str__(self) -> str:
        return f"{self.namespace}.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self}')>"


for _kind in (OpOverload, OpOverloadPacket):
    _kind.__module__ = "torch._ops"

_packets: dict[str, OpOverloadPacket] = {}


def packet(name: str) -> OpOverloadPacket:
    """The packet of ``aten`` of this name, whether or not there is a function to call."""
    if name not in _packets:
        _packets[name] = OpOverloadPacket("aten", name)
    return _packets[name]


def overload_of(operator: Operator, arguments: tuple[Any, ...], in_place: bool = False) -> OpOverload:
    """Under which name a dispatch mode is shown a call of this operator."""
    name = NAMES.get(operator.name, operator.name)
    chosen = BY_NODE.get(operator.class_name) or BY_NAME.get(operator.name)
    if chosen is None:
        other = arguments[1] if len(arguments) > 1 else None
        beside = operator.name in COMPARING
        chosen = "default" if not beside else "Tensor" if isinstance(other, Tensor) else "Scalar"
    made: OpOverload = getattr(packet(f"{name}_" if in_place else name), chosen)
    return made


NAMES = {"log_softmax": "_log_softmax", "softmax": "_softmax", "slice": "slice"}
"""PyTorch's names of operators, where they are not the function's."""
COMPARING = frozenset("eq ne lt le gt ge lerp masked_fill fmod remainder floor_divide rsub".split())
"""Operators with an overload for a tensor and one for a number."""
BY_NAME = {
    **dict.fromkeys(("add", "sub", "mul", "div", "bitwise_and", "bitwise_or", "bitwise_xor", "slice", "split", "index"), "Tensor"),
    **dict.fromkeys(("select", "transpose", "unbind"), "int"),
    **dict.fromkeys(("var", "std", "var_mean", "std_mean"), "correction"),
    "where": "self",
}  # fmt: skip
BY_NODE = {
    "FillBackward2": "Scalar", "FillBackward3": "Tensor", "MaskedFillBackward0": "Scalar", "IndexFillBackward0": "int_Scalar",
    "IndexFillBackward1": "int_Tensor",
    "SumBackward1": "dim_IntList", "MeanBackward1": "dim", "ProdBackward1": "dim_int", "MaxBackward0": "dim", "MinBackward0": "dim",
    "PowBackward0": "Tensor_Scalar", "PowBackward1": "Tensor_Tensor", "PowBackward2": "Scalar", "SqueezeBackward1": "dim",
    "SqueezeBackward2": "dims", "DivBackward2": "Tensor_mode", "ScatterBackward0": "src", "ScatterBackward1": "value",
    "ScatterReduceBackward0": "two",
}  # fmt: skip
