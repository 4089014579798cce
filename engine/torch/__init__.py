"""The drop-in ``torch`` that snippets import, assembled from the catalogue and the modules below it."""

from __future__ import annotations

from engine.torch.undisturbed import over as _import_is_over

# isort: split
import functools as _functools
import importlib as _importlib
from typing import Any as _Any

from engine import ops as _ops
from engine.autograd import backward as _backward
from engine.autograd.anomaly import is_anomaly_check_nan_enabled, is_anomaly_enabled
from engine.autograd.modes import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from engine.dtype import ALIASES as _ALIASES
from engine.dtype import ALL as _ALL
from engine.dtype import dtype
from engine.ops.core.catalogue import TABLES as _TABLES
from engine.ops.core.catalogue import WHEN_DECLARED as _WHEN_DECLARED
from engine.ops.core.catalogue import declare_late_families as _declare_late_families
from engine.ops.random.state import Generator, default_generator
from engine.size import Size
from engine.tensor import Tensor
from engine.torch.missing import as_spelled as _as_spelled
from engine.torch.missing import declare_missing_methods as _declare_missing_methods
from engine.torch.missing import missing as _missing

globals().update({d.name: d for d in _ALL} | _ALIASES | _as_spelled("torch", _TABLES["torch"]))
__version__ = "2.13.0"

_LAZY = frozenset(
    "__config__ __future__ _C _VF _dynamo _tensor_str _vmap_internals accelerator amp autograd backends compiler cpu cuda "
    "distributed distributions fft func functional jit library linalg masked mps nn ops optim overrides profiler random return_types "
    "serialization signal sparse special testing types utils version xpu".split()
)
"""Submodules imported when they are first asked for: not every snippet needs them, and importing torch should be quick."""

_LATE = {
    "AcceleratorError": "engine.errors",
    "GradScaler": "engine.optim.grad_scaler",
    "OutOfMemoryError": "engine.errors",
    "compile": "engine.nn.compiled",
    "from_dlpack": "engine.torch.utils.dlpack",
    "load": "engine.torch.serialization",
    "lobpcg": "engine.transforms.lobpcg",
    "save": "engine.torch.serialization",
    "to_dlpack": "engine.torch.utils.dlpack",
    "vmap": "engine.transforms.vmap",
    **dict.fromkeys(("get_deterministic_debug_mode", "set_deterministic_debug_mode"), "engine.utils.debug_mode"),
    **dict.fromkeys(
        ("sym_float", "sym_int", "sym_ite", "sym_max", "sym_min", "sym_not", "sym_sum"), "engine.utils.symbolic_numbers"
    ),
    **dict.fromkeys(
        (
            "autocast", "clear_autocast_cache", "get_autocast_cpu_dtype", "get_autocast_dtype", "get_autocast_gpu_dtype",
            "is_autocast_cache_enabled", "is_autocast_cpu_enabled", "is_autocast_enabled", "set_autocast_cache_enabled",
            "set_autocast_dtype", "set_autocast_enabled",
        ),
        "engine.transforms.autocast_mode",
    ),
}  # fmt: skip
"""Functions and classes that are reached so too, and where each is."""

_SPARSE = frozenset(
    "sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor sparse_csr_tensor spmm".split()
)
"""Operators that are declared when one of them is first asked for."""


@_functools.cache
def _show_late_families() -> None:
    """Adds their names; what a program has put in their place meanwhile stays."""
    globals().update(_as_spelled("torch", _TABLES["torch"]) | globals())


_WHEN_DECLARED.append(_show_late_families)


def __getattr__(name: str) -> _Any:
    if name in _LAZY:
        return _importlib.import_module(f"engine.torch.{name}")
    if name in _LATE:
        return getattr(_importlib.import_module(_LATE[name]), name)
    if name in _SPARSE:
        _importlib.import_module("engine.ops.sparse")
        return _TABLES["torch"][name]
    _declare_late_families()
    if name in globals():
        return globals()[name]
    from engine.torch.addresses import module_at  # here, since it reads a long list

    module = module_at(f"torch.{name}")
    if module is not None:
        return module
    raise _missing("torch", name, globals())


def __dir__() -> list[str]:
    """Every name, those of late families included."""
    _declare_late_families()
    return sorted(globals())


_declare_missing_methods()
_import_is_over()
