"""``torch.utils``."""

from engine.torch.missing import module_getattr
from engine.torch.utils import checkpoint, data

__all__ = ["checkpoint", "data"]

__getattr__ = module_getattr("torch.utils", globals())
