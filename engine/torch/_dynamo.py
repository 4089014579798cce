"""``torch._dynamo``: what tests of autograd ask of the compiler's front, which changes nothing: every line runs as it is written."""

from __future__ import annotations

from typing import Any

from engine.torch.compiler import Unchanged, disable, is_compiling
from engine.torch.compiler import allow_in_graph as allow_in_graph
from engine.torch.compiler import assume_constant_result as assume_constant_result
from engine.torch.compiler import reset as reset
from engine.torch.missing import module_getattr


class Configuration:
    """``torch._dynamo.config``: settings can be made, and nobody asks for them."""

    def patch(self, arg: Any = None, value: Any = None, **settings: Any) -> Unchanged:
        """A decorator and context that changes nothing."""
        return Unchanged()


config = Configuration()


def mark_dynamic(t: Any, index: Any, **bounds: Any) -> None:
    """Which dimension may differ from call to call: all may."""


mark_static = maybe_mark_dynamic = mark_dynamic


def graph_break(msg: str = "") -> None:
    """There is no graph to break."""


__all__ = [
    "allow_in_graph", "assume_constant_result", "config", "disable", "graph_break", "is_compiling", "mark_dynamic", "mark_static",
    "maybe_mark_dynamic", "reset",
]  # fmt: skip

__getattr__ = module_getattr("torch._dynamo", globals())
