"""Modules that hold parameters: lists and dictionaries."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NoReturn, Self

from engine.nn.module import Module
from engine.nn.registry import typename
from engine.tensor import Parameter, Tensor


class ParameterList(Module):
    """A list of parameters; tensors become parameters on the way in."""

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raises RuntimeError: it holds parameters and computes nothing."""
        raise RuntimeError("ParameterList should not be called.")

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def _name(self, index: Any) -> str:
        index = operator.index(index)
        if not -self._size <= index < self._size:
            raise IndexError(f"index {index} is out of range")
        return str(index % self._size) if index < 0 else str(index)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self.__class__([self[i] for i in range(*index.indices(self._size))])
        return getattr(self, self._name(index))

    def __setitem__(self, index: int, value: Any) -> None:
        setattr(self, self._name(index), as_parameter(value))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter(self[i] for i in range(self._size))

    def __iadd__(self, values: Iterable[Any]) -> Self:
        return self.extend(values)

    def append(self, value: Any) -> Self:
        """Adds a value at the end."""
        index = self._size
        self._size += 1
        self[index] = value
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Adds all of ``values``.

        Raises:
            TypeError: not iterable, or a single tensor.
        """
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        """A line per value."""
        return "\n".join(
            f"  ({i}): {parameter_line(value, value.dtype) if isinstance(value, Tensor) else object_line(value)}"
            for i, value in enumerate(self)
        )


class ParameterDict(Module):
    """A dictionary of parameters; tensors become parameters on the way in."""

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raises RuntimeError: it holds parameters and computes nothing."""
        raise RuntimeError("ParameterDict should not be called.")

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        return getattr(self, checked_key(key))

    def __setitem__(self, key: str, value: Any) -> None:
        self._keys[checked_key(key)] = None
        setattr(self, key, as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self._keys))

    def __or__(self, other: ParameterDict) -> ParameterDict:
        joined = self.copy()
        joined.update(other)
        return joined

    def __ror__(self, other: ParameterDict) -> ParameterDict:
        joined = other.copy()
        joined.update(self)
        return joined

    def __ior__(self, other: ParameterDict) -> Self:
        self.update(other)
        return self

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """Another dictionary, of ``default`` under each key."""
        return ParameterDict((key, default) for key in keys)

    def keys(self) -> Any:
        """The names."""
        return self._keys.keys()

    def items(self) -> Any:
        """Names and parameters."""
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Any:
        """The parameters."""
        return (self[key] for key in self._keys)

    def get(self, key: str, default: Any = None) -> Any:
        """The parameter, or ``default``."""
        return self[key] if key in self._keys else default

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The parameter; ``default`` put there if missing."""
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: str) -> Any:
        """Takes a parameter out."""
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Takes the last parameter out."""
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def clear(self) -> None:
        """Drops everything."""
        for key in list(self._keys):
            del self[key]

    def copy(self) -> ParameterDict:
        """Another dictionary of the same parameters."""
        return ParameterDict(OrderedDict(self.items()))

    def update(self, parameters: Any) -> None:
        """Adds all of a mapping (sorted by name unless it keeps an order) or of an iterable of pairs.

        Raises:
            TypeError: not iterable.
        """
        if not isinstance(parameters, Iterable):
            raise TypeError(
                "ParametersDict.update should be called with an iterable of key/value pairs, but got "
                + type(parameters).__name__
            )
        if isinstance(parameters, OrderedDict | ParameterDict):
            pairs = list(parameters.items())
        elif isinstance(parameters, Mapping):
            pairs = sorted(parameters.items())
        else:
            pairs = list(parameters)
        for key, value in pairs:
            self[key] = value

    def extra_repr(self) -> str:
        """A line per value."""
        return "\n".join(
            f"  ({key}): {parameter_line(value, typename(value)) if isinstance(value, Tensor) else object_line(value)}"
            for key, value in self.items()
        )


def checked_key(key: Any) -> str:
    """Raises TypeError: something else than a name."""
    if not isinstance(key, str):
        raise TypeError(
            "Index given to ParameterDict cannot be used as a key as it is not a string "
            f"(type is '{type(key).__name__}'): an entry is an attribute of the module, too."
        )
    return key


def as_parameter(value: Any) -> Any:
    """Plain tensors become parameters."""
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def parameter_line(value: Tensor, kind: Any) -> str:
    """One line about a tensor in a container's repr."""
    size = "x".join(str(n) for n in value.shape)
    return f"{'Parameter' if isinstance(value, Parameter) else 'Tensor'} containing: [{kind} of size {size}]"


def object_line(value: Any) -> str:
    """One line about anything else."""
    return f"Object of type: {type(value).__name__}"
