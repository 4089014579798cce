"""A service under test, spoken to in process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.main import create_app
from app.runs import Finished
from app.settings import Settings


class CountingRunner:
    """Answers with a document that names its code, and counts; for tests of what stands around the runner."""

    level = "counting"

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.repeatable = True
        self.failure: Exception | None = None

    async def run(self, code: str) -> Finished:
        self.ran.append(code)
        await asyncio.sleep(0)
        if self.failure is not None:
            raise self.failure
        return Finished(json.dumps({"code": code}).encode(), self.repeatable)


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A folder as the front end's build leaves it."""
    (tmp_path / ".vite").mkdir()
    manifest = {"src/main.ts": {"file": "assets/main-abc.js", "css": ["assets/main-abc.css"], "isEntry": True}}
    (tmp_path / ".vite" / "manifest.json").write_text(json.dumps(manifest))
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "main-abc.js").write_text("export {};")
    (tmp_path / "assets" / "main-abc.css").write_text("body { color: black }")
    return tmp_path


@pytest.fixture
def runner() -> CountingRunner:
    return CountingRunner()


Exchange = Callable[..., httpx.Response]


@pytest.fixture
def ask(built: Path, runner: CountingRunner) -> Exchange:
    """Send one request to a fresh service and return its answer."""
    app = create_app(Settings(built=built), runner)

    def exchange(method: str, path: str, **options: Any) -> httpx.Response:
        async def send() -> httpx.Response:
            transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://backplay") as client:
                return await client.request(method, path, **options)

        return asyncio.run(send())

    return exchange
