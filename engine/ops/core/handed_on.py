"""What functions that are Python in PyTorch hand on to its kernels.

Only there does PyTorch's argument parser meet their numbers and flags, by the kernel's name and order.
"""

from __future__ import annotations

from typing import Any

from engine.ops.core.misuse import kind_of
from engine.tensor import Tensor

USUAL: dict[str, frozenset[type]] = {
    "bool": frozenset({bool}),
    "int": frozenset({int}),
    "int[size]": frozenset({int}),
    "float": frozenset({float, int}),
    "Number": frozenset({float, int}),
    "str": frozenset({str}),
    "Tensor": frozenset({Tensor}),
}
"""Types that fit without a further look."""


def require_kind(value: Any, kind: str, function: str, argument: str, position: int | None = None) -> None:
    """Refuses what the argument parser takes for no value of this kind.

    Args:
        kind: as signatures write it (`engine.ops.core.kinds`).
        position: where the kernel has the argument, from one on; None if it is given by name.

    Raises:
        TypeError: in the parser's words.
    """
    if type(value) in USUAL[kind]:
        return
    from engine.ops.core.kinds import fits  # here, since importing torch should be quick
    from engine.ops.core.known_signatures import as_shown

    if not fits(kind, value, function):
        place = f" (position {position})" if position else ""
        raise TypeError(f"{function}(): argument '{argument}'{place} must be {as_shown(kind)}, not {kind_of(value)}")


def require_whole_row(values: Any, function: str, argument: str, position: int) -> None:
    """Refuses what is no row of whole numbers.

    Raises:
        TypeError: in the parser's words.
    """
    from engine.ops.core.kinds import is_index  # here, since importing torch should be quick

    words = f"{function}(): argument '{argument}' (position {position}) must be tuple of ints"
    if not isinstance(values, list | tuple):
        raise TypeError(f"{words}, not {kind_of(values)}")
    if values and not is_index(values[0]):
        raise TypeError(f"{words}, but found element of type {kind_of(values[0])} at pos 0")
