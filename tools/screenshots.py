"""Takes the README's pictures from the real page in a real browser: ``make screenshots``."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import httpx

from app.lessons.lesson import lessons
from tools.serving import ROOT, running

FOLDER = ROOT / "static" / "screenshots"
SIZE = "1440,900"
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
    "--force-prefers-reduced-motion", f"--window-size={SIZE}", "--virtual-time-budget=8000",
)  # fmt: skip
"""Virtual time lets the page finish what it does, however slow the machine is."""


def step_where_gradients_meet(client: httpx.Client) -> int:
    """The seed lesson's most telling step, as the page counts (from 1)."""
    answer = client.post("/api/runs", json={"code": lessons()["dynamic-computation-graph"].snippet})
    kinds = [step["kind"] for step in answer.raise_for_status().json()["steps"]]
    return kinds.index("messages_summed") + 1


def take(address: str, picture: Path) -> None:
    """Write what the browser shows at ``address`` to ``picture``."""
    with tempfile.TemporaryDirectory() as profile:
        command = [os.environ["BACKPLAY_CHROMIUM"], *FLAGS, f"--user-data-dir={profile}", f"--screenshot={picture}"]
        subprocess.run([*command, address], check=True, capture_output=True)


def main() -> None:
    """Start the service and take all pictures."""
    FOLDER.mkdir(exist_ok=True)
    with running({}) as client:
        step = step_where_gradients_meet(client)
        take(f"{client.base_url}/#step={step}", FOLDER / "seed-lesson.png")


if __name__ == "__main__":
    main()
