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
from app.settings import Settings
from engine.sandbox.ending import Ending
from engine.sandbox.host import RunResult
from engine.sandbox.limits import Limits


class CountingRunner:
    """Answers with a document that names its code, and counts; for tests of what stands around the sandbox."""

    def __init__(self) -> None:
        self.limits = Limits()
        self.level = "reduced"
        self.ran: list[str] = []
        self.cacheable = True
        self.failure: Exception | None = None

    async def run(self, code: str, *, deadline: float) -> RunResult:
        self.ran.append(code)
        await asyncio.sleep(0)
        if self.failure is not None:
            raise self.failure
        document = json.dumps({"code": code}).encode()
        return RunResult(document, "ok", None, Ending.ANSWERED, self.cacheable, milliseconds=0.0)


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
