"""Runs small stories about autograd and writes down what each tells, as text that both sides can be asked for.

A story is a function ``story(torch, say)``. ``say(*values)`` writes a line, ``say.error(call)`` the error that a call
raises. Warnings are written down where the story ends. Both sides use this module, so it imports neither.
"""

from __future__ import annotations

import importlib
import inspect
import re
import warnings
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

MESSAGE_CHARACTERS = 60
"""How much of a message has to agree: the key phrase; what follows is each side's own."""

THEMES = (
    "anomalies",
    "arrays",
    "asked_for",
    "checkpoints",
    "collating",
    "derivatives",
    "dispatch_modes",
    "edges",
    "empties",
    "forward_mode",
    "function_calls",
    "function_outputs",
    "functions",
    "gradients",
    "graph",
    "hooks",
    "inference",
    "inplace",
    "internals",
    "loader_workers",
    "modes",
    "numbers",
    "passes",
    "refusals",
    "rounding",
    "saved",
    "second_order",
    "second_order_kernels",
    "selective_checkpoints",
    "sparse_arithmetic",
    "sparse_gradients",
    "sparse_layouts",
    "tangents",
    "transforms",
    "vmap_rules",
    "wrong_calls",
)
"""The modules of ``tests/oracle/stories``."""

TOLD_ONCE = (
    "torch.jit",
    "get_attr Node",
    "index_reduce() is in beta",
    "Using backward() with create_graph=True",
    "Converting a tensor with requires_grad=True to a scalar",
    "Creating a tensor from a list of numpy.ndarrays",
    "__array_wrap__ must accept",
    "Sparse invariant checks are implicitly disabled",
    "Sparse CSR tensor support is in beta",
    "Sparse CSC tensor support is in beta",
)
"""Warnings that PyTorch gives once per process, or about itself: which story they fall into is chance."""

Story = Callable[[Any, "Teller"], None]


class Teller:
    """Writes lines."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.lines: list[str] = []

    def __call__(self, *values: Any) -> None:
        self.lines.append(" ".join(self.text(value) for value in values))

    def error(self, call: Callable[[], Any]) -> None:
        """Writes the error's type and how its message begins."""
        try:
            value = call()
        except Exception as error:
            self.lines.append(told(error))
        else:
            self("no error:", value)

    def text(self, value: Any) -> str:
        """A value in short: tensors rounded, nodes by name, the rest by its repr."""
        if isinstance(value, str):
            return value
        if isinstance(value, self.torch.Tensor):
            return tensor_text(value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value).__name__ + "(" + ", ".join(self.text(v) for v in value) + ")"
        if isinstance(value, list | tuple):
            return ("[{}]" if isinstance(value, list) else "({})").format(", ".join(self.text(v) for v in value))
        if isinstance(value, dict):
            return "{" + ", ".join(f"{self.text(k)}: {self.text(v)}" for k, v in value.items()) + "}"
        if hasattr(value, "next_functions"):
            return str(value.name())
        if isinstance(value, float):
            return f"{value:.5g}"
        return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def told(error: BaseException) -> str:
    """An error's type and how its message begins, without addresses."""
    phrase, _, _ = str(error).strip().partition("\n\n")  # what follows an empty line are our own words
    message = re.sub(r"0x[0-9a-f]+", "0x", phrase)
    return f"{type(error).__name__}: {message[:MESSAGE_CHARACTERS]}"


def tensor_text(tensor: Any) -> str:
    """Values to five digits, and what else a reader sees of it."""
    values = tensor.detach().tolist()
    marks = [str(tensor.dtype).removeprefix("torch.")] if str(tensor.dtype) != "torch.float32" else []
    if tensor.grad_fn is not None:
        marks.append(tensor.grad_fn.name())
    elif tensor.requires_grad:
        marks.append("leaf")
    return f"{rounded(values)}" + (f"<{','.join(marks)}>" if marks else "")


def rounded(value: Any) -> Any:
    """Nested numbers to five digits."""
    if isinstance(value, list):
        return "[" + " ".join(rounded(v) for v in value) + "]"
    if isinstance(value, float | complex):
        return f"{value + 0.0:.5g}"
    return str(value)


def stories(module: ModuleType) -> Iterator[tuple[str, Story]]:
    """The functions of a module that are stories, in order."""
    for name, value in list(vars(module).items()):
        if inspect.isfunction(value) and [*inspect.signature(value).parameters] == ["torch", "say"]:
            yield name, value


def tell(story: Story, torch: Any) -> list[str]:
    """All lines of a story, the error that ended it, and the warnings on the way."""
    teller = Teller(torch)
    torch.manual_seed(0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            story(torch, teller)
        except Exception as error:
            teller.lines.append(f"ended by {told(error)}")
        finally:
            torch.set_grad_enabled(True)
    told_warnings = [
        f"warned {w.category.__name__}: {str(w.message).strip()[:MESSAGE_CHARACTERS]}"
        for w in caught
        if not any(phrase in str(w.message) for phrase in TOLD_ONCE)
    ]
    return teller.lines + told_warnings


def all_stories(theme: str) -> Iterator[tuple[str, Story]]:
    """The stories of one theme."""
    return stories(importlib.import_module(f"tests.oracle.stories.{theme}"))
