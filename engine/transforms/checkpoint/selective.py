"""Selective checkpointing: what some operators gave is kept, so that the second run of a checkpoint does not compute it again.

Two dispatch modes share a storage. The first run's asks a policy about every operator and keeps what it says; the second run's
counts the same calls and gives back what was kept.
"""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from engine.observe import state as observing
from engine.ops.core.dispatch import TorchDispatchMode
from engine.ops.core.overloads import OpOverload, OpOverloadPacket
from engine.tensor import Tensor

Storage = dict[Any, dict[int, Any]]
"""By operator and number of its call: what was kept, `RECOMPUTE`, or `CONSUMED`."""
RECOMPUTE, CONSUMED = object(), object()


class CheckpointPolicy(enum.Enum):
    """What to do with an operator's result."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


class SelectiveCheckpointContext:
    """What a policy is told beside the call: the result. (It is asked in the first run only.)"""

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute, self.op_output = is_recompute, op_output


class _VersionWrapper:
    """A kept value, and the version it had."""

    def __init__(self, value: Any) -> None:
        self.val = value.detach() if isinstance(value, Tensor) else value
        self.version = value._version if isinstance(value, Tensor) else None

    def get_val(self, allow_cache_entry_mutation: bool) -> Any:
        """The value.

        Raises:
            RuntimeError: it was written into since, and that is not allowed.
        """
        if self.version is not None and self.val._version != self.version and not allow_cache_entry_mutation:
            raise RuntimeError(
                "Tensor cached during selective activation checkpoint has been mutated: an in-place write changed what was kept, which "
                "allow_cache_entry_mutation=True would let pass"
            )
        return self.val


class _CachingTorchDispatchMode(TorchDispatchMode):
    """The first run's."""

    def __init__(self, policy_fn: Callable[..., Any], storage: Storage) -> None:
        self.policy_fn, self.storage = policy_fn, storage
        self.calls: dict[Any, int] = defaultdict(int)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        if func.__name__ in UNNOTED:
            return out
        number = self.calls[func]
        self.calls[func] += 1
        policy = self.policy_fn(
            SelectiveCheckpointContext(is_recompute=False, op_output=out), func, *args, **(kwargs or {})
        )
        saves = (
            policy if isinstance(policy, bool) else policy in (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)
        )
        self.storage[func][number] = each(_VersionWrapper, out) if saves else RECOMPUTE
        return out


UNNOTED = frozenset({"detach.default"})
"""What checkpoints themselves call, and not equally often in both runs."""


class _CachedTorchDispatchMode(TorchDispatchMode):
    """The second run's."""

    def __init__(self, storage: Storage, allow_cache_entry_mutation: bool) -> None:
        self.storage, self.allow_cache_entry_mutation = storage, allow_cache_entry_mutation
        self.calls: dict[Any, int] = defaultdict(int)

    def __enter__(self) -> TorchDispatchMode:
        self.calls.clear()
        return super().__enter__()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Raises RuntimeError: the first run made no such call; what was kept is used up; it was written into."""
        if func.__name__ in UNNOTED:
            return func(*args, **(kwargs or {}))
        number = self.calls[func]
        self.calls[func] += 1
        entry = self.storage.get(func, {}).get(number)
        if entry is None:
            raise RuntimeError(
                f"{func} invocation index {number} encountered during backward but not found in storage. The checkpointed function did "
                "something else the second time: it depends on chance, or on something that changed between forward and backward."
            )
        if entry is CONSUMED:
            raise RuntimeError(
                "Trying to backward an extra time. You are only allowed to backward once on any region computed under selective "
                "activation checkpoint."
            )
        if entry is RECOMPUTE:
            return func(*args, **(kwargs or {}))
        self.storage[func][number] = CONSUMED
        kept = each(lambda wrapper: wrapper.get_val(self.allow_cache_entry_mutation), entry)
        listener = observing.listener or observing.aside
        if listener is not None:
            listener.recalled(str(func))
        return kept


def each(function: Callable[[Any], Any], value: Any) -> Any:
    """The function on a result, or on each of several."""
    return tuple(map(function, value)) if isinstance(value, tuple | list) else function(value)


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False
) -> tuple[TorchDispatchMode, TorchDispatchMode]:
    """The two contexts that ``checkpoint(…, context_fn=…)`` asks for.

    Args:
        policy_fn_or_list: ``policy(ctx, op, *args, **kwargs)`` returns a `CheckpointPolicy` or whether to save; or the overloads
            (``torch.ops.aten.mm.default``) whose results are kept.
        allow_cache_entry_mutation: what was kept may have been written into since.

    Raises:
        ValueError: the list holds something other than overloads.
        TypeError: neither a function nor a list.
    """
    if isinstance(policy_fn_or_list, list):
        chosen = policy_fn_or_list
        for op in chosen:
            if not isinstance(op, OpOverload):
                more = (
                    " Please update the OpOverloadPacket to a specific OpOverload.For example, if you have `torch.ops.aten.mm`, change "
                    "it to `torch.ops.aten.mm.default`."
                    if isinstance(op, OpOverloadPacket)
                    else ""
                )
                raise ValueError(
                    f"Expected op in `op_list` to be an OpOverload but got: {op} of type {type(op)}.{more}"
                )

        def policy_fn(ctx: Any, op: Any, *args: Any, **kwargs: Any) -> bool:
            return op in chosen

    elif callable(policy_fn_or_list):
        policy_fn = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    storage: Storage = defaultdict(dict)
    return (
        _CachingTorchDispatchMode(policy_fn, storage),
        _CachedTorchDispatchMode(storage, allow_cache_entry_mutation),
    )


for _class in (CheckpointPolicy, SelectiveCheckpointContext, _CachingTorchDispatchMode, _CachedTorchDispatchMode):
    _class.__module__ = "torch.utils.checkpoint"
