"""``functorch``: the package that `torch.func` came from, which older programs still import."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from engine.nn.utils import functional_modules
from engine.nn.utils.functional_modules import FunctionalModule, FunctionalModuleWithBuffers
from engine.torch import func
from engine.torch.missing import module_getattr

__all__ = ["FunctionalModule", "FunctionalModuleWithBuffers"]
INSTEAD = {
    "make_functional": "torch.func.functional_call",
    "make_functional_with_buffers": "torch.func.functional_call",
    "combine_state_for_ensemble": "torch.func.stack_module_state",
    "vmap": "torch.vmap",
} | {
    name: f"torch.func.{name}"
    for name in ("functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "vjp")
}
"""What to write today, by old name."""


def deprecated(name: str) -> Callable[..., Any]:
    """The function of that name; each call warns."""
    function: Callable[..., Any] = getattr(func, name, None) or getattr(functional_modules, name)

    @functools.wraps(function)
    def warning(*args: Any, **kwargs: Any) -> Any:
        words = f"`functorch.{name}` is deprecated as of PyTorch 2.0. Please use `{INSTEAD[name]}` instead."
        warnings.warn(words, FutureWarning, stacklevel=2)
        return function(*args, **kwargs)

    return warning


globals().update({name: deprecated(name) for name in INSTEAD})
__getattr__ = module_getattr("functorch", globals())
