"""What a node keeps of a call, name by name, and all of it at once: the plan.

A keeper is a function of the call; where its work is one expression it says that too, as text. A plan is one function made of
those texts, since every recorded call runs one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from engine.autograd.saved import FREED, save_input, save_result
from engine.ops.core.geometry import contiguous_strides, offset_of, strides_of
from engine.ops.core.operator import Operator
from engine.ops.core.operator_node import TENSOR_ENTRIES
from engine.ops.core.saved_numbers import SavedScalar
from engine.size import size_of
from engine.tensor import Parameter, Tensor

NUMBER = (int, float, complex)
Plan = Callable[[Sequence[Any], list[Any], list[bool]], tuple[Any, ...]]
"""``(arguments, results, needs) -> entries``; ``needs`` tells which differentiable arguments need a gradient."""


class Keeper:
    """How one name is kept.

    Attributes:
        text: an expression of ``arguments``, ``results`` and ``needs``, which may call the function as ``keep``.
        function: the same, where the expression is not all of it.
        plain: the entry is never a tensor.
    """

    __slots__ = ("function", "plain", "text")

    def __init__(
        self,
        text: str,
        function: Callable[[Sequence[Any], list[Any], list[bool]], Any] | None = None,
        plain: bool = False,
    ) -> None:
        self.text, self.function, self.plain = text, function, plain


CALL = "keep(arguments, results, needs)"
"""The text of a keeper that is its function."""


def plan_of(keepers: Sequence[Keeper]) -> Plan:
    """One function that keeps all of it."""
    texts = [keeper.text.replace("keep(", f"keep{place}(") + ", " for place, keeper in enumerate(keepers)]
    functions = [f"keep{place}" for place in range(len(keepers))]
    made: Plan = eval(  # names come from our own declarations only
        f"lambda {', '.join(functions)}: lambda arguments, results, needs: ({''.join(texts)})", USED
    )(*[keeper.function for keeper in keepers])
    return made


def without_tensors(keepers: Sequence[Keeper]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """``entries -> entries`` without the tensors among them."""
    texts = [
        f"saved[{place}], "
        if keeper.plain
        else f"FREED if type(saved[{place}]) in TENSOR_ENTRIES else saved[{place}], "
        for place, keeper in enumerate(keepers)
    ]
    made: Callable[[Sequence[Any]], tuple[Any, ...]] = eval(f"lambda saved: ({''.join(texts)})", USED)
    return made


def keeper(operator: Operator, name: str, guard: int | None, is_tensor: bool) -> Keeper:
    """How to keep one name that derivatives ask for.

    Args:
        guard: the only derivative that asks for it.
        is_tensor: a number may stand for it, but PyTorch keeps a tensor.

    Raises:
        TypeError: the derivative asks for what is neither a parameter nor an output.
    """
    index = operator.signature.index
    if name == "result" or name in operator.outputs or (name.startswith("result") and name[6:].isdigit()):
        number = operator.outputs.index(name) if name in operator.outputs else int(name[6:] or 0)
        operator.keeps_tensors = True
        return Keeper(f"save_result(results[{number}], results[{number}]._output_nr)")
    described = METADATA.fullmatch(name)
    if described is not None and described["argument"] in index:
        return metadata_keeper(index[described["argument"]], described["what"])
    if described is not None and described["argument"] in operator.outputs:
        output, read = operator.outputs.index(described["argument"]), reader(described["what"])
        return Keeper(CALL, lambda arguments, results, needs: read(results[output]), plain=True)
    if name not in index:
        raise TypeError(f"{operator.name}: a derivative asks for '{name}', which is neither a parameter nor an output")
    return argument_keeper(operator, index[name], guard, is_tensor)


def argument_keeper(operator: Operator, position: int, guard: int | None, is_tensor: bool) -> Keeper:
    """Keeps an argument: tensors guarded, numbers as PyTorch would see them, the rest as it is."""
    signature = operator.signature
    if position >= signature.positional and position in (*signature.numbers, *signature.flags, *signature.whole):
        # Named in the call: a tensor in its place has become a number.
        return Keeper(f"arguments[{position}]", plain=True)

    def keep(arguments: Sequence[Any], results: list[Any], needs: list[bool]) -> Any:
        argument = arguments[position]
        if isinstance(argument, Tensor):
            operator.keeps_tensors = True
            return save_input(argument) if guard is None or needs[guard] else None
        if is_tensor and isinstance(argument, NUMBER):
            return SavedScalar(argument) if guard is None or needs[guard] else None
        if type(argument) in (list, tuple) and any(isinstance(a, Tensor) for a in argument):
            operator.keeps_lists = operator.keeps_tensors = operator.spreads = True
            return [save_input(a) if isinstance(a, Tensor) else a for a in argument]
        return argument

    if not is_tensor and position not in operator.tensors:
        return Keeper(CALL, keep)
    operator.keeps_tensors = True
    argument = f"arguments[{position}]"
    saved = f"save_input({argument})" if guard is None else f"(save_input({argument}) if needs[{guard}] else None)"
    return Keeper(f"{saved} if type({argument}) in PLAIN else {CALL}", keep)


def metadata_keeper(position: int, what: str) -> Keeper:
    """Keeps a property of an argument (of each, for a list of tensors)."""
    read = reader(what)

    def keep(arguments: Sequence[Any], results: list[Any], needs: list[bool]) -> Any:
        argument = arguments[position]
        if isinstance(argument, Tensor):
            return read(argument)
        if type(argument) in (list, tuple):
            return [read(a) for a in argument if isinstance(a, Tensor)]
        return (0,) if what == "sym_sizes_opt" else None

    if what not in ATTRIBUTES:
        return Keeper(CALL, keep, plain=True)
    argument = f"arguments[{position}]"
    return Keeper(f"{argument}.{ATTRIBUTES[what]} if type({argument}) in PLAIN else {CALL}", keep, plain=True)


class KeptStrides:
    """Strides that nobody may ever read: counted in elements only when somebody does."""

    __slots__ = ("itemsize", "shape", "strides")

    def __init__(self, array: Any) -> None:
        self.shape, self.strides, self.itemsize = array.shape, array.strides, array.itemsize

    def _unpack(self, node: Any) -> tuple[int, ...]:
        if 0 in self.shape and not any(self.strides):
            return contiguous_strides(self.shape)
        return tuple([s // self.itemsize for s in self.strides])

    def go_by_columns(self) -> bool:
        """Whether a matrix lies in memory column by column."""
        if 0 in self.shape:
            return self._unpack(None) == (1, self.shape[0])
        return bool(self.strides == (self.itemsize, self.itemsize * self.shape[0]))


def strides_keeper(operator: Operator, position: int) -> Keeper:
    """Keeps the strides of an argument for show, if its own derivative will run."""
    order = operator.differentiable.index(position)
    return Keeper(f"KeptStrides(arguments[{position}]._array) if needs[{order}] else ()", plain=True)


def reader(what: str) -> Callable[[Tensor], Any]:
    """How a property is read off a tensor."""
    if what.startswith("sym_argsize_"):
        dim = int(what.removeprefix("sym_argsize_").replace("minus_", "-"))
        return lambda t: t._array.shape[dim]
    return attrgetter(ATTRIBUTES[what]) if what in ATTRIBUTES else READERS[what]


ATTRIBUTES = {
    "sym_sizes": "_array.shape",
    "sym_sizes_opt": "_array.shape",
    "dim": "_array.ndim",
    "sym_numel": "_array.size",
    "numel": "_array.size",
    "dtype": "dtype",
    "layout": "layout",
}
"""Properties that are attributes, by the end of the name that asks for them."""
READERS: dict[str, Callable[[Tensor], Any]] = {
    "sym_strides": strides_of,
    "shape": lambda t: size_of(t._array.shape),
    "geometry": lambda t: (t._array.shape, strides_of(t), offset_of(t)),
}
"""The others."""
METADATA = re.compile(rf"(?P<argument>\w+?)_(?P<what>{'|'.join((*ATTRIBUTES, *READERS))}|sym_argsize_(?:minus_)?\d+)")
USED = {
    "FREED": FREED,
    "TENSOR_ENTRIES": TENSOR_ENTRIES,
    "PLAIN": frozenset({Tensor, Parameter}),
    "KeptStrides": KeptStrides,
    "save_input": save_input,
    "save_result": save_result,
}
"""What the texts name."""
