"""A wide program: statements of every kind, made from a seed."""

from __future__ import annotations

from collections.abc import Callable

from tests.oracle.wide.graph_steps import GraphSteps
from tests.oracle.wide.operators import Operators
from tests.oracle.wide.views import Views
from tests.oracle.wide.writer import FLOATS, SHAPES

LONGEST = 12
"""Steps at most."""


class Program(Operators, Views, GraphSteps):
    """Writes one program."""

    def statements(self) -> list[str]:
        """The statements, in order."""
        dtype = self.choose(*FLOATS)
        shapes = SHAPES if self.chance(0.3) else SHAPES[:8]
        for name in "abc"[: self.random.randint(1, 3)]:
            self.leaf(
                name,
                self.random.choice(shapes),
                dtype if self.chance(0.9) else self.choose(*FLOATS),
                wants=self.chance(0.8),
            )
        if self.chance(0.3):
            self.leaf("k", self.random.choice(shapes), self.choose("int64", "int32", "bool", "int64"), wants=False)
        for number in range(self.random.randint(3, LONGEST)):
            self.step(f"v{number}")
        self.ending()
        return self.lines

    def step(self, name: str) -> None:
        """One more statement."""
        kinds: tuple[tuple[Callable[[str], None], int], ...] = (
            (self.pointwise, 4), (self.pair, 4), (self.reduction, 3), (self.across, 3), (self.ranked, 3), (self.shapeless, 2),
            (self.other_dtype, 2), (self.settle, 1), (self.view, 6), (self.several_views, 2), (self.write, 6), (self.detach_, 1),
            (self.unrecorded, 2), (self.backward, 4), (self.hook, 4), (self.custom, 3), (self.saved, 1), (self.module, 1),
            (self.flag, 1), (self.mistake, 1), (self.control, 1),
        )  # fmt: skip
        step = self.random.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0]
        step(name)

    def ending(self) -> None:
        """Most paths meet in a loss, which is derived once or twice."""
        floats = [name for name, known in self.known.items() if known.is_float]
        chosen = self.random.sample(floats, min(4, len(floats)))
        self.bind("loss", f"total({', '.join(map(repr, chosen))})", (), "float64")
        if self.chance(0.7):
            self.say("look(loss)")
        self.lines += self.choose(
            ["loss.backward()"], ["loss.backward()"], ["loss.backward(retain_graph=True)", "loss.backward()"],
            ["loss.backward()", "loss.backward()"],
        )  # fmt: skip
