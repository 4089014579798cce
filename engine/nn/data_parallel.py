"""``nn.DataParallel`` on a machine without accelerators: it holds a module and calls it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.nn.module import Module


class DataParallel(Module):
    """Would split a batch over accelerators; without any, as here, its module gets the batch whole.

    Args:
        module: what to call.
        device_ids, output_device: which accelerators; not looked at without any.
        dim: along which dimension to split.
    """

    def __init__(
        self, module: Module, device_ids: Sequence[Any] | None = None, output_device: Any = None, dim: int = 0
    ) -> None:
        super().__init__()
        self.module, self.dim = module, dim
        self.device_ids: list[int] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The module's result."""
        return self.module(*inputs, **kwargs)
