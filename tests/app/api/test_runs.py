"""``POST /api/runs``: right input plays, wrong input is told why, nothing is a 500."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest

import app.api.runs
from app.envelope import CLIENT_CLOSED
from app.main import create_app
from app.problems import MEDIA_TYPE
from app.settings import Settings
from engine.sandbox.host import Busy
from tests.app.conftest import CountingRunner, Exchange

JSON = {"Content-Type": "application/json"}


def test_a_snippet_comes_back_as_the_runners_own_bytes(ask: Exchange, runner: CountingRunner) -> None:
    answer = ask("POST", "/api/runs", json={"code": "import torch"})
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json() == {"code": "import torch"}
    assert runner.ran == ["import torch"]


REFUSED: list[tuple[int, str, dict[str, Any]]] = [
    (400, "malformed-json", {"content": b'{"code": "x"', "headers": JSON}),
    (400, "malformed-json", {"content": b"\xff\xfe", "headers": JSON}),
    (400, "malformed-json", {"content": b'{"code": "\xff"}', "headers": JSON}),
    (400, "malformed-json", {"content": b"", "headers": JSON}),
    (400, "malformed-json", {"content": b'{"code": "\\ud800"}', "headers": JSON}),
    (413, "code-too-long", {"json": {"code": "x" * (64 * 1024 + 1)}}),
    (413, "code-too-long", {"json": {"code": "é" * (32 * 1024 + 1)}}),
    (413, "code-too-long", {"content": b'{"code": "' + b"x" * 1_000_000, "headers": JSON}),
    (415, "content-type", {"content": b'{"code": "x"}'}),
    (415, "content-type", {"data": {"code": "x"}}),
    (422, "invalid-request", {"json": {"code": 5}}),
    (422, "invalid-request", {"json": {"code": None}}),
    (422, "empty-code", {"json": {"code": ""}}),
    (422, "invalid-request", {"json": {}}),
    (422, "invalid-request", {"json": []}),
    (422, "invalid-request", {"json": "import torch"}),
    (422, "invalid-request", {"json": {"code": "x", "cude": "y"}}),
    (422, "invalid-request", {"content": b'{"code": ' + b"[" * 50_000, "headers": JSON}),
    (422, "empty-code", {"json": {"code": " \n\t"}}),
]
WRONG_INPUT = {(status, kind) for status, kind, _ in REFUSED}


@pytest.mark.parametrize(("status", "kind", "request_parts"), REFUSED)
def test_bad_input_is_told_what_is_wrong(
    ask: Exchange, runner: CountingRunner, status: int, kind: str, request_parts: dict[str, Any]
) -> None:
    answer = ask("POST", "/api/runs", **request_parts)
    assert answer.headers["Content-Type"] == MEDIA_TYPE
    problem = answer.json()
    assert (answer.status_code, problem["type"], problem["status"]) == (status, f"problems/{kind}", status)
    assert problem["title"] == kind.replace("-", " ").capitalize()
    assert problem["detail"]
    assert problem["request"] == answer.headers["X-Request-Id"]
    assert runner.ran == []


def test_the_mark_that_windows_puts_before_a_file_is_no_part_of_the_snippet(
    ask: Exchange, runner: CountingRunner
) -> None:
    assert ask("POST", "/api/runs", json={"code": "\ufeffimport torch"}).status_code == 200
    assert ask("POST", "/api/runs", json={"code": "\ufeff"}).json()["type"] == "problems/empty-code"
    assert runner.ran == ["import torch"]


def test_code_of_exactly_the_limit_is_taken(ask: Exchange) -> None:
    assert ask("POST", "/api/runs", json={"code": "#" * 64 * 1024}).status_code == 200


def test_an_unknown_route_is_a_problem(ask: Exchange) -> None:
    answer = ask("GET", "/nowhere")
    assert (answer.status_code, answer.headers["Content-Type"]) == (404, MEDIA_TYPE)
    assert "/nowhere" in answer.json()["detail"]


def test_a_wrong_method_is_told_the_right_one(ask: Exchange) -> None:
    answer = ask("GET", "/api/runs")
    assert (answer.status_code, answer.headers["Content-Type"], answer.headers["Allow"]) == (405, MEDIA_TYPE, "POST")
    assert "POST" in answer.json()["detail"]


def test_overload_says_when_to_come_back(ask: Exchange, runner: CountingRunner) -> None:
    runner.failure = Busy(2.5)
    answer = ask("POST", "/api/runs", json={"code": "import torch"})
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "3")
    assert answer.json()["type"] == "problems/overloaded"


async def test_a_body_that_does_not_arrive_is_given_up(
    built: Path, runner: CountingRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app.api.runs, "BODY_SECONDS", 0.01)
    sent: list[Any] = []
    messages = iter([{"type": "http.request", "body": b'{"code"', "more_body": True}])

    async def receive() -> Any:
        for message in messages:
            return message
        return await asyncio.Future()  # the rest never comes

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/api/runs", "headers": headers, "query_string": b""}
    await create_app(Settings(built=built), runner)(scope, receive, send)
    start, body = sent
    assert start["status"] == 408
    assert (b"connection", b"close") in [(name.lower(), value) for name, value in start["headers"]]
    assert json.loads(body["body"])["type"] == "problems/slow-body"
    assert runner.ran == []


async def test_a_client_that_leaves_while_sending_is_no_fault_of_ours(
    built: Path, runner: CountingRunner, caplog: pytest.LogCaptureFixture
) -> None:
    messages = iter([{"type": "http.request", "body": b'{"code"', "more_body": True}, {"type": "http.disconnect"}])

    async def receive() -> Any:
        return next(messages)

    async def send(message: Any) -> None:
        raise AssertionError(f"nobody is there to receive {message}")

    headers = [(b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/api/runs", "headers": headers, "query_string": b""}
    with caplog.at_level(logging.INFO, "backplay"):
        await create_app(Settings(built=built), runner)(scope, receive, send)
    (line,) = caplog.records
    assert (line.levelname, line.__dict__["status"]) == ("INFO", CLIENT_CLOSED)


def test_a_fault_of_ours_tells_an_id_and_no_source(ask: Exchange, runner: CountingRunner) -> None:
    runner.failure = RuntimeError("secret = 42")
    answer = ask("POST", "/api/runs", json={"code": "secret = 42"})
    assert (answer.status_code, answer.headers["Content-Type"]) == (500, MEDIA_TYPE)
    assert "secret" not in answer.text
    assert answer.json()["request"]
