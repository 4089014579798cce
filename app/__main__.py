"""``python -m app``: serve the site."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from typing import Any

import uvicorn

from app import logs
from app.assets import NotBuilt
from app.connections import BACKLOG, Connection, allow_many
from app.main import create_app
from app.settings import Settings, SettingsError
from engine.sandbox.host import NotStarted, Pool, Unsafe

CANNOT_START = 2
GRACE_SECONDS = 7
"""How long a stop waits for answers that are under way: a run takes 5 s at most, and containers are killed after 10."""


class CannotListen(OSError):
    """Nothing can listen where the settings say; the message says why and what to do."""


def require_free(host: str, port: int) -> None:
    """Make sure that the address can be listened at, before anything is started. Raises `CannotListen`."""
    try:
        places = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise CannotListen(
            f"BACKPLAY_HOST={host!r}: {error.strerror}. Set it to an address of this machine."
        ) from error
    failures = [failure for family, _, _, _, place in places if (failure := refused(family, place))]
    if len(failures) == len(places):
        raise CannotListen(
            f"Cannot listen at {host}, port {port}: {failures[0].strerror}. Set BACKPLAY_PORT to a port that is free, "
            "or BACKPLAY_HOST to an address of this machine."
        )


def refused(family: int, place: tuple[Any, ...]) -> OSError | None:
    """What the system says when one tries to take an address; None when it can be had."""
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            probe.bind(place)
    except OSError as error:
        return error
    return None


async def serve(settings: Settings) -> None:
    """Serve until stopped. The runners start first: without a sandbox that holds, no port is opened."""
    pool = Pool(workers=settings.runners, public=settings.public)
    config = uvicorn.Config(
        create_app(settings, pool),
        host=settings.host,
        port=settings.port,
        http=Connection,
        backlog=BACKLOG,
        log_config=None,
        access_log=False,  # app.envelope writes these lines
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    async with pool:
        await uvicorn.Server(config).serve()


def main() -> int:
    """Returns the exit status: 2 when the service can't start as it is set up."""
    # A container's stop is a person's Ctrl-C: both let the sandbox take its processes down.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        settings = Settings.from_environment()
        logs.configure(settings.log_level)
        require_free(settings.host, settings.port)
        allow_many()
        asyncio.run(serve(settings))
    except (SettingsError, CannotListen, NotBuilt, Unsafe, NotStarted) as error:
        print(error, file=sys.stderr)
        return CANNOT_START
    except KeyboardInterrupt:
        pass  # the usual way to end it
    return 0


if __name__ == "__main__":
    sys.exit(main())
