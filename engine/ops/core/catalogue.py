"""The catalogue: every operator and function by where it is spelled.

Declaring registers; nothing is listed twice. ``TABLES["torch"]["mul"]`` is what ``torch.mul`` is, ``TABLES["tensor"]`` are the methods. The
namespace package ``engine.torch`` and the pages read from here. Tensor methods are attached as they are declared.

Some families are declared late (`LATE_FAMILIES`). A name that is looked up finds them; whoever goes through a whole table, or
through all operators, asks for `table` or `operators`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import FunctionType
from typing import Any

from engine.ops.core.inplace import InPlace
from engine.ops.core.methods import TensorMethod
from engine.ops.core.operator import Operator
from engine.ops.core.short import short_way
from engine.ops.core.spelled_call import PREFIXES
from engine.tensor import Tensor


class Table(dict[str, Any]):
    """The names of one place."""

    def __missing__(self, name: str) -> Any:
        """Raises KeyError only once the late families are declared, too."""
        declare_late_families()
        if name in self:
            return self[name]
        raise KeyError(name)


TABLES = {
    place: Table()
    for place in ("torch", "tensor", "functional", "linalg", "special", "fft", "signal", "masked", "internal")
}
OPERATORS: list[Operator] = []
"""Those declared so far; `operators` are all."""
LATE_FAMILIES: list[str] = []
"""Modules that declare further operators, imported when a name is asked for that is not here (`engine.ops` adds to them)."""
WHEN_DECLARED: list[Callable[[], None]] = []
"""Called once they are imported, and again whenever somebody asks: for who has a table's names of its own."""


def declare_late_families() -> None:
    """Declares what nobody has asked for yet. A thread that comes while another is at it waits for the import."""
    for family in LATE_FAMILIES:
        import_module(family)
    for show in WHEN_DECLARED:
        show()


def table(place: str) -> Table:
    """All names of one place."""
    declare_late_families()
    return TABLES[place]


def operators() -> list[Operator]:
    """All operators."""
    declare_late_families()
    return OPERATORS


def torch_function(name: str) -> Any:
    """A function of ``torch`` by name, looked up when called: families do not import each other."""
    return TABLES["torch"][name]


def complete() -> None:
    """Makes now what every operator puts off until it is used: for a process that is forked for each program."""
    for operator in operators():
        for part in ("kernel", "node_type", "result_type", "explanation"):
            getattr(operator, part)
    from engine.ops.core.argument_parser import prepare  # here, since importing torch should be quick

    prepare()


def add(operator: Operator, at: str, aliases: str, inplace: bool) -> None:
    """Registers an operator under all its spellings."""
    OPERATORS.append(operator)
    operator.short = short_way(operator)
    add_function(operator.name, operator, at, aliases)
    if inplace:
        twin = InPlace(operator)
        for spelled in (operator.name, *(a for a in aliases.split() if "." not in a)):
            function = twin if spelled == operator.name else called(f"{spelled}_", twin)
            if "tensor" in at.split():
                publish("tensor", f"{spelled}_", function)
            if "torch" in at.split():
                publish("torch", f"{spelled}_", function)


def add_function(name: str, function: Callable[..., Any], at: str, aliases: str = "") -> None:
    """Registers a callable; an alias may name its place (``special.expit``), else it goes where the name goes."""
    for place in at.split():
        publish(place, name, function)
    for alias in aliases.split():
        place, _, short = alias.rpartition(".")
        other = function if place in PREFIXES else called(short, function)
        for where in [place] if place else at.split():
            publish(where, short, other)


def called(name: str, function: Any) -> Any:
    """The same function under an alias: PyTorch has another function there, which says its own name."""
    if isinstance(function, property):
        return function

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = function.__doc__
    if isinstance(function, FunctionType):
        call.__wrapped__ = function  # whose parameters it has
    return call


def publish(place: str, name: str, function: Any) -> None:
    """Puts a callable into one table; methods are attached to the tensor class too."""
    if place in PREFIXES and isinstance(function, Operator | FunctionType):
        function = called(f"{place}_{name}", function)
    TABLES[place][name] = function
    if place == "tensor":
        if not isinstance(function, property):
            function = TensorMethod(function if isinstance(function, FunctionType) else method(function))
        setattr(Tensor, name, function)


def method(operator: Any) -> Callable[..., Any]:
    """The operator as a plain function, which Python binds to its first argument."""
    if isinstance(operator, Operator):
        return operator.short

    def call(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        return operator(self, *args, **kwargs)

    call.__name__, call.__doc__ = operator.name, operator.__doc__
    return call


def derived(cls: type[Tensor]) -> None:
    """A program has derived a class from ``torch.Tensor``, which functions now ask (`engine.ops.core.override_installation`)."""
    from engine.ops.core.override_installation import subclassed  # here, since importing torch should be quick

    subclassed(cls)


Tensor._on_subclass = staticmethod(derived)
