"""What a writer of random programs needs whatever it writes: a stream of choices, and what is known of each variable.

A program is a list of statements. Each runs on its own and its error is noted, so a statement may be illegal; most are not, because
the writer keeps track of shapes and dtypes.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any, NamedTuple

Shape = tuple[int, ...]
SHAPES: tuple[Shape, ...] = ((), (2,), (3,), (4,), (2, 3), (3, 2), (3, 3), (1, 3), (2, 1, 3), (2, 3, 4), (0,), (2, 0))
FLOATS = ("float64", "float32")


class Known(NamedTuple):
    """What is known of a variable: its shape (None: not known) and dtype."""

    shape: Shape | None
    dtype: str = "float64"

    @property
    def is_float(self) -> bool:
        """Whether it can require grad."""
        return self.dtype in FLOATS


class Writer:
    """Choices of one seed, the statements so far and what they bound."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.known: dict[str, Known] = {}

    def chance(self, share: float) -> bool:
        """True in that share of cases."""
        return self.random.random() < share

    def choose(self, *options: Any) -> Any:
        """One of them."""
        return self.random.choice(options)

    def say(self, *statements: str) -> None:
        """Adds statements."""
        self.lines += statements

    def bind(self, name: str, expression: str, shape: Shape | None, dtype: str) -> None:
        """``name = expression``."""
        self.lines.append(f"{name} = {expression}")
        self.known[name] = Known(shape, dtype)

    def any(self, fits: Callable[[Known], bool] = lambda _: True) -> str:
        """A variable that fits, late ones more often; empty if there is none."""
        names = [name for name, known in self.known.items() if fits(known)]
        if not names:
            return ""
        return names[-1] if self.chance(0.4) else self.random.choice(names)

    def floating(self, least: int = 0, most: int = 9) -> str:
        """A float variable of known shape with so many dimensions."""
        return self.any(lambda k: k.is_float and k.shape is not None and least <= len(k.shape) <= most)

    def shape(self, name: str) -> Shape:
        """Of a variable whose shape is known."""
        shape = self.known[name].shape
        assert shape is not None
        return shape

    def alike(self, name: str) -> str:
        """A float variable that broadcasts into ``name``'s shape, or a number."""
        shape = self.known[name].shape
        names = [n for n, k in self.known.items() if k.is_float and k.shape in (shape, ())]
        return self.random.choice(names) if names and self.chance(0.8) else str(self.random.randint(1, 6) / 2)

    def numbers(self, shape: Shape, whole: bool = False) -> str:
        """Nested lists of multiples of a quarter, which every float holds exactly, or of whole numbers."""
        if not shape:
            return str(self.random.randint(-3, 3)) if whole else str(self.random.randint(-8, 8) / 4)
        return "[" + ", ".join(self.numbers(shape[1:], whole) for _ in range(shape[0])) + "]"

    def indices(self, shape: Shape, below: int) -> str:
        """A tensor of valid indices."""

        def nested(rest: Shape) -> str:
            if not rest:
                return str(self.random.randrange(below))
            return "[" + ", ".join(nested(rest[1:]) for _ in range(rest[0])) + "]"

        return f"torch.tensor({nested(shape)})" if below else "torch.tensor([], dtype=torch.int64)"

    def leaf(self, name: str, shape: Shape, dtype: str, wants: bool) -> None:
        """A tensor made from numbers."""
        if dtype == "bool":
            self.bind(name, f"torch.tensor({self.numbers(shape)}) > 0", shape, dtype)
            return
        numbers = self.numbers(shape, whole=dtype.startswith("int"))
        asked = ", requires_grad=True" if wants and dtype in FLOATS else ""
        self.bind(name, f"torch.tensor({numbers}, dtype=torch.{dtype}{asked})", shape, dtype)


def reduced(shape: Shape, dim: int, keepdim: bool) -> Shape:
    """The shape without one dimension."""
    at = dim % len(shape)
    return (*shape[:at], *((1,) if keepdim else ()), *shape[at + 1 :])


def size(shape: Shape) -> int:
    """Number of elements."""
    return math.prod(shape)
