"""The few names of ``torch._C`` that say where a backward pass stands."""

from __future__ import annotations

from typing import Any

from engine.autograd.modes import state as _state
from engine.autograd.multi_hook import will_execute as _will_execute
from engine.autograd.saved_hooks import pop_saved_hooks as _pop
from engine.autograd.saved_hooks import push_saved_hooks as _push
from engine.autograd.task import running as _running
from engine.dtype import defaults as _defaults


def _current_graph_task_id() -> int:
    """Number of the pass under way, -1 if there is none."""
    return _running[-1].number if _running else -1


def _current_autograd_node() -> Any:
    """The node whose hooks or derivative run now."""
    return _running[-1].node if _running else None


def _will_engine_execute_node(node: Any) -> bool:
    """Whether the pass under way runs this node."""
    return _will_execute(_running[-1], node)


def _are_functorch_transforms_active() -> bool:
    """Whether a ``torch.func`` transform is at work."""
    return bool(_state.transforms)


def _get_default_dtype() -> Any:
    """``torch.get_default_dtype()``."""
    return _defaults.floating


class _autograd:
    """Hooks on saved tensors."""

    _push_saved_tensors_default_hooks = staticmethod(_push)
    _pop_saved_tensors_default_hooks = staticmethod(_pop)
