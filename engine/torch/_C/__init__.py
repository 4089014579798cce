"""The names of ``torch._C`` that say where a backward pass stands, and its modules that tests of autograd reach for."""

from __future__ import annotations

import weakref
from functools import partial as _partial
from typing import Any, ClassVar

from engine.autograd.anomaly import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from engine.autograd.anomaly import is_anomaly_enabled as is_anomaly_enabled
from engine.autograd.anomaly import set_detect_anomaly as _set_detect_anomaly
from engine.autograd.forward_switch import is_fwd_grad_enabled as _is_fwd_grad_enabled
from engine.autograd.forward_switch import set_fwd_grad_enabled as _set_fwd_grad_enabled
from engine.autograd.modes import is_grad_enabled as is_grad_enabled
from engine.autograd.modes import is_inference_mode_enabled as is_inference_mode_enabled
from engine.autograd.modes import set_grad_enabled as _grad_enabled
from engine.autograd.modes import state as _state
from engine.autograd.multi_hook import will_execute as _will_execute
from engine.autograd.node import Node as _Node
from engine.autograd.running import running as _running
from engine.autograd.switches import is_multithreading_enabled as _is_multithreading_enabled
from engine.autograd.switches import is_view_replay_enabled as _is_view_replay_enabled
from engine.autograd.switches import switches as _switches
from engine.dtype import defaults as _defaults
from engine.tensor import Tensor as _Tensor
from engine.tensor import disabled_torch_function as _disabled_torch_function
from engine.torch._C import _autograd as _autograd
from engine.torch._C import _dynamo as _dynamo
from engine.torch._C import _functions as _functions
from engine.torch._C import _nn as _nn


def _current_graph_task_id() -> int:
    """Number of the pass under way, -1 if there is none."""
    return _running[-1].number if _running else -1


def _current_autograd_node() -> Any:
    """The node whose hooks or derivative run now."""
    return _running[-1].node if _running else None


def _current_graph_task_execution_order() -> list[Any]:
    """The nodes that the pass under way runs, in order.

    Raises:
        RuntimeError: no pass is under way, or it may use several threads (`set_multithreading_enabled`).
    """
    if not _running:
        raise RuntimeError("_current_graph_task_execution_order should only be called during the backward pass")
    if _is_multithreading_enabled():
        raise RuntimeError(
            "get_current_graph_task_execution_order expects the current backward to be executed with multithreading disabled, "
            "e.g. inside `with torch.autograd.set_multithreading_enabled(False):`"
        )
    return _running[-1].execution_order()


def _will_engine_execute_node(node: Any) -> bool:
    """Whether the pass under way runs this node.

    Raises:
        RuntimeError: no pass is under way, or it is no node.
    """
    if not isinstance(node, _Node):
        raise RuntimeError(f"_will_engine_execute_node expects an grad_fn, but got {type(node).__name__}")
    if not _running:
        raise RuntimeError("_get_should_execute_nodes should only be called during the backward pass")
    return _will_execute(_running[-1], node)


def __getattr__(name: str) -> Any:
    if name == "_disabled_torch_function_impl":
        return _disabled_torch_function
    if name in ("DisableTorchFunctionSubclass", "DisableTorchFunction"):
        from engine.ops.core.overriding import disabled  # here, since few programs have classes of tensors

        return _partial(disabled, name == "DisableTorchFunction")
    raise AttributeError(f"module 'torch._C' has no attribute {name!r}")


def _set_grad_enabled(enabled: bool) -> None:
    """Turns recording on or off, for good."""
    _grad_enabled(enabled)


def set_anomaly_enabled(enabled: bool, check_nan: bool = True) -> None:
    """Turns anomaly mode on or off, for good."""
    _set_detect_anomaly(enabled, check_nan)


def _get_tracing_state() -> None:
    """Nothing is being traced for TorchScript."""


def _log_api_usage_once(event: str) -> None:
    """Nobody counts what is used."""


def _set_multithreading_enabled(enabled: bool) -> None:
    """Sets what `_is_multithreading_enabled` answers."""
    _switches.multithreading = enabled


def _are_functorch_transforms_active() -> bool:
    """Whether a ``torch.func`` transform is at work."""
    return bool(_state.transforms)


def _get_default_dtype() -> Any:
    """``torch.get_default_dtype()``."""
    return _defaults.floating


class _Cached:
    """Tensors that somebody else keeps for reuse, so that PyTorch does not count on being their only holder."""

    enabled = False
    tensors: ClassVar[dict[int, weakref.ref[_Tensor]]] = {}
    """By identity: equal tensors are different ones."""


def _set_cached_tensors_enabled(enabled: bool) -> None:
    """Whether tensors are noted as kept for reuse."""
    _Cached.enabled = enabled


def _add_cached_tensor(tensor: _Tensor) -> None:
    """Notes a tensor as kept for reuse."""
    _Cached.tensors[id(tensor)] = weakref.ref(tensor)


def _remove_cached_tensor(tensor: _Tensor) -> None:
    """Strikes it out."""
    _Cached.tensors.pop(id(tensor), None)


def _is_cached_tensor(tensor: _Tensor) -> bool:
    """Whether it is noted as kept for reuse."""
    reference = _Cached.tensors.get(id(tensor))
    return _Cached.enabled and reference is not None and reference() is tensor


class _WeakTensorRef:
    """Knows whether a tensor still lives, without keeping it."""

    def __init__(self, tensor: _Tensor) -> None:
        self._reference = weakref.ref(tensor)

    def expired(self) -> bool:
        """Whether it is gone."""
        return self._reference() is None


__all__ = [
    "_is_fwd_grad_enabled", "_is_multithreading_enabled", "_is_view_replay_enabled", "_set_fwd_grad_enabled",
    "is_anomaly_check_nan_enabled", "is_anomaly_enabled", "is_grad_enabled", "is_inference_mode_enabled",
]  # fmt: skip
