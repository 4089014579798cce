"""Modules that hold modules: Sequential, lists and dictionaries."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from typing import Any, Self

from engine.nn.module import Module, indented


def from_start(index: Any, size: int) -> int:
    """An index of ``size`` things, counted from the first.

    Raises:
        IndexError: there are not so many.
    """
    index = operator.index(index)
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of range")
    return index % size


class Numbered(Module):
    """What holds modules in an order, under their numbers."""

    def _key(self, index: Any) -> str:
        """The name of the module at ``index``. Raises IndexError where there is none."""
        return next(islice(self._modules, from_start(index, len(self)), None))

    def __getitem__(self, index: Any) -> Any:
        return self._modules[self._key(index)]

    def __setitem__(self, index: int, module: Any) -> None:
        setattr(self, self._key(index), module)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def append(self, module: Any) -> Self:
        """Adds a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: Any) -> Any:
        """Takes a module out."""
        module = self[key]
        del self[key]
        return module


class Sequential(Numbered):
    """Calls its modules one after the other."""

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for index, module in enumerate(args):
                self.add_module(str(index), module)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self.__class__(OrderedDict(list(self._modules.items())[index]))
        return super().__getitem__(index)

    def __delitem__(self, index: Any) -> None:
        keys = list(self._modules)[index] if isinstance(index, slice) else [self._key(index)]
        for key in keys:
            delattr(self, key)
        self._modules = {str(i): module for i, module in enumerate(self._modules.values())}

    def __add__(self, other: Any) -> Sequential:
        return Sequential(*self, *sequence(other))

    def __iadd__(self, other: Any) -> Self:
        return self.extend(list(sequence(other)))

    def __mul__(self, times: int) -> Sequential:
        return Sequential(*list(self) * self._repeats(times))

    __rmul__ = __mul__

    def __imul__(self, times: int) -> Self:
        return self.extend(list(self) * (self._repeats(times) - 1))

    def _repeats(self, times: Any) -> int:
        """How often the same modules come one after the other.

        Raises:
            TypeError: no whole number.
            ValueError: less than once.
        """
        if not isinstance(times, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(times)}")
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {type(self)}")
        return times

    def insert(self, index: int, module: Any) -> Self:
        """Adds a module before ``index``.

        Raises:
            AssertionError: no module.
            IndexError: a place beyond the end.
            KeyError: a module that has to move has a name instead of a number.
        """
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        count = len(self)
        if not -count <= index <= count:
            raise IndexError(f"Index out of range: {index}")
        place = index + count if index < 0 else index
        for position in range(count, place, -1):
            self._modules[str(position)] = self._modules[str(position - 1)]
        self._modules[str(place)] = module
        return self

    def extend(self, sequential: Iterable[Any]) -> Self:
        """Adds all modules of another."""
        for module in sequential:
            self.append(module)
        return self

    def forward(self, input: Any) -> Any:
        """Each module's output is the next one's input."""
        for module in self:
            input = module(input)
        return input


def sequence(other: Any) -> Sequential:
    """What may be added to a sequence: another.

    Raises:
        ValueError: something else.
    """
    if not isinstance(other, Sequential):
        raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
    return other


class ModuleList(Numbered):
    """A list of registered modules."""

    def __init__(self, modules: Iterable[Any] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def _key(self, index: Any) -> str:
        return str(from_start(index, len(self)))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self.__class__(list(self._modules.values())[index])
        return super().__getitem__(index)

    def __delitem__(self, index: Any) -> None:
        modules = list(self)
        del modules[index]
        self._renumber(modules)

    def _renumber(self, modules: list[Any]) -> None:
        self._modules.clear()
        for position, module in enumerate(modules):
            self.add_module(str(position), module)

    def __iadd__(self, modules: Iterable[Any]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[Any]) -> ModuleList:
        return ModuleList([*self, *other])

    def insert(self, index: int, module: Any) -> None:
        """Adds a module before ``index``."""
        modules = list(self)
        modules.insert(index, module)
        self._renumber(modules)

    def extend(self, modules: Iterable[Any]) -> Self:
        """Adds all of ``modules``.

        Raises:
            TypeError: not iterable.
        """
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        for module in modules:
            self.append(module)
        return self

    def __repr__(self) -> str:
        """Equal neighbours are shown once, with their count."""
        if not len(self):
            return f"{self._get_name()}()"
        lines, position = [], 0
        for text, group in groupby(repr(module) for module in self):
            count = len(list(group))
            shown = indented(text)
            lines.append(
                f"({position}): {shown}" if count == 1 else f"({position}-{position + count - 1}): {count} x {shown}"
            )
            position += count
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"


class ModuleDict(Module):
    """A dictionary of registered modules."""

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Any) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Drops everything."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Takes a module out."""
        return self._modules.pop(key)

    def keys(self) -> Any:
        """The names."""
        return self._modules.keys()

    def items(self) -> Any:
        """Names and modules."""
        return self._modules.items()

    def values(self) -> Any:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Adds all of a mapping or of an iterable of pairs.

        Raises:
            TypeError: neither of them.
        """
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                + type(modules).__name__
            )
        for key, module in modules.items() if hasattr(modules, "items") else modules:
            self[key] = module
