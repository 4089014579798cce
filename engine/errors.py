"""What we raise where PyTorch would have gone on, and how our words follow PyTorch's.

Errors that PyTorch raises too keep PyTorch's type and words (what people paste into a search box, and what programs print):
`Explained` has our own explanation beside them. Where there is nothing of PyTorch's to repeat, `explained` joins the two.
"""

from __future__ import annotations

import operator
from typing import Any, Self


class NotHere(AttributeError):
    """A name that PyTorch has and this engine does not (yet); the message says what there is instead.

    An AttributeError, so that ``hasattr`` answers no and ``from torch import …`` fails as an import.
    """


class OutOfMemoryError(RuntimeError):
    """``torch.OutOfMemoryError``, to be caught: no accelerator runs out of memory here."""

    __module__ = "torch"


class AcceleratorError(RuntimeError):
    """``torch.AcceleratorError``, to be caught: there is no accelerator that could fail."""

    __module__ = "torch"


def explained(phrase: str, explanation: str) -> str:
    """PyTorch's sentence first, then ours on a paragraph of its own."""
    return f"{phrase}\n\n{explanation}" if explanation else phrase


class Explained(str):
    """PyTorch's words of an error, all that a program sees and prints, with our explanation for whoever tells how a run ended."""

    __slots__ = ("explanation",)
    explanation: str

    def __new__(cls, phrase: str, explanation: str = "") -> Self:
        """Reads as the phrase. A copy is made of that alone, and given the explanation afterwards."""
        made = super().__new__(cls, phrase)
        made.explanation = explanation
        return made


def explanation_of(error: BaseException) -> str:
    """What we say of an error beside PyTorch's words; empty for most."""
    said = error.args[0] if error.args else None
    return said.explanation if isinstance(said, Explained) else ""


def require_bool(value: Any, function: str, argument: str, position: int | None = None) -> None:
    """Refuses what Python would take for true or false and PyTorch does not.

    Raises:
        TypeError: in PyTorch's words, for anything but a Python bool.
    """
    if type(value) is not bool:
        place = f" (position {position})" if position else ""
        kind = f"numpy.{type(value).__name__}" if type(value).__module__ == "numpy" else type(value).__name__
        raise TypeError(f"{function}(): argument '{argument}'{place} must be bool, not {kind}")


def as_flag(value: Any) -> bool:
    """A switch that PyTorch reads as a C int: whole numbers will do.

    Raises:
        TypeError: Python's own, "object cannot be interpreted as an integer".
    """
    return bool(operator.index(value))
