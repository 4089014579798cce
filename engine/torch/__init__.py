"""The drop-in ``torch`` that snippets import, assembled from the catalogue and the modules below it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from typing import Any as _Any

from engine import ops as _ops  # noqa: F401
from engine.autograd import backward as _backward
from engine.autograd.modes import enable_grad, inference_mode, is_grad_enabled, is_inference_mode_enabled, no_grad, set_grad_enabled
from engine.dtype import ALIASES as _ALIASES
from engine.dtype import ALL as _ALL
from engine.dtype import dtype
from engine.ops.catalogue import TABLES as _TABLES
from engine.ops.random_state import Generator, default_generator
from engine.size import Size
from engine.tensor import Parameter, Tensor

globals().update({d.name: d for d in _ALL} | _ALIASES | _TABLES["torch"])
__version__ = "2.13.0"

if TYPE_CHECKING:

    def __getattr__(name: str) -> _Any: ...


from engine.torch import autograd as autograd  # noqa: E402 (the functions above come first)
from engine.torch import func as func  # noqa: E402
from engine.torch import random as random  # noqa: E402
from engine.transforms.vmap import vmap as vmap  # noqa: E402
