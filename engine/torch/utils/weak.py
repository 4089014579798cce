"""``torch.utils.weak``: dictionaries whose keys are told apart by identity and not kept alive.

A tensor cannot be a key of an ordinary dictionary of weak references: ``==`` compares its elements.
"""

from __future__ import annotations

import builtins
import weakref
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

from engine.tensor import Tensor
from engine.torch.missing import module_getattr


class WeakIdRef(weakref.ref[Any]):
    """A weak reference that is equal to another while both refer to the same living object, whatever the object's ``==`` says."""

    __slots__ = ("_id",)

    def __init__(self, key: Any, callback: Callable[[WeakIdRef], Any] | None = None) -> None:
        super().__init__(key, callback)  # type: ignore[call-arg]  # object.__init__ to a checker
        self._id = id(key)

    def __call__(self) -> Any:
        """The object, or None."""
        return super().__call__()

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        mine = self()
        theirs = other() if isinstance(other, WeakIdRef) else None
        return self is other if mine is None or theirs is None else mine is theirs


class WeakIdKeyDictionary(MutableMapping[Any, Any]):
    """A dictionary that loses an entry when its key goes, and compares keys by identity."""

    def __init__(self, dict: Any = None, ref_type: type[WeakIdRef] = WeakIdRef) -> None:
        self.data: builtins.dict[WeakIdRef, Any] = {}
        self.ref_type = ref_type
        if dict is not None:
            self.update(dict)

    def _strike(self) -> Callable[[WeakIdRef], None]:
        """What a reference does when its key goes; it does not keep this dictionary."""
        owner = weakref.ref(self)

        def strike(reference: WeakIdRef) -> None:
            dictionary = owner()
            if dictionary is not None:
                dictionary.data.pop(reference, None)

        return strike

    def __getitem__(self, key: Any) -> Any:
        return self.data[self.ref_type(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[self.ref_type(key, self._strike())] = value

    def __delitem__(self, key: Any) -> None:
        del self.data[self.ref_type(key)]

    def __contains__(self, key: object) -> bool:
        return self.ref_type(key) in self.data

    def __iter__(self) -> Iterator[Any]:
        return (key for key in [reference() for reference in self.data] if key is not None)

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {id(self):#x}>"

    def __eq__(self, other: object) -> bool:
        """Whether both have the same keys, by identity, and equal values."""
        if not isinstance(other, WeakIdKeyDictionary | builtins.dict):
            return NotImplemented
        return {id(k): v for k, v in self.items()} == {id(k): v for k, v in other.items()}

    __hash__ = None  # type: ignore[assignment]  # as Python says that there is none

    def keyrefs(self) -> list[WeakIdRef]:
        """The weak references themselves."""
        return list(self.data)

    def copy(self) -> WeakIdKeyDictionary:
        """Another dictionary with the same keys and values."""
        return type(self)(self, self.ref_type)

    __copy__ = copy


WeakTensorKeyDictionary = WeakIdKeyDictionary


class TensorWeakRef:
    """A weak reference to a tensor."""

    def __init__(self, tensor: Tensor) -> None:
        assert isinstance(tensor, Tensor)
        self.ref = weakref.ref(tensor)

    def __call__(self) -> Tensor | None:
        """The tensor, or None when it is gone."""
        return self.ref()


__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary"]

__getattr__ = module_getattr("torch.utils.weak", globals())
