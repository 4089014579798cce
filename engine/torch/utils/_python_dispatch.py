"""``torch.utils._python_dispatch``: modes that are shown every operator."""

from engine.ops.core.dispatch import TorchDispatchMode as TorchDispatchMode
from engine.ops.core.dispatch import current_mode as _get_current_dispatch_mode

__all__ = ["TorchDispatchMode", "_get_current_dispatch_mode"]
