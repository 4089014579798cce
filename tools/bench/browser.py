"""From pressing Run to the first frame of the trace, in a real browser on the real page."""

from __future__ import annotations

import json
import os
import subprocess

from tools.bench.table import NAME_WIDTH
from tools.serving import ROOT, running

ROUNDS = 15
SCRIPT = ROOT / "tools" / "bench" / "first_frame.mjs"


def measure() -> None:
    """Start a service that remembers nothing, let the browser press Run, and print what its own clock says."""
    chromium = os.environ["BACKPLAY_CHROMIUM"]
    with running({"BACKPLAY_CACHE_MEGABYTES": "0"}) as client:
        done = subprocess.run(
            ["node", SCRIPT, chromium, str(client.base_url), str(ROUNDS)],  # noqa: S607 (PATH's node, as npm)
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
    times: dict[str, list[float]] = json.loads(done.stdout)
    print(f"{'from Run to the first frame, wall ms':<{NAME_WIDTH}}{'first':>12}{'median':>12}{'best':>9}")
    for name, taken in times.items():
        print(f"{name:<{NAME_WIDTH}}{taken[0]:>12.1f}{sorted(taken)[len(taken) // 2]:>12.1f}{min(taken):>9.1f}")
