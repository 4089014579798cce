"""Where and how elements lie: devices, layouts, memory formats. Here everything lies on the CPU, strided.

The other devices can be named, because snippets name them; asking for a tensor on one is refused in PyTorch's words.
"""

from __future__ import annotations

from typing import Any, Self

from engine.spelled import Spelled

DEVICE_TYPES = (
    "cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla", "lazy",
    "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone",
)  # fmt: skip


class device(Spelled):
    """``torch.device``: a type (``cpu``) and perhaps an index."""

    __module__ = "torch"

    __slots__ = ("index", "type")

    def __init__(self, type: Any = "cpu", index: int | None = None) -> None:
        if isinstance(type, device):
            type, index = type.type, type.index
        elif not isinstance(type, str):
            raise RuntimeError("Cannot access accelerator device when none is available.")
        name, colon, number = type.partition(":")
        if name not in DEVICE_TYPES:
            known = ", ".join(DEVICE_TYPES)
            raise RuntimeError(f"Expected one of {known} device type at start of device string: {name}")
        if colon:
            if not number.isdigit():
                raise RuntimeError(f"Invalid device string: '{type}'")
            index = int(number)
        self.type: str = name
        self.index = index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __repr__(self) -> str:
        return (
            f"device(type={self.type!r})" if self.index is None else f"device(type={self.type!r}, index={self.index})"
        )

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __reduce__(self) -> tuple[Any, ...]:
        return device, (self.type, self.index)

    def __enter__(self) -> Self:
        require_cpu(self)
        return self

    def __exit__(self, *exception: object) -> None:
        """There is but one device to go back to."""


class _Named(Spelled):
    """A constant that prints as ``torch.<name>``."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"


class layout(_Named):
    """``torch.layout``."""

    __module__ = "torch"

    __slots__ = ()


class memory_format(_Named):
    """``torch.memory_format``."""

    __module__ = "torch"

    __slots__ = ()


CPU = device("cpu")
strided, sparse_coo, sparse_csr = layout("strided"), layout("sparse_coo"), layout("sparse_csr")
contiguous_format, preserve_format = memory_format("contiguous_format"), memory_format("preserve_format")
channels_last, channels_last_3d = memory_format("channels_last"), memory_format("channels_last_3d")


def require_cpu(where: Any) -> None:
    """Accepts None and the CPU.

    Raises:
        AssertionError, RuntimeError, NotImplementedError: for any other device, as PyTorch without it.
    """
    if where is None or where is CPU:
        return
    named = device(where)
    if named.type == "cpu":
        return
    if named.type == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    raise NotImplementedError(
        f"Could not run on the '{named}' device: no such device here. Tensors live on the CPU; leave device= out."
    )


def require_strided(wanted: Any) -> None:
    """Accepts None and ``torch.strided``.

    Raises:
        RuntimeError: for any other layout.
    """
    if wanted is not None and wanted is not strided:
        raise RuntimeError(f"layout {wanted} is not supported here: tensors are torch.strided.")
