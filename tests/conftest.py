"""What all tests share."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).resolve().parents[1]

collect_ignore_glob = ["oracle/record_*.py", "golden/*"]
"""Recorders import real PyTorch, which lives in an environment of its own; golden programs are data."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The one switch that accepts what changed."""
    parser.addoption("--rewrite-golden", action="store_true", help="write the golden traces anew, then read the diff")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Async tests run on the loop that serves the site."""
    return "asyncio"


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as the front end's build leaves it, so that Python's tests need no build."""
    folder = tmp_path_factory.mktemp("built")
    (folder / ".vite").mkdir()
    manifest = {"src/main.ts": {"file": "assets/main-abc.js", "css": ["assets/main-abc.css"], "isEntry": True}}
    (folder / ".vite" / "manifest.json").write_text(json.dumps(manifest))
    (folder / "assets").mkdir()
    (folder / "assets" / "main-abc.js").write_text("export {};")
    (folder / "assets" / "main-abc.css").write_text("body { color: black }")
    return folder


@pytest.fixture(scope="session")
def service(built: Path) -> Iterator[httpx.Client]:
    """The real service in its own process, with the real sandbox."""
    environment = {**os.environ, "BACKPLAY_PORT": "0", "BACKPLAY_BUILT": str(built), "BACKPLAY_RUNNERS": "1"}
    command = [sys.executable, "-m", "app"]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        seen = []
        for line in process.stderr:
            seen.append(line)
            if "running on" in line:
                address = json.loads(line)["message"].split()[3]
                break
        else:
            pytest.fail("the service did not start:\n" + "".join(seen))
        # Somebody has to read on, or the service would wait for its own log.
        drain = subprocess.Popen(["cat"], stdin=process.stderr, stdout=subprocess.DEVNULL)
        try:
            with httpx.Client(base_url=address, timeout=30) as client:
                yield client
        finally:
            process.terminate()
            process.wait(10)
            drain.wait(10)
    assert process.returncode == 0, "the service did not end in peace"
