"""What all tests share."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from engine.trace import unsaid
from engine.warned import given
from tools.serving import running


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Look for tests in tests only: recorders import real PyTorch, which is not here, and golden programs are data."""
    return (collection_path.suffix == ".py" and not collection_path.name.startswith("test_")) or None


def pytest_addoption(parser: pytest.Parser) -> None:
    """The one switch that accepts what changed."""
    parser.addoption("--rewrite-golden", action="store_true", help="write the golden traces anew, then read the diff")


TOGETHER = {
    "tests/app": "processes",
    "tests/attacks": "processes",
    "tests/engine/sandbox": "processes",
    "tests/engine/trace/why": "why",
}
"""Folders whose tests stay in one process: they hold processes to limits of time and memory, or ask much of the same runs."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Say which tests stay together where `make test` shares them out between two processes; others go file by file."""
    for item in items:
        file, *_ = item.nodeid.partition("::")
        groups = [group for folder, group in TOGETHER.items() if file.startswith(folder)]
        item.add_marker(pytest.mark.xdist_group(groups[0] if groups else file))


@pytest.fixture(autouse=True)
def _nothing_was_warned_of_yet() -> None:
    """PyTorch gives some warnings once in a process: each test sees them anew."""
    given.messages.clear()


@pytest.fixture(autouse=True)
def _a_reader_of_a_trace_that_fails_fails_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the service puts up with, for the sake of all other words, is a fault to be found here."""

    def fail(trace: object, part: object, error: Exception, **where: object) -> None:
        raise error

    monkeypatch.setattr(unsaid, "note", fail)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Async tests run on the loop that serves the site."""
    return "asyncio"


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as the front end's build leaves it, so that Python's tests need no build."""
    folder = tmp_path_factory.mktemp("built")
    (folder / ".vite").mkdir()
    manifest = {
        "src/main.ts": {"file": "assets/main-abc.js", "css": ["assets/main-abc.css"], "imports": ["_player-abc.js"]},
        "src/standalone.ts": {"file": "assets/standalone-abc.js", "imports": ["_player-abc.js"]},
        "_player-abc.js": {"file": "assets/player-abc.js", "imports": ["_lit-abc.js"]},
        "_lit-abc.js": {"file": "assets/lit-abc.js"},
    }
    (folder / ".vite" / "manifest.json").write_text(json.dumps(manifest))
    (folder / "assets").mkdir()
    (folder / "assets" / "main-abc.js").write_text("export {};")
    (folder / "assets" / "main-abc.css").write_text("body { color: black }")
    return folder


@pytest.fixture(scope="session")
def service(built: Path) -> Iterator[httpx.Client]:
    """The real service in its own process, with the real sandbox."""
    with running({"BACKPLAY_BUILT": str(built), "BACKPLAY_RUNNERS": "1"}) as client:
        yield client
