"""``torch.utils.checkpoint``."""

from engine.torch.missing import module_getattr as _module_getattr
from engine.transforms.checkpoint import (
    CheckpointError,
    CheckpointFunction,
    checkpoint,
    checkpoint_sequential,
    set_checkpoint_early_stop,
)

__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "checkpoint",
    "checkpoint_sequential",
    "set_checkpoint_early_stop",
]

__getattr__ = _module_getattr("torch.utils.checkpoint", globals())
