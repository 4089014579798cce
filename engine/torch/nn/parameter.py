"""``torch.nn.parameter``."""

from engine.nn.lazy import UninitializedBuffer, UninitializedParameter
from engine.nn.registry import Buffer
from engine.tensor import Parameter

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter"]
