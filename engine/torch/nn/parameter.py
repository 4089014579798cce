"""``torch.nn.parameter``."""

from engine.nn.registry import Buffer
from engine.nn.uninitialized import UninitializedBuffer, UninitializedParameter, is_lazy
from engine.tensor import Parameter

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter", "is_lazy"]
