"""What to do about an exception, from its type and key phrase (`engine.trace.diagnosis` adds names and lines)."""

from __future__ import annotations

import builtins
import difflib
import re
import sys
from types import ModuleType

from engine.errors import NotHere
from engine.torch.missing import elsewhere
from engine.trace.outcome.phrases import BY_PHRASE

BY_TYPE: dict[type[BaseException], str] = {
    IndentationError: "Lines of one block must begin with the same number of spaces.",
    RecursionError: "A function keeps calling itself: check the condition that should end it.",
    ZeroDivisionError: "Check for zero before dividing Python numbers. (Tensors give inf or nan instead.)",
    AssertionError: "The condition after `assert` was False here: step back to see the values it looked at.",
    StopIteration: "The iterator has no more items: loop over it with `for`, or give next() a default.",
    IndexError: "The index is past the end: print the length or shape first. Indices start at 0.",
    EOFError: "Nothing can be typed in while a snippet runs here.",
    PermissionError: "Files, the network and other processes are out of reach here. Write the data into the snippet.",
    FileNotFoundError: "There are no files here. Write the data into the snippet.",
}


DATA = frozenset(
    "torchvision torchaudio torchtext datasets sklearn pandas scipy cv2 PIL gym gymnasium keras tensorflow torch_geometric".split()
)
"""Packages that are imported for their data, which can be made by hand."""

NOT_PYTHON: tuple[tuple[tuple[str, ...], str], ...] = (
    (("%", "!"), "Lines that begin with % or ! are commands of a notebook, not Python: remove them."),
    ((">>>",), "This is a console session: remove the prompts >>> and …, and the lines that Python answered."),
    (("```",), "The lines with ``` belong to the page that the code was copied from: remove them."),
    (("$",), "This is a command for a terminal, not Python: remove it."),
)
"""What is pasted along with code, by how its line begins, and what to do about it."""


def advice_for(error: BaseException) -> str:
    """What to do, in words; empty when there is nothing better to say than the message."""
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 (the snippet's own __str__; whoever reports the message says so)
        message = ""
    if isinstance(error, ModuleNotFoundError):
        name = error.name or "That module"
        if name.partition(".")[0] in DATA:
            return f"`{name}` is not available here. Make the data by hand, for example with torch.randn(…)."
        return f"`{name}` is not available here. Remove the import and what uses it: the rest can be played without it."
    if isinstance(error, AttributeError):
        return _attribute(error, message)
    if isinstance(error, NameError):
        return _name(error)
    for phrase, advice in BY_PHRASE:
        if phrase in message:
            return advice
    if isinstance(error, SyntaxError) and not isinstance(error, IndentationError):
        begins = (error.text or "").lstrip()
        return next((advice for signs, advice in NOT_PYTHON if begins.startswith(signs)), "") or _syntax(message)
    for kind, advice in BY_TYPE.items():
        if isinstance(error, kind):
            return advice
    return ""


def _attribute(error: AttributeError, message: str) -> str:
    name, owner = error.name, error.obj
    found = re.search(r"has no attribute '([^']+)'", message)
    if name is None and found:
        name = found.group(1)
    if not name:
        return ""
    owner_name = str(getattr(owner, "__name__", "")).replace("engine.torch", "torch")
    is_torch = owner_name.split(".")[0] == "torch" or "torch" in message
    near = close(name, dir(owner) if owner is not None else [])
    if not isinstance(error, NotHere):  # which is a name of PyTorch's, spelled well
        if isinstance(owner, ModuleType) and is_torch:
            return _no_name_of_pytorchs(name, owner_name, near)
        if near:
            return f"Did you mean `{near}`?"
    if owner is None and "NoneType" in message:
        return "The value on the left is None. If it is a .grad, no backward pass has filled it yet."
    if is_torch:
        return (
            f"`{owner_name or 'torch'}.{name}` cannot be used here: of PyTorch, this page has what autograd needs. "
            "Check the spelling, or leave it out."
        )
    if "Tensor" in message:
        return f"Tensors have no `.{name}` here. Check the spelling, or use another method."
    return "Check the spelling, and what kind of object stands on the left."


def _no_name_of_pytorchs(name: str, place: str, near: str) -> str:
    """About a name that no version of a module has had: where PyTorch has it, or what it was to be."""
    if at := elsewhere(name):
        return f"PyTorch has `{name}` in another place: write `{at}`." + (f" Or did you mean `{near}`?" if near else "")
    return f"Did you mean `{near}`?" if near else f"PyTorch has no `{place}.{name}`: check the spelling."


def _name(error: NameError) -> str:
    name = error.name or ""
    if name == "torch":
        return "Put `import torch` at the top."
    usual = {
        "nn": "import torch.nn as nn", "F": "import torch.nn.functional as F", "np": "import numpy as np",
        "optim": "import torch.optim as optim", "plt": "import matplotlib.pyplot as plt", "math": "import math",
    }  # fmt: skip
    if name in usual:
        return f"Put `{usual[name]}` at the top."
    main = sys.modules.get("__main__")
    near = close(name, [*local_names(error), *(vars(main) if main is not None else {}), *dir(builtins)])
    return f"Did you mean `{near}`?" if near else f"Give `{name}` a value before this line."


def local_names(error: BaseException) -> list[str]:
    """The variables of the function that raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return [] if trace is None else list(trace.tb_frame.f_locals)


def _syntax(message: str) -> str:
    if "never closed" in message or "was never" in message:
        return "A bracket is opened and not closed: check the marked place and the line after it."
    if "expected ':'" in message:
        return "A line with if, for, while, def, class or with ends with a colon."
    if "Maybe you meant '=='" in message or "cannot assign" in message:
        return "One = gives a name its value, two == compare."
    return (
        "Python could not read the marked place. Look at it and at the line before: brackets, quotes, commas, colons."
    )


def close(name: str, names: list[str]) -> str:
    """The name most like ``name`` that a person may use, or ''."""
    public = [other for other in names if not other.startswith("_")]
    found = difflib.get_close_matches(name, public, 1, 0.75)
    if found:
        return found[0]
    folded = {other.lower(): other for other in public}
    return folded.get(name.lower(), "")
