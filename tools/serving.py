"""Runs the real service in a process of its own, for tests, figures and pictures."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parents[1]
START_SECONDS = 240.0
"""Far more than it takes: a machine that does ten other things at once is no fault of the service's."""
END_SECONDS = 10.0
"""How long a stop may take, the grace for answers under way included."""


@contextmanager
def running(settings: Mapping[str, str]) -> Iterator[httpx.Client]:
    """A client of a service started with ``settings`` (variables), which ends with the block.

    Raises RuntimeError when the service does not start, or ends with another status than 0.
    """
    port = str(_free_port())
    environment = {**os.environ, "BACKPLAY_LOG_LEVEL": "warning", **settings, "BACKPLAY_PORT": port}
    with (
        subprocess.Popen([sys.executable, "-m", "app"], cwd=ROOT, env=environment) as process,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client,
    ):
        try:
            _wait(process, client)
            yield client
        finally:
            process.terminate()
            status = process.wait(END_SECONDS)
    if status != 0:
        raise RuntimeError(f"the service ended with status {status}; its last words are above")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait(process: subprocess.Popen[bytes], client: httpx.Client) -> None:
    """Return once the service answers."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            client.get("/healthz")
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    status = process.poll()
    how = f"did not answer within {START_SECONDS:g} s" if status is None else f"ended with status {status}"
    raise RuntimeError(f"the service {how}; its last words are above")
