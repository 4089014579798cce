"""``torch.utils.checkpoint``."""

from engine.torch.missing import module_getattr as _module_getattr
from engine.transforms.checkpoint import CheckpointFunction, checkpoint, checkpoint_sequential
from engine.transforms.checkpoint_settings import (
    GraphExecGroup,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)
from engine.transforms.recomputation import CheckpointError

__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "GraphExecGroup",
    "checkpoint",
    "checkpoint_sequential",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
]

__getattr__ = _module_getattr("torch.utils.checkpoint", globals())
