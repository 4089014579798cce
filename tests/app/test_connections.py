"""A connection that says nothing is closed; one that says something is served, however long that takes."""

from __future__ import annotations

import asyncio
import resource
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from app import connections
from app.connections import Connection, allow_many

SAFE = 60.0
"""Seconds after which a test gives up; none waits for that long."""


@asynccontextmanager
async def serving(answers: asyncio.Event, entered: asyncio.Event | None = None) -> AsyncIterator[uvicorn.Server]:
    """A server whose answers wait for ``answers``, and which tells when it has got a request."""

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        if entered is not None:
            entered.set()
        await answers.wait()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    config = uvicorn.Config(application, port=0, http=Connection, log_config=None, lifespan="off")
    server = uvicorn.Server(config)
    config.load()
    server.lifespan = config.lifespan_class(config)
    await server.startup()
    try:
        yield server
    finally:
        server.force_exit = True
        await server.shutdown()


def port_of(server: uvicorn.Server) -> int:
    port: int = server.servers[0].sockets[0].getsockname()[1]
    return port


@pytest.mark.parametrize("said", [b"", b"G", b"GET / HTTP/1.1\r\nHost: x\r\n"])
async def test_a_request_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch, said: bytes) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.05)
    async with serving(asyncio.Event()) as server, asyncio.timeout(SAFE):
        reader, writer = await asyncio.open_connection("127.0.0.1", port_of(server))
        writer.write(said)
        assert await ended(reader)
        writer.close()


async def test_pieces_of_a_head_do_not_prolong_the_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.05)
    async with serving(asyncio.Event()) as server, asyncio.timeout(SAFE):
        reader, writer = await asyncio.open_connection("127.0.0.1", port_of(server))
        end = asyncio.ensure_future(ended(reader))
        while not end.done():
            writer.write(b"G")
            await asyncio.sleep(0.01)
        assert await end
        writer.close()


async def test_nothing_is_waited_for_while_an_answer_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", SAFE)
    entered, answers = asyncio.Event(), asyncio.Event()
    async with serving(answers, entered) as server, asyncio.timeout(SAFE):
        reader, writer = await asyncio.open_connection("127.0.0.1", port_of(server))
        for _ in range(2):  # the same connection, twice
            entered.clear()
            answers.clear()
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            await entered.wait()
            (connection,) = server.server_state.connections
            assert isinstance(connection, Connection)
            assert connection.waiting is None
            answers.set()
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
            assert await reader.readexactly(2) == b"ok"
        writer.close()


async def test_the_rest_of_a_body_that_was_answered_already_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.05)
    answers = asyncio.Event()
    answers.set()
    async with serving(answers) as server, asyncio.timeout(SAFE):
        reader, writer = await asyncio.open_connection("127.0.0.1", port_of(server))
        writer.write(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
        await reader.readuntil(b"ok")
        end = asyncio.ensure_future(ended(reader))
        while not end.done():
            writer.write(b"x")
            await asyncio.sleep(0.01)
        assert await end
        writer.close()


async def test_more_than_half_of_all_descriptors_are_not_taken_and_the_rest_is_served_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connections, "most_connections", lambda: 2)
    monkeypatch.setattr(connections, "HEAD_SECONDS", SAFE)
    answers = asyncio.Event()
    answers.set()
    async with serving(answers) as server, asyncio.timeout(SAFE):
        silent = [await asyncio.open_connection("127.0.0.1", port_of(server)) for _ in range(2)]
        while len(server.server_state.connections) < 2:  # noqa: ASYNC110 (the server has no event for it)
            await asyncio.sleep(0.01)
        reader, refused = await asyncio.open_connection("127.0.0.1", port_of(server))
        assert await ended(reader)
        refused.close()
        reader, writer = silent[0]
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
        for _, each in silent:
            each.close()


async def ended(reader: asyncio.StreamReader) -> bool:
    """Waits until the other side is gone without a word."""
    try:
        return await reader.read() == b""
    except ConnectionResetError:
        return True


def test_as_many_files_may_be_open_as_the_system_lets_us(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: asked.append(limits))
    for limits in ((1024, 524288), (1024, 4096), (1024, resource.RLIM_INFINITY), (20000, 524288), (4096, 4096)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, limits=limits: limits)
        allow_many()
    assert asked == [(8192, 524288), (4096, 4096), (8192, resource.RLIM_INFINITY)]
