"""Which ways of computing attention a program allows: ``torch.nn.attention.sdpa_kernel`` and ``torch.backends.cuda``'s older switches.

Of PyTorch's ways two are for CPUs: the fused kernel (``FLASH_ATTENTION``) wherever it fits, else the composition (``MATH``).
The other switches are kept for devices that are not here.
"""

from __future__ import annotations

import enum
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class SDPBackend(enum.Enum):
    """A way of computing scaled dot product attention."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __int__(self) -> int:
        return self.value


allowed = set(SDPBackend) - {SDPBackend.ERROR}
"""What may be taken now."""


def may_fuse(fits: bool) -> bool:
    """Whether the fused kernel is taken, given whether it fits the operands.

    Raises:
        RuntimeError: nothing that is allowed could compute this on a CPU.
    """
    fused, composed = SDPBackend.FLASH_ATTENTION in allowed, SDPBackend.MATH in allowed
    if not fused and not composed:
        raise RuntimeError(
            "No viable backend for scaled_dot_product_attention was found. On a CPU there are SDPBackend.MATH and "
            "SDPBackend.FLASH_ATTENTION, and neither is allowed here."
        )
    if fits and fused:
        return True
    if not composed:
        raise RuntimeError(
            "No available kernel.  Aborting execution. SDPBackend.MATH is not allowed here, and the fused kernel takes only "
            "four-dimensional operands without dropout and without a mask that needs a gradient."
        )
    return False


@contextmanager
def only(backends: set[SDPBackend]) -> Iterator[dict[str, Any]]:
    """Allows just these inside the ``with``."""
    before = set(allowed)
    try:
        allow_only(backends)
        yield {}
    finally:
        allow_only(before)


def allow_only(backends: set[SDPBackend]) -> None:
    """Allows just these from now on."""
    allowed.clear()
    allowed.update(backends - {SDPBackend.ERROR})


def sdpa_kernel(backends: Any, set_priority: bool = False) -> Any:
    """Allows one way, or a list of them, inside the ``with``; on a CPU their order says nothing, whatever ``set_priority``.

    Raises:
        AssertionError: neither one way nor a list, on entering.
    """
    return checked_only(backends)


@contextmanager
def checked_only(backends: Any) -> Iterator[dict[str, Any]]:
    """`only`, looking at what it is given when the ``with`` begins.

    Raises:
        AssertionError: no backends.
    """
    if not isinstance(backends, list | SDPBackend):
        raise AssertionError(
            f"Backend must be an instance of SDPBackend or a list of SDPBackend instances, got {type(backends).__name__}"
        )
    with only(set(backends) if isinstance(backends, list) else {backends}) as nothing:
        yield nothing


def sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True
) -> Any:
    """The older spelling of `sdpa_kernel`."""
    warnings.warn(
        "`torch.backends.cuda.sdp_kernel()` is deprecated: write torch.nn.attention.sdpa_kernel() with a list of backends.",
        FutureWarning,
        stacklevel=2,
    )
    wanted = (enable_flash, enable_math, enable_mem_efficient, enable_cudnn)
    return only({backend for backend, on in zip(SWITCHED, wanted, strict=True) if on})


SWITCHED = (
    SDPBackend.FLASH_ATTENTION,
    SDPBackend.MATH,
    SDPBackend.EFFICIENT_ATTENTION,
    SDPBackend.CUDNN_ATTENTION,
)
"""Those with a switch of their own in ``torch.backends.cuda``."""


def switch(backend: SDPBackend) -> tuple[Any, Any]:
    """What asks whether ``backend`` is allowed, and what says so."""

    def enabled() -> bool:
        return backend in allowed

    def enable(enabled: bool) -> None:
        (allowed.add if enabled else allowed.discard)(backend)

    return enabled, enable


(flash_sdp_enabled, enable_flash_sdp), (math_sdp_enabled, enable_math_sdp) = map(switch, SWITCHED[:2])
(mem_efficient_sdp_enabled, enable_mem_efficient_sdp), (cudnn_sdp_enabled, enable_cudnn_sdp) = map(switch, SWITCHED[2:])
