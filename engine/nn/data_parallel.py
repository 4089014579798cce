"""``nn.DataParallel`` on a machine without accelerators, where it holds a module and calls it; and its like for many processes."""

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
        self.module = module
        self.device_ids: list[int] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The module's result."""
        return self.module(*inputs, **kwargs)


class DistributedDataParallel(Module):
    """Would train one module in many processes; a run has one.

    Raises:
        ValueError: always, in PyTorch's words for a process that has not joined others.
    """

    def __init__(self, module: Module, *args: Any, **kwargs: Any) -> None:
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
