"""``torch.autograd.graph``: the graph as an object, and hooks on what it saves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from engine.autograd.handles import RemovableHandle
from engine.autograd.modes import state
from engine.autograd.node import Node
from engine.autograd.task import running
from engine.observe import state as observing


class GradientEdge(NamedTuple):
    """Where a tensor's gradient goes: a node, and which of its outputs the tensor is."""

    node: Any
    output_nr: int
    ownership_token: Any = None


def get_gradient_edge(tensor: Any) -> GradientEdge:
    """The edge of a tensor that requires grad; for a leaf, its AccumulateGrad.

    Raises:
        RuntimeError: for a tensor that does not require grad.
    """
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    node, output_nr = tensor._gradient_edge()
    return GradientEdge(node, output_nr)


def increment_version(tensor: Any) -> None:
    """Raises the version of one tensor or of several, as an in-place write would."""
    for one in tensor if isinstance(tensor, list | tuple) else (tensor,):
        one._touch()


class saved_tensors_hooks:
    """Inside, what nodes save goes through ``pack`` when kept and ``unpack`` when used."""

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self) -> None:
        if state.saved_hooks and isinstance(state.saved_hooks[-1], str):
            raise RuntimeError(state.saved_hooks[-1])
        state.saved_hooks.append((self._pack, self._unpack))
        state.refresh()

    def __exit__(self, *exception: object) -> None:
        state.saved_hooks.pop()
        state.refresh()

    def _pack(self, tensor: Any) -> Any:
        packed = self.pack_hook(tensor)
        if observing.listener is not None:
            observing.listener.hook_fired("saved_pack", self.pack_hook, tensor, None, tensor, None)
        return packed

    def _unpack(self, packed: Any) -> Any:
        tensor = self.unpack_hook(packed)
        if not hasattr(tensor, "_array"):
            raise TypeError(f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type(tensor).__name__}")
        if observing.listener is not None:
            observing.listener.hook_fired("saved_unpack", self.unpack_hook, tensor, None, tensor, None)
        return tensor


class save_on_cpu(saved_tensors_hooks):
    """Keeps saved tensors on the CPU, where they are anyway: each is a copy."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda tensor: tensor.detach().clone(), lambda packed: packed)


class disable_saved_tensors_hooks:
    """Inside, entering `saved_tensors_hooks` raises with this message."""

    def __init__(self, error_message: str) -> None:
        self.error_message = error_message

    def __enter__(self) -> None:
        state.saved_hooks.append(self.error_message)
        state.refresh()

    def __exit__(self, *exception: object) -> None:
        state.saved_hooks.pop()
        state.refresh()


class _MultiHandle:
    """Removes all hooks that a multi-grad hook put on."""

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        """Takes them all off."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> _MultiHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


def register_multi_grad_hook(tensors: Sequence[Any], fn: Callable[..., Any], *, mode: str = "all") -> Any:
    """Calls ``fn`` once per backward: with all gradients when the last has come (``all``), or with the first (``any``).

    Raises:
        ValueError: for another mode.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    seen: dict[str, Any] = {"pass": None, "gradients": [None] * len(tensors), "left": 0}

    def arrived(index: int) -> Callable[[Any], None]:
        def hook(gradient: Any) -> None:
            current = running[-1]
            if seen["pass"] is not current:
                reached = current.reached([t._gradient_edge() for t in tensors])
                seen.update({"pass": current, "gradients": [None] * len(tensors), "left": sum(reached), "called": False})
            seen["gradients"][index] = gradient
            seen["left"] -= 1
            if mode == "any" and not seen["called"]:
                seen["called"] = True
                fn(gradient)
            elif mode == "all" and seen["left"] == 0:
                fn(list(seen["gradients"]))

        return hook

    return _MultiHandle([tensor.register_hook(arrived(i)) for i, tensor in enumerate(tensors)])


class allow_mutation_on_saved_tensors:
    """Inside, a saved tensor may be written to: what was saved is a copy."""

    def __init__(self) -> None:
        self.hooks = saved_tensors_hooks(lambda tensor: tensor.detach().clone(), lambda packed: packed)

    def __enter__(self) -> allow_mutation_on_saved_tensors:
        self.hooks.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self.hooks.__exit__(*exception)


__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]
