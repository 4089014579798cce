"""``torch.utils.checkpoint``."""

from engine.transforms.checkpoint import checkpoint, checkpoint_sequential

__all__ = ["checkpoint", "checkpoint_sequential"]
