"""``torch.utils``."""

from engine.torch.missing import module_getattr
from engine.torch.utils import _mode_utils, _python_dispatch, _pytree, checkpoint, data, weak

__all__ = ["_mode_utils", "_python_dispatch", "_pytree", "checkpoint", "data", "weak"]

__getattr__ = module_getattr("torch.utils", globals())
