"""Where ``__torch_function__`` gets its say: the question is put in front of every function, method and attribute.

Nothing of it is done until a program derives a class from ``torch.Tensor`` or enters a mode.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

from engine.ops.core.catalogue import TABLES, operators
from engine.ops.core.methods import TensorMethod
from engine.ops.core.operator_node import TENSOR_ENTRIES
from engine.ops.core.overriding import OWN, Attribute, default, overridable, state
from engine.tensor import Tensor, disabled_torch_function

PYTHON_OPERATORS = {
    "__radd__": "add", "__sub__": "sub", "__rmul__": "mul", "__truediv__": "div", "__rtruediv__": "__rdiv__", "__mod__": "remainder",
    "__ne__": "ne", "__iadd__": "add_", "__isub__": "sub_", "__imul__": "mul_", "__itruediv__": "div_", "__pos__": "positive",
} | {f"__{name}__": name for name in "add mul pow neg abs matmul gt ge lt le".split()}  # fmt: skip
"""How PyTorch calls the function behind an operator of Python's, where it is not the operator's own name."""
NEVER = frozenset(
    "__init__ __new__ __class__ __hash__ __getattr__ __setattr__ __dir__ __reduce_ex__ __torch_function__ __init_subclass__ "
    "__class_getitem__ __array_priority__ as_subclass".split()
)
"""Methods that ask nobody: Python calls them, or they are the asking itself."""
NOT_ABOUT_TENSORS = frozenset(
    "is_tensor is_storage manual_seed seed initial_seed thread_safe_generator save load compile typename from_numpy frombuffer "
    "broadcast_shapes".split()
)
"""Functions that ask nobody; so do those that set and get."""
OF_DATA = frozenset("tensor as_tensor asarray sparse_coo_tensor".split())
"""Functions that ask modes, but not the classes of what they are given."""
VALUES = frozenset({"T", "mT", "H", "mH", "data", "real", "imag"})
"""Attributes that are tensors of the same class again."""


def reader(attribute: property) -> Callable[[Any], Any]:
    """The attribute as a function of the tensor."""

    def read(tensor: Any) -> Any:
        return attribute.__get__(tensor)

    return read


def subclassed(cls: type[Tensor]) -> None:
    """A program has derived a class from ``torch.Tensor``: functions ask it from now on."""
    install()
    TENSOR_ENTRIES.add(cls)
    inherited = cls.__torch_function__
    if getattr(inherited, "__func__", inherited) is disabled_torch_function:
        return
    plain = getattr(inherited, "__func__", None) is default
    attributes = {name: value for owner in reversed(Tensor.__mro__) for name, value in vars(owner).items()}
    for name, value in attributes.items():
        if type(value) is property and getattr(cls, name) is value and (name[0] != "_" or name == "_version"):
            if plain and name not in VALUES:
                continue
            shown = Attribute(name)
            asking = shown.read = overridable(reader(value), shown)
            setattr(cls, name, property(asking, value.fset, value.fdel, value.__doc__))


def install() -> None:
    """Puts the question in front of every function and method, once."""
    if state.installed:
        return
    state.installed = True
    Tensor.__torch_function__ = classmethod(default)
    for operator in operators():
        operator.short = overridable(operator.short, operator)
    in_place_of: dict[int, Any] = {}
    for place, table in TABLES.items():
        if place not in ("tensor", "internal"):
            for name, function in table.items():
                silent = name in NOT_ABOUT_TENSORS or name.startswith(("set_", "get_", "is_grad", "is_inference"))
                if isinstance(function, FunctionType) and not silent:
                    table[name] = in_place_of[id(function)] = in_place_of.get(id(function)) or overridable(
                        function, of_data=name in OF_DATA
                    )
    for module in [m for n, m in sys.modules.items() if n.startswith(OWN)]:
        for name, value in list(vars(module).items()):
            if id(value) in in_place_of:
                setattr(module, name, in_place_of[id(value)])
    methods = [(n, v) for n, v in vars(Tensor).items() if n not in NEVER and (n[0] != "_" or n.startswith("__"))]
    for name, value in methods:
        if isinstance(value, TensorMethod):
            setattr(Tensor, name, asking_method(value.function))
    for name, value in methods:
        if isinstance(value, FunctionType):
            spelled = PYTHON_OPERATORS.get(name, name)
            known = vars(Tensor).get(spelled)
            shown = known if isinstance(known, TensorMethod) else asking_method(value, spelled)
            setattr(Tensor, name, overridable(value, shown, operator=name.startswith("__")))


def asking_method(function: Callable[..., Any], name: str = "") -> TensorMethod:
    """A method that asks first, and is itself what a class is shown."""
    method = TensorMethod(function)
    method.__name__ = name or function.__name__
    asking = overridable(function, method)
    TensorMethod.__init__(method, asking)
    method.__name__ = name or function.__name__
    return method
