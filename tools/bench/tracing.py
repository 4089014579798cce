"""What listening costs: traced runs beside the same untraced, and beside real PyTorch's untraced ones.

Promised is what a person sees: the seed's one run beside PyTorch's one run, and tutorials' programs beside the same programs
untraced. Shown beside them, without a promise, is what weighs most: an operation on single numbers takes 3 µs untraced, and no
step of a trace can be written down in a few of those. Reports that nobody writes down cost most of three times that already
(`deaf`): what is left would not pay for making one object per step.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tools.bench.fresh import least
from tools.bench.programs import TURNS
from tools.bench.table import Row, show
from tools.bench.turns import alternate, compare
from tools.bench.tutorials import TUTORIALS

BESIDE_UNTRACED = 3.0
"""The greatest ratio to its untraced run that is promised of each of the tutorials' programs."""
BESIDE_TORCH = 1.0
"""The greatest ratio to real PyTorch's untraced run that is promised of the seed snippet."""
ROUNDS = 20


def measure(torch_python: str | None) -> None:
    """Print all comparisons."""
    torch = compare(torch_python, ["seed turns"])["seed turns"][1]
    ways = ("traced", "explained", "deaf")
    orders = ["chain", "traced seed turns", "deaf seed turns", *(f"{how} chain" for how in ways)]
    best = {order: ours for order, (ours, _) in compare(None, orders).items()}
    first = first_runs(torch_python)
    once = Row("seed, run once", first["ours"], first.get("torch"), BESIDE_TORCH)
    turns = [
        Row(f"seed, in one of {TURNS} turns of a loop{said}", best[f"{how} seed turns"] / TURNS, per_turn(torch))
        for how, said in (("traced", ""), ("deaf", ", deaf"))
    ]
    show("traced, µs of CPU", "torch", [once, *turns])
    print()
    said = {"traced": "", "deaf": ", deaf", "explained": ", all words written too"}
    chain = [Row(f"chain of single numbers{words}", best[f"{how} chain"], best["chain"]) for how, words in said.items()]
    show("traced 1,000 operations, µs of CPU", "untraced", [*tutorials(), *chain])


def tutorials() -> Sequence[Row]:
    """Each program's traced run beside its untraced one, the cheapest first."""
    best = alternate([(f"traced {name}", name) for name in TUTORIALS], ROUNDS)
    rows = [Row(name, *taken, BESIDE_UNTRACED) for name, taken in zip(TUTORIALS, best, strict=True)]
    return sorted(rows, key=lambda row: row.ratio)


def per_turn(microseconds: float | None) -> float | None:
    """Of a program that takes `TURNS` turns."""
    return None if microseconds is None else microseconds / TURNS


def first_runs(torch_python: str | None) -> dict[str, float]:
    """The seed's first run in a new process: ours traced, and PyTorch's."""
    commands = {"ours": [sys.executable, "-m", "tools.bench.first_run", "engine.torch"]}
    if torch_python is not None:
        commands["torch"] = [torch_python, "-m", "tools.bench.first_run", "torch"]
    return least(commands, ROUNDS)
