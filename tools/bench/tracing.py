"""What listening costs: traced runs beside the same untraced, and beside real PyTorch's untraced ones.

Promised is what a person sees: the seed's one run beside PyTorch's one run, and a training loop beside the same loop
untraced. Shown beside them, without a promise, is what weighs most: an operation on single numbers takes 3 µs untraced,
and no step of a trace can be written down in a few of those.
"""

from __future__ import annotations

import sys

from tools.bench.fresh import least
from tools.bench.programs import TURNS
from tools.bench.table import Row, show
from tools.bench.turns import compare

LONG = {"training": 3.0, "chain": None}
"""Programs of 1,000 operations, and the greatest ratio to their untraced run that is promised."""
BESIDE_TORCH = 1.0
ROUNDS = 10


def measure(torch_python: str | None) -> None:
    """Print both comparisons."""
    torch = compare(torch_python, ["seed turns"])["seed turns"][1]
    orders = [*LONG, "traced seed turns", *(f"{how} {name}" for how in ("traced", "explained") for name in LONG)]
    best = {order: ours for order, (ours, _) in compare(None, orders).items()}
    first = first_runs(torch_python)
    once = Row("seed, run once", first["ours"], first.get("torch"), BESIDE_TORCH)
    repeated = Row(f"seed, in one of {TURNS} turns of a loop", best["traced seed turns"] / TURNS, per_turn(torch))
    show("traced, µs of CPU", "torch", [once, repeated])
    print()
    recorded = [Row(f"{n}: 1,000 operations", best[f"traced {n}"], best[n], limit) for n, limit in LONG.items()]
    explained = [Row(f"{n}, all words written too", best[f"explained {n}"], best[n]) for n in LONG]
    show("traced, µs of CPU", "untraced", recorded + explained)


def per_turn(microseconds: float | None) -> float | None:
    """Of a program that takes `TURNS` turns."""
    return None if microseconds is None else microseconds / TURNS


def first_runs(torch_python: str | None) -> dict[str, float]:
    """The seed's first run in a new process: ours traced, and PyTorch's."""
    commands = {"ours": [sys.executable, "-m", "tools.bench.first_run", "engine.torch"]}
    if torch_python is not None:
        commands["torch"] = [torch_python, "-m", "tools.bench.first_run", "torch"]
    return least(commands, ROUNDS)
