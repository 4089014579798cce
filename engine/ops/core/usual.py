"""Which types of arguments an operator's parameters are made for.

Kernels hardly look: numpy makes a tensor of a list, and a dimension of True. A call whose arguments are of usual types goes on at
once. Of any other, PyTorch's argument parser is asked first (`engine.ops.core.spelled_call.require_fit`); many satisfy it.
"""

from __future__ import annotations

from typing import Any

from engine.dtype import dtype
from engine.ops.core.parameters import MISSING, Parameters
from engine.ops.core.signature import RENAMED
from engine.size import Size
from engine.tensor import Parameter, Tensor

Types = frozenset[type]
TENSORS: Types = frozenset({Tensor, Parameter})
REAL: Types = frozenset({bool, int, float})
NUMBERS: Types = REAL | {complex}
ROWS: Types = frozenset({tuple, list, Size})
ANYTHING: Types = TENSORS | ROWS | {int, float, complex, str, dtype}
"""What stands for a parameter that says nothing about itself. A bool is no number there."""
ANNOTATED: dict[Any, Types] = {
    "Tensor": TENSORS,
    "Tensor | None": TENSORS | {type(None)},
    "bool": frozenset({bool}),
    "int": frozenset({int}),
    "int | None": frozenset({int, type(None)}),
    "float": REAL,
    "float | None": REAL | {type(None)},
    "Number": NUMBERS,
    "str": frozenset({str}),
}
"""By the annotation of a kernel's parameter, which Python keeps as text; classes stand for themselves where it does not."""
OPERANDS = frozenset(
    "self input other mat1 mat2 vec vec1 vec2 tensor1 tensor2 index mask src source end weight boundaries".split()
)
"""Parameters that are tensors, or numbers in their place."""
DIMENSIONS = frozenset("dim dims dim0 dim1 start_dim end_dim diagonal offset".split())
"""Parameters that are whole numbers, or rows of them."""


class Usual:
    """The usual types of a function's parameters, and the unusual ones that the parser has let through.

    Attributes:
        by_position: for the arguments that may be given without a name.
        by_name: of all.
        approved: types of calls (`types_of`) that need not be looked at again.
    """

    __slots__ = ("approved", "by_name", "by_position")

    def __init__(self, parameters: Parameters) -> None:
        self.by_name = {
            name: usual_types(name, parameters.annotations.get(name), default)
            for name, default in zip(parameters.names, parameters.defaults, strict=True)
        }
        single = parameters.positional if parameters.gathers is None else parameters.gathers
        self.by_name.setdefault("out", TENSORS)  # which a call may name though no kernel has it
        self.by_position = tuple([self.by_name[name] for name in parameters.names[:single]])
        for other, name in RENAMED.items():
            if name in self.by_name:
                self.by_name.setdefault(other, self.by_name[name])
        self.approved: set[Any] = set()

    def holds(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether all arguments are of usual types, or of types that the parser has let through."""
        kinds = types_of(args, kwargs) if kwargs else tuple(map(type, args))
        if kinds in self.approved:
            return True
        for kind, usual in zip(kinds[: len(args)], self.by_position):  # noqa: B905 (of either there may be more)
            if kind not in usual:
                return False
        for name, value in kwargs.items():
            named = self.by_name.get(name)
            if named is not None and type(value) not in named:
                return False
        self.approved.add(kinds)
        return True

    def approve(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Calls with arguments of these types need not be looked at again."""
        self.approved.add(types_of(args, kwargs))


def types_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The types of a call's arguments; the names of those that have one stand before theirs."""
    return (*map(type, args), *kwargs, *map(type, kwargs.values())) if kwargs else tuple(map(type, args))


def usual_types(name: str, annotation: Any, default: Any) -> Types:
    """The usual types of one parameter. None is usual only where the annotation says so, though it may be the default."""
    usual = ANNOTATED.get(annotation.__name__ if isinstance(annotation, type) else annotation)
    if usual is None:
        usual = TENSORS | NUMBERS if name in OPERANDS else ROWS | {int} if name in DIMENSIONS else ANYTHING
    if default is MISSING or default is None:
        return usual
    return usual | {type(default)}
