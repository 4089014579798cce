"""``allow_mutation_on_saved_tensors``: what a node saved may be written to; it is copied before the first write."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from engine.autograd.modes import state
from engine.autograd.saved_hooks import saved_tensors_hooks
from engine.observe import state as observing


class _Handle:
    """Stands for one saved tensor; it lives as long as the node that saved it keeps it."""

    __slots__ = ("__weakref__",)


class _AllowMutationOnSavedContext:
    """What the scope yields.

    Attributes:
        original: by handle, what was saved and not written to since.
        cloned: by handle, the copies made before a write.
        tid_to_weakhandle: the handle of each saved (storage, tensor, version).
    """

    def __init__(self) -> None:
        self.original: weakref.WeakKeyDictionary[_Handle, Any] = weakref.WeakKeyDictionary()
        self.cloned: weakref.WeakKeyDictionary[_Handle, Any] = weakref.WeakKeyDictionary()
        self.tid_to_weakhandle: weakref.WeakValueDictionary[tuple[int, int, int], _Handle] = (
            weakref.WeakValueDictionary()
        )
        self.sid_to_tid: dict[int, set[tuple[int, int, int]]] = {}
        self.open = True

    def pack(self, tensor: Any) -> _Handle:
        """Keeps the tensor itself, for now."""
        storage = tensor.untyped_storage().data_ptr()
        key = (storage, id(tensor), tensor._version)
        handle = self.tid_to_weakhandle.get(key)
        if handle is None:
            handle = self.tid_to_weakhandle[key] = _Handle()
            self.sid_to_tid.setdefault(storage, set()).add(key)
            with observing.silent():
                self.original[handle] = tensor.detach()
        return handle

    def unpack(self, handle: _Handle) -> Any:
        """What was saved, as it was then.

        Raises:
            AssertionError: the context is over, or it is another's.
        """
        if not self.open:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context in which the graph was originally "
                "recorded."
            )
        return self.cloned[handle] if handle in self.cloned else self.original[handle]

    def before_write(self, target: Any) -> None:
        """Copies what was saved of the storage that is about to be written to."""
        for key in self.sid_to_tid.pop(target.untyped_storage().data_ptr(), ()):
            handle = self.tid_to_weakhandle.get(key)
            if handle is not None and handle in self.original:
                with observing.silent():
                    self.cloned[handle] = self.original.pop(handle).clone()

    def clear(self) -> None:
        """The context is over."""
        self.open = False
        self.original.clear()
        self.cloned.clear()
        self.sid_to_tid.clear()


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_AllowMutationOnSavedContext]:
    """Inside, a saved tensor may be written to: backward gets a copy of what it was.

    Raises:
        RuntimeError: such contexts do not nest.
    """
    if state.before_write is not None:
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    context = _AllowMutationOnSavedContext()
    state.before_write = context.before_write
    try:
        with saved_tensors_hooks(context.pack, context.unpack):
            yield context
    finally:
        state.before_write = None
        context.clear()
