"""The person's hooks on what nodes save: ``saved_tensors_hooks`` and its kin, and ``grad_fn._raw_saved_…``."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from engine.autograd.modes import state
from engine.autograd.saved import FREED, PackedTensor, SavedResult, SavedTensor


class saved_tensors_hooks:
    """Inside, what nodes save goes through ``pack`` when kept and ``unpack`` when used."""

    __module__ = "torch.autograd.graph"

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self) -> None:
        push_saved_hooks(self.pack_hook, self.unpack_hook)

    def __exit__(self, *exception: object) -> None:
        pop_saved_hooks()


def push_saved_hooks(pack: Any, unpack: Any) -> None:
    """Puts a pair of hooks in force.

    Raises:
        TypeError: they cannot be called.
        RuntimeError: hooks are refused at this place.
    """
    if not callable(pack) or not callable(unpack):
        raise TypeError(
            "_push_saved_tensors_default_hooks(): incompatible function arguments. The following argument types are "
            f"supported: two functions, pack and unpack. There were {type(pack).__name__} and {type(unpack).__name__}."
        )
    refuse_if_told()
    state.saved_hooks.append((pack, unpack))
    state.refresh()


def pop_saved_hooks() -> None:
    """Takes the innermost pair out of force.

    Raises:
        RuntimeError: there is none.
    """
    if not state.saved_hooks:
        raise RuntimeError(
            "No hooks on saved tensors are in force, so none can be taken off: their scope was left twice."
        )
    state.saved_hooks.pop()
    state.refresh()


def refuse_if_told() -> None:
    """Raises RuntimeError: with the message of `disable_saved_tensors_hooks`."""
    if state.saved_hooks_refused is not None:
        raise RuntimeError(state.saved_hooks_refused)


class save_on_cpu(saved_tensors_hooks):
    """Keeps saved tensors on the CPU, where they are anyway: each is a copy."""

    __module__ = "torch.autograd.graph"

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda tensor: tensor.detach().clone(), lambda packed: packed)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Inside, entering `saved_tensors_hooks` raises with this message.

    Raises:
        RuntimeError: some are in force already.
    """
    before = state.saved_hooks_refused
    state.saved_hooks_refused = error_message
    try:
        if state.saved_hooks:
            refuse_if_told()
        yield
    finally:
        state.saved_hooks_refused = before


class RawSavedTensor:
    """``grad_fn._raw_saved_x``: an entry of a node, on which one pair of hooks may be registered."""

    def __init__(self) -> None:
        raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden.")

    @property
    def data(self) -> Any:
        """What is kept: what a pack hook made of the tensor, the tensor itself, or the bare values of an output or a leaf's kin."""
        entry = entry_at(*self.place)
        if isinstance(entry, PackedTensor):
            return entry.packed
        original = original_of(self.place[0], entry)
        return original.detach() if isinstance(entry, SavedResult) else original

    @property
    def unpack_hook(self) -> Any:
        """The person's hook that makes a tensor of what is kept, or None."""
        entry = entry_at(*self.place)
        return entry.unpack_hook if isinstance(entry, PackedTensor) else None

    def unpack(self) -> Any:
        """The tensor, as the node will see it."""
        entry = entry_at(*self.place)
        return entry._unpack(self.place[0])

    def register_hooks(self, *hooks: Any) -> None:
        """``register_hooks(pack, unpack)``: packs now, unpacks whenever the node needs the tensor.

        Raises:
            TypeError: not two functions.
            RuntimeError: there are hooks already, or there is no tensor (any more).
        """
        if len(hooks) != 2 or not all(map(callable, hooks)):
            raise TypeError(
                "register_hooks(): incompatible function arguments. The following argument types are supported: two "
                "functions, pack and unpack."
            )
        node, index, part = self.place
        entry = entry_at(node, index, part)
        if isinstance(entry, PackedTensor):
            raise RuntimeError(
                "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of hooks is "
                "allowed at a time."
            )
        if entry is FREED:
            raise RuntimeError(
                "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are "
                "freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through "
                "the graph a second time or if you need to access saved variables after calling backward."
            )
        if entry is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        put_entry(node, index, part, packed_entry(node, entry, *hooks))

    place: tuple[Any, int, int | None]


RawSavedTensor.__name__ = RawSavedTensor.__qualname__ = "SavedTensor"
RawSavedTensor.__module__ = "torch._C._autograd"


def packed_entry(node: Any, entry: Any, pack: Any, unpack: Any) -> PackedTensor:
    """An entry after its hooks were registered."""
    original = original_of(node, entry)
    original._shared_counter()  # what the hook writes is written into the original too, and others may have saved that
    return PackedTensor(pack, unpack, original._at(None, 0, False), original, own=isinstance(entry, SavedResult))


def original_of(node: Any, entry: Any) -> Any:
    """The tensor that an entry stands for."""
    if isinstance(entry, SavedResult):
        return entry._shown(node)
    return entry.tensor if isinstance(entry, SavedTensor) else entry.shown() if hasattr(entry, "shown") else entry


def entry_at(node: Any, index: int, part: int | None) -> Any:
    """One entry, or one of a list of entries."""
    entry = FREED if node.saved is FREED else node.saved[index]
    return entry[part] if isinstance(entry, list) and part is not None else entry


def put_entry(node: Any, index: int, part: int | None, entry: Any) -> None:
    """Replaces it."""
    entries = list(node.saved)
    if part is None:
        entries[index] = entry
    else:
        entries[index] = [*entries[index][:part], entry, *entries[index][part + 1 :]]
    node.saved = tuple(entries)


def raw_saved(node: Any, index: int) -> Any:
    """An entry as the object that takes hooks (a tuple of them for a list); a plain value as it is."""
    entry = entry_at(node, index, None)
    if isinstance(entry, list):
        return tuple(raw_handle(node, index, part) for part in range(len(entry)))
    holds = entry is None or hasattr(entry, "_unpack") or hasattr(entry, "_array")
    return raw_handle(node, index, None) if holds else entry


def raw_handle(node: Any, index: int, part: int | None) -> RawSavedTensor:
    """The same object as long as somebody holds it."""
    known = node._raw_handles
    if known is None:
        known = node._raw_handles = weakref.WeakValueDictionary()
    handle = known.get((index, part))
    if handle is None:
        handle = known[index, part] = object.__new__(RawSavedTensor)
        handle.place = (node, index, part)
    return handle
