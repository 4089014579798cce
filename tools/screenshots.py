"""Takes the README's pictures from the real page in a real browser: ``make screenshots``."""

from __future__ import annotations

import base64
import os
import subprocess
import tempfile
import zlib
from pathlib import Path

import httpx

from app.examples.gallery import gallery
from app.lessons.lesson import lessons
from tools.serving import ROOT, running

FOLDER = ROOT / "static" / "screenshots"
WIDTH, HEIGHT = 1440, 900
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
    "--force-prefers-reduced-motion", "--virtual-time-budget=8000",
    "--kiosk", f"--screen-info={{{WIDTH}x{HEIGHT}}}", f"--window-size={WIDTH},{HEIGHT}",
)  # fmt: skip
"""Virtual time lets the page finish what it does, however slow the machine is. A kiosk has no bars of its own: the page
is laid out in the size that the picture has."""
DARK = "--blink-settings=preferredColorScheme=0"
"""Makes the browser prefer dark pages."""
MATRICES = "A matrix, a bias, a mean"
"""The example whose gradients have many numbers."""


def step_of(client: httpx.Client, code: str, kind: str) -> int:
    """The first step of a kind, as the page counts (from 1)."""
    answer = client.post("/api/runs", json={"code": code})
    kinds = [step["kind"] for step in answer.raise_for_status().json()["steps"]]
    return kinds.index(kind) + 1


def packed(code: str) -> str:
    """Code as the playground's links carry it (static/src/state/packed.ts)."""
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    deflated = compressor.compress(code.encode()) + compressor.flush()
    return base64.urlsafe_b64encode(deflated).rstrip(b"=").decode()


def take(address: str, picture: Path, *flags: str) -> None:
    """Write what the browser shows at ``address`` to ``picture``."""
    with tempfile.TemporaryDirectory() as profile:
        command = [os.environ["BACKPLAY_CHROMIUM"], *FLAGS, *flags, f"--user-data-dir={profile}"]
        subprocess.run([*command, f"--screenshot={picture}", address], check=True, capture_output=True)


def main() -> None:
    """Start the service and take all pictures: where gradients meet, and gradients that are matrices, in the dark."""
    FOLDER.mkdir(exist_ok=True)
    seed = lessons()["dynamic-computation-graph"].snippet
    (matrices,) = (each.snippet for topic in gallery() for each in topic.examples if each.title == MATRICES)
    with running({}) as client:
        meet = step_of(client, seed, "messages_summed")
        take(f"{client.base_url}/#step={meet}", FOLDER / "seed-lesson.png")
        stored = step_of(client, matrices, "gradient_stored")
        take(f"{client.base_url}/play#code={packed(matrices)}&step={stored}", FOLDER / "matrices.png", DARK)


if __name__ == "__main__":
    main()
