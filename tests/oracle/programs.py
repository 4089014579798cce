"""Random small programs, and what can be observed of one: its values, its graph, its backward pass.

Both sides use this module, real PyTorch to answer and the engine to be judged, so it imports neither.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

SHAPES: tuple[tuple[int, ...], ...] = ((), (), (2,), (3,), (2, 3), (1, 3), (3, 2), (2, 1))
UNARY = ("exp()", "relu()", "tanh()", "sigmoid()", "sum()", "mean()", "neg()", "abs().add(0.5).log()")
BINARY = ("+", "-", "*", "/", "**")
LONGEST = 9
"""Operations in a program at most: deeper, and rounding would drown what is compared."""
MESSAGE_CHARACTERS = 30
"""How much of an error's message has to agree: the key phrase; what follows is each side's own."""


class Writer:
    """Writes one program, line by line, knowing the shape of each variable so that most of it is legal."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.shapes: dict[str, tuple[int, ...]] = {}

    def program(self) -> str:
        """The source text."""
        for name in "abc"[: self.random.randint(1, 3)]:
            self.leaf(name, self.random.choice(SHAPES))
        for number in range(self.random.randint(2, LONGEST)):
            self.operation(f"v{number}")
        self.ending()
        return "\n".join(self.lines) + "\n"

    def leaf(self, name: str, shape: tuple[int, ...]) -> None:
        """A tensor made from numbers; most ask for gradients."""
        wants = self.random.random() < 0.8 or not self.shapes
        self.bind(name, f"torch.tensor({self.numbers(shape)}{', requires_grad=True' if wants else ''})", shape)

    def numbers(self, shape: tuple[int, ...]) -> str:
        """Nested lists of multiples of a quarter, which every float holds exactly."""
        if not shape:
            return str(self.random.randint(-10, 10) / 4)
        return "[" + ", ".join(self.numbers(shape[1:]) for _ in range(shape[0])) + "]"

    def bind(self, name: str, expression: str, shape: tuple[int, ...], indent: str = "") -> None:
        """``name = expression``."""
        self.lines.append(f"{indent}{name} = {expression}")
        self.shapes[name] = shape

    def operation(self, name: str) -> None:
        """One more variable made from earlier ones, by any of the ways that the first lesson's readers use."""
        kinds: tuple[Callable[[str], None], ...] = (
            self.unary, self.unary, self.binary, self.binary, self.binary, self.matrix, self.matrix, self.constant,
            self.power, self.index, self.loop, self.branch, self.outside,
        )  # fmt: skip
        self.random.choice(kinds)(name)

    def some(self) -> str:
        """An earlier variable; late ones more often, so that graphs grow deep as well as wide."""
        names = list(self.shapes)
        return names[-1] if self.random.random() < 0.5 else self.random.choice(names)

    def unary(self, name: str) -> None:
        source, method = self.some(), self.random.choice(UNARY)
        self.bind(name, f"{source}.{method}", () if method in ("sum()", "mean()") else self.shapes[source])

    def binary(self, name: str) -> None:
        left, right, symbol = self.some(), self.some(), self.random.choice(BINARY)
        shape = broadcast_shape(self.shapes[left], self.shapes[right])
        if shape is None:
            self.unary(name)
        elif symbol == "**":
            self.bind(name, f"({left} * 0.25).exp() ** {right}.tanh()", shape)
        else:
            self.bind(name, f"{left} {symbol} {right}", shape)

    def matrix(self, name: str) -> None:
        """A product with a weight that fits: vector or matrix on either side."""
        source = self.some()
        shape = self.shapes[source]
        if not shape:
            self.binary(name)
            return
        weight, columns = f"w{name}", self.random.choice(((), (2,), (3,)))
        self.leaf(weight, (shape[-1], *columns))
        self.bind(name, f"{source} @ {weight}", (*shape[:-1], *columns))

    def constant(self, name: str) -> None:
        source, number = self.some(), self.random.randint(1, 9) / 2
        expression = self.random.choice(
            ("{t} + {n}", "{n} - {t}", "{t} * {n}", "{n} * {t}", "{t} / {n}", "{n} / ({t} * {t} + 1)")
        )
        self.bind(name, expression.format(t=source, n=number), self.shapes[source])

    def power(self, name: str) -> None:
        source = self.some()
        self.bind(name, f"{source} ** {self.random.choice((2, 3, 2.0, 1, 0))}", self.shapes[source])

    def index(self, name: str) -> None:
        source = self.some()
        if not self.shapes[source]:
            self.unary(name)
            return
        last = self.shapes[source][0] - 1
        key, shape = self.random.choice(
            (
                (str(last), self.shapes[source][1:]),
                ("-1", self.shapes[source][1:]),
                (f"{last}:", (1, *self.shapes[source][1:])),
            )
        )
        self.bind(name, f"{source}[{key}]", shape)

    def loop(self, name: str) -> None:
        source = self.some()
        self.bind(name, source, self.shapes[source])
        self.lines.append(f"for turn in range({self.random.randint(1, 3)}):")
        self.bind(name, f"{name} * 0.5 + {source}", self.shapes[source], "    ")

    def branch(self, name: str) -> None:
        source = self.some()
        self.lines.append(f"if {source}.sum() > 0:")
        self.bind(name, f"{source} * 2", self.shapes[source], "    ")
        self.lines.append("else:")
        self.bind(name, f"{source}.tanh()", self.shapes[source], "    ")

    def outside(self, name: str) -> None:
        """A value that leaves the graph."""
        source = self.some()
        if self.random.random() < 0.5:
            self.bind(name, f"{source}.detach()", self.shapes[source])
            return
        self.lines.append("with torch.no_grad():")
        self.bind(name, f"{source} + 1", self.shapes[source], "    ")

    def ending(self) -> None:
        """A scalar from everything, so that most paths meet, and one or two backward passes through it."""
        terms = " + ".join(f"{name}.sum()" for name in self.random.sample(list(self.shapes), min(3, len(self.shapes))))
        self.bind("loss", terms, ())
        for name in self.shapes:
            if name.startswith("v") and self.random.random() < 0.15:
                self.lines.append(f"if {name}.requires_grad: {name}.retain_grad()")
        self.lines.append("look(loss)")
        match self.random.randint(0, 9):
            case 0:
                self.lines += ["loss.backward()", "loss.backward()"]
            case 1 | 2:
                self.lines += ["loss.backward(retain_graph=True)", "loss.backward()"]
            case _:
                self.lines.append("loss.backward()")


def broadcast_shape(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...] | None:
    """The shape of an element-wise result; None when the shapes don't fit."""
    length = max(len(left), len(right))
    padded = zip((1,) * (length - len(left)) + left, (1,) * (length - len(right)) + right, strict=True)
    found = []
    for one, other in padded:
        if one != other and 1 not in (one, other):
            return None
        found.append(max(one, other))
    return tuple(found)


def observe(torch: ModuleType, seed: int) -> dict[str, Any]:
    """Runs the program of ``seed`` on ``torch`` and tells everything that both sides must agree on."""
    source = Writer(seed).program()
    seen: dict[str, Any] = {"graph": [], "order": []}
    variables: dict[str, Any] = {"torch": torch, "look": looking(seen, describe)}
    try:
        exec(source, variables)
    except Exception as error:
        seen["error"] = [type(error).__name__, str(error)[:MESSAGE_CHARACTERS]]
    seen["variables"] = {name: tensor(value) for name, value in variables.items() if isinstance(value, torch.Tensor)}
    return seen


def looking(notes: dict[str, list[Any]], told: Callable[[Any, list[Any]], dict[str, Any]]) -> Callable[[Any], None]:
    """A program's ``look(loss)``: notes the ``graph`` below a loss, each node as ``told``, and the ``order`` in which they will run."""

    def look(loss: Any) -> None:
        nodes = graph(loss)
        notes["graph"] = [told(node, nodes) for node in nodes]
        for number, node in enumerate(nodes):
            node.register_hook(lambda *_, number=number: notes["order"].append(number))

    return look


def graph(root: Any) -> list[Any]:
    """All nodes below ``root``, depth first in the order of ``next_functions``."""
    found: list[Any] = []
    waiting = [root.grad_fn] if root.grad_fn is not None else []
    while waiting:
        node = waiting.pop()
        if node in found:
            continue
        found.append(node)
        waiting.extend(following for following, _ in reversed(node.next_functions) if following is not None)
    return found


def describe(node: Any, nodes: list[Any]) -> dict[str, Any]:
    """A node's name, edges and saved values."""
    return {
        "name": node.name(),
        "edges": [
            None if following is None else [nodes.index(following), number] for following, number in node.next_functions
        ],
        "saved": {name: plain(getattr(node, name)) for name in sorted(dir(node)) if name.startswith("_saved_")},
    }


def tensor(value: Any) -> dict[str, Any]:
    """What a person can ask a tensor."""
    # Reading .grad of what is no leaf warns, on both sides; whether there is one is told without asking it.
    readable = value.is_leaf or value.retains_grad
    return {
        "value": plain(value),
        "shape": list(value.shape),
        "requires_grad": value.requires_grad,
        "is_leaf": value.is_leaf,
        "grad_fn": None if value.grad_fn is None else value.grad_fn.name(),
        "grad": plain(value.grad) if readable else None,
    }


def plain(value: Any) -> Any:
    """A value as JSON can hold it, floats to seven digits."""
    if hasattr(value, "tolist"):
        return plain(value.detach().tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return float(f"{value:.7g}") if math.isfinite(value) else str(value)
    return value if value is None or isinstance(value, bool | int | str) else str(value)
