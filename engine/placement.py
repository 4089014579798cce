"""Where and how elements lie: devices, layouts, memory formats. Here everything lies on the CPU, or nowhere (``meta``).

The other devices can be named, because snippets name them; asking for a tensor on one is refused in PyTorch's words.
"""

from __future__ import annotations

import operator
import re
from typing import Any, Self

from engine.errors import Explained
from engine.spelled import Spelled

DEVICE_TYPES = (
    "cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla", "lazy",
    "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone",
)  # fmt: skip


BACKENDS = {
    "mps": "MPS", "vulkan": "Vulkan", "ipu": "IPU", "lazy": "Lazy", "hip": "HIP", "ve": "VE", "fpga": "FPGA", "xla": "XLA",
    "maia": "MAIA",
}  # fmt: skip
"""Devices for which PyTorch has no code on this machine, as its dispatcher calls them."""
NOT_HERE = "No such device is here: tensors live on the CPU; leave device= out."


class device(Spelled):
    """``torch.device``: a type (``cpu``) and perhaps an index."""

    __module__ = "torch"

    __slots__ = ("index", "type")

    def __init__(self, type: Any = "cpu", index: int | None = None) -> None:
        if isinstance(type, device):
            type, index = type.type, type.index
        elif not isinstance(type, str | int):
            kind = type.__class__.__name__
            raise TypeError(
                f"device() received an invalid combination of arguments - got ({kind}), but expected one of:\n"
                f" * (torch.device device)\n      didn't match because some of the arguments have invalid types: (!{kind}!)\n"
                " * (str type, int index = -1)\n"
            )
        elif not isinstance(type, str):
            raise RuntimeError("Cannot access accelerator device when none is available.")
        if index is not None:
            if isinstance(index, bool) or not hasattr(index, "__index__"):
                raise TypeError(f"device(): argument 'index' (position 2) must be int, not {index.__class__.__name__}")
            index = operator.index(index)
        if type not in DEVICE_TYPES:
            if not type:
                raise RuntimeError("Device string must not be empty")
            form = re.fullmatch(r"([a-zA-Z_]+)(?::(0|[1-9]\d*))?", type)
            if form is None:
                raise RuntimeError(f"Invalid device string: '{type}'")
            type = form[1]
            if type not in DEVICE_TYPES:
                known = ", ".join(DEVICE_TYPES)
                raise RuntimeError(f"Expected one of {known} device type at start of device string: {type}")
            index = int(form[2])
        self.type: str = type
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
        """New tensors are made there inside."""
        there = placed(self)
        default.outside.append(default.where)
        default.where = there
        return self

    def __exit__(self, *exception: object) -> None:
        """Back to where they were made before."""
        default.where = default.outside.pop()


class _Named(Spelled):
    """A constant that prints as ``torch.<name>``."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __dir__(self) -> list[str]:
        """Without the name, which PyTorch's have in their repr only."""
        return [name for name in super().__dir__() if name != "name"]


class layout(_Named):
    """``torch.layout``."""

    __module__ = "torch"

    __slots__ = ()


class memory_format(_Named):
    """``torch.memory_format``."""

    __module__ = "torch"

    __slots__ = ()


CPU: device = device("cpu")
META: device = device("meta")
strided, sparse_coo = layout("strided"), layout("sparse_coo")
sparse_csr, sparse_csc = layout("sparse_csr"), layout("sparse_csc")
sparse_bsr, sparse_bsc = layout("sparse_bsr"), layout("sparse_bsc")
contiguous_format, preserve_format = memory_format("contiguous_format"), memory_format("preserve_format")
channels_last, channels_last_3d = memory_format("channels_last"), memory_format("channels_last_3d")


NO_COPY = "Cannot copy out of meta tensor; no data!"
"""What PyTorch says to whoever asks a meta tensor for elements."""


class Default:
    """Where new tensors are made if nothing is said: ``torch.set_default_device``, or a device as a context."""

    __slots__ = ("outside", "where")

    def __init__(self) -> None:
        self.where: device = CPU
        self.outside: list[device] = []
        """What it was outside of each context, outermost first."""


default = Default()


def placed(where: Any, moved: bool = False) -> device:
    """The CPU or the meta device, by any of their names; None means the default.

    Args:
        moved: elements that are there already go to the device.

    Raises:
        AssertionError, RuntimeError, NotImplementedError: for any other device, as PyTorch without it.
    """
    if where is None:
        return default.where
    named = where if isinstance(where, device) else device(where)
    if named.type == "cpu":
        return CPU
    if named.type == "meta":
        return META
    if named.type == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    if named.type == "xpu":
        raise AssertionError("Torch not compiled with XPU enabled")
    if named.type in BACKENDS:
        if moved:
            raise RuntimeError(Explained(f"PyTorch is not linked with support for {named.type} devices", NOT_HERE))
        raise NotImplementedError(
            f"Could not run 'aten::empty.memory_format' with arguments from the '{BACKENDS[named.type]}' backend. {NOT_HERE}"
        )
    raise NotImplementedError(
        f"Could not run on the '{named}' device: no such device here. Tensors live on the CPU; leave device= out."
    )


def require_cpu(where: Any) -> None:
    """Accepts None and the CPU.

    Raises:
        AssertionError, RuntimeError, NotImplementedError: for any other device, as PyTorch without it.
    """
    if where is not None and placed(where) is META:
        raise NotImplementedError("Could not run on the 'meta' device: this needs elements; leave device= out.")


def require_strided(wanted: Any) -> None:
    """Accepts None and ``torch.strided``.

    Raises:
        RuntimeError: for any other layout.
    """
    if wanted is not None and wanted is not strided:
        raise RuntimeError(f"layout {wanted} is not supported here: tensors are torch.strided.")
