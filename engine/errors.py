"""What we raise where PyTorch would have gone on, and how our words follow PyTorch's.

Errors that PyTorch raises too keep PyTorch's type and open with its key phrase (what people paste into a search box);
`explained` joins it with our own explanation.
"""

from __future__ import annotations


class NotHere(AttributeError):
    """A name that PyTorch has and this engine does not (yet); the message says what there is instead.

    An AttributeError, so that ``hasattr`` answers no and ``from torch import …`` fails as an import.
    """


def explained(phrase: str, explanation: str) -> str:
    """PyTorch's sentence first, then ours on a paragraph of its own."""
    return f"{phrase}\n\n{explanation}" if explanation else phrase
