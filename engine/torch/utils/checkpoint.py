"""``torch.utils.checkpoint``."""

from engine.torch.missing import module_getattr as _module_getattr
from engine.transforms.checkpoint.checkpoint import (
    CheckpointFunction,
    checkpoint,
    checkpoint_sequential,
    noop_context_fn,
)
from engine.transforms.checkpoint.recomputation import CheckpointError
from engine.transforms.checkpoint.selective import (
    CheckpointPolicy,
    SelectiveCheckpointContext,
    _CachedTorchDispatchMode,
    _CachingTorchDispatchMode,
    create_selective_checkpoint_contexts,
)
from engine.transforms.checkpoint.settings import (
    GraphExecGroup,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)

__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "CheckpointPolicy",
    "GraphExecGroup",
    "SelectiveCheckpointContext",
    "_CachedTorchDispatchMode",
    "_CachingTorchDispatchMode",
    "checkpoint",
    "checkpoint_sequential",
    "create_selective_checkpoint_contexts",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
]

__getattr__ = _module_getattr("torch.utils.checkpoint", globals())
