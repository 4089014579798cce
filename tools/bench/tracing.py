"""What listening costs: traced runs beside the same untraced, and beside real PyTorch's untraced ones."""

from __future__ import annotations

import sys

from tools.bench.fresh import least
from tools.bench.programs import TURNS
from tools.bench.table import Row, show
from tools.bench.turns import compare

LONG = ("chain", "training")
"""Programs of 1,000 operations."""
BESIDE_TORCH = 1.0
BESIDE_UNTRACED = 3.0
ROUNDS = 10


def measure(torch_python: str | None) -> None:
    """Print both comparisons."""
    torch = compare(torch_python, ["seed turns"])["seed turns"][1]
    orders = [*LONG, "traced seed turns", *(f"{how} {name}" for how in ("traced", "explained") for name in LONG)]
    best = {order: ours for order, (ours, _) in compare(None, orders).items()}
    first = first_runs(torch_python)
    repeated = Row("seed, forward and backward", best["traced seed turns"] / TURNS, per_turn(torch), BESIDE_TORCH)
    once = Row("seed, first run of a process", first["ours"], first.get("torch"), BESIDE_TORCH)
    show("traced, µs of CPU", "torch", [repeated, once])
    print()
    recorded = [Row(f"{n}: 1,000 operations", best[f"traced {n}"], best[n], BESIDE_UNTRACED) for n in LONG]
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
