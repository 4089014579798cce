"""``torch.autocast``: the block (and decorator) in which operators choose their precision."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from engine import dtype as dtypes
from engine.autograd.modes import state as modes
from engine.ops.core.autocast import state, switch
from engine.placement import DEVICE_TYPES

SUPPORTED = (dtypes.bfloat16, dtypes.float16)
DEFAULTS = {"cpu": dtypes.bfloat16}


def older_spelling(device: str, name: str) -> None:
    """Warns that ``torch.<device>.amp`` is an older place of what ``torch.amp`` has."""
    warnings.warn(
        f"`torch.{device}.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('{device}', args...)` instead.",
        FutureWarning,
        stacklevel=3,
    )


class autocast:
    """``with torch.autocast("cpu", dtype=torch.bfloat16):`` products run in bfloat16, losses in float32.

    Args:
        device_type: "cpu"; for another one the block does nothing, as in a PyTorch without it.
        dtype: bfloat16 (the default) or float16.
        enabled: False switches the mode off inside.
        cache_enabled: keep converted weights until the outermost block ends.

    Raises:
        ValueError: a device type that is no string.
        RuntimeError: one that does not exist.
    """

    __module__ = "torch.amp.autocast_mode"

    def __init__(
        self,
        device_type: str,
        dtype: dtypes.dtype | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if device_type not in DEVICE_TYPES:
            raise RuntimeError(
                f"Expected one of {', '.join(DEVICE_TYPES)} device type at start of device string: {device_type}"
            )
        self.device = device_type
        self.fast_dtype = dtype or DEFAULTS.get(device_type, dtypes.float16)
        self._caching = state.caching if cache_enabled is None else cache_enabled
        if device_type == "cuda" and enabled:
            warnings.warn("CUDA is not available or torch_xla is imported. Disabling autocast.", stacklevel=2)
            enabled = False
        elif device_type == "cpu" and enabled and self.fast_dtype not in SUPPORTED:
            warnings.warn(
                "In CPU autocast, but the target dtype is not supported. Disabling autocast.\nCPU Autocast only supports dtypes "
                "of torch.bfloat16, torch.float16 currently.",
                stacklevel=2,
            )
            enabled = False
        self._enabled = enabled
        self._before: list[tuple[bool, dtypes.dtype, bool]] = []

    def __enter__(self) -> autocast:
        self._before.append((modes.autocast, state.dtype, state.caching))
        state.depth += 1
        if self.device == "cpu":
            state.dtype = self.fast_dtype
            switch(self._enabled)
        state.caching = self._caching
        return self

    def __exit__(self, *error: object) -> None:
        enabled, state.dtype, state.caching = self._before.pop()
        switch(enabled)
        state.depth -= 1
        if not state.depth:
            state.copies.clear()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, run inside the block."""

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return call


def is_autocast_available(device_type: str) -> bool:
    """Whether there is an autocast for that type of device."""
    return device_type in ("cpu", "cuda", "xpu", "mps", "hpu", "mtia", "maia", "xla", "ipu", "privateuseone")


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether operators on that type of device cast."""
    return device_type == "cpu" and modes.autocast


def get_autocast_dtype(device_type: str) -> dtypes.dtype:
    """To what they cast."""
    return state.dtype if device_type == "cpu" else dtypes.float16


def set_autocast_enabled(device_type: str, enabled: bool) -> None:
    """Switches the mode on the CPU on or off."""
    if device_type == "cpu":
        switch(enabled)


def set_autocast_dtype(device_type: str, dtype: dtypes.dtype) -> None:
    """Chooses to what operators on the CPU cast."""
    if device_type == "cpu":
        state.dtype = dtype


def is_autocast_cpu_enabled() -> bool:
    """The older spelling of ``is_autocast_enabled("cpu")``."""
    deprecated("torch.is_autocast_cpu_enabled()", "torch.is_autocast_enabled('cpu')")
    return modes.autocast


def get_autocast_cpu_dtype() -> dtypes.dtype:
    """The older spelling of ``get_autocast_dtype("cpu")``."""
    deprecated("torch.get_autocast_cpu_dtype()", "torch.get_autocast_dtype('cpu')")
    return state.dtype


def get_autocast_gpu_dtype() -> dtypes.dtype:
    """The older spelling of ``get_autocast_dtype("cuda")``."""
    deprecated("torch.get_autocast_gpu_dtype()", "torch.get_autocast_dtype('cuda')")
    return dtypes.float16


def deprecated(old: str, new: str) -> None:
    """PyTorch's warning."""
    warnings.warn(f"{old} is deprecated. Please use {new} instead.", DeprecationWarning, stacklevel=3)


def is_autocast_cache_enabled() -> bool:
    """Whether converted weights are kept."""
    return state.caching


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Whether converted weights are to be kept."""
    state.caching = enabled


def clear_autocast_cache() -> None:
    """Forgets converted weights."""
    state.copies.clear()


def custom_fwd(
    function: Callable[..., Any] | None = None, *, device_type: str, cast_inputs: dtypes.dtype | None = None
) -> Callable[..., Any]:
    """For ``forward`` of a custom Function: remembers the mode for ``backward``; casts inputs and leaves the mode if asked."""
    if function is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        ctx = args[0]
        ctx._dtype = get_autocast_dtype(device_type)
        ctx._fwd_used_autocast = is_autocast_enabled(device_type) if cast_inputs is None else False
        if cast_inputs is None or not is_autocast_enabled(device_type):
            return function(*args, **kwargs)
        with autocast(device_type, enabled=False):
            converted = [
                a.to(cast_inputs) if hasattr(a, "is_floating_point") and a.is_floating_point() else a for a in args
            ]
            return function(*converted, **kwargs)

    return call


def custom_bwd(function: Callable[..., Any] | None = None, *, device_type: str) -> Callable[..., Any]:
    """For ``backward`` of a custom Function: runs in the mode that ``forward`` ran in."""
    if function is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        ctx = args[0]
        with autocast(device_type, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return function(*args, **kwargs)

    return call
