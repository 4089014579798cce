"""``python -m app``: serve the site."""

from __future__ import annotations

import asyncio
import signal
import sys

import uvicorn

from app import logs
from app.assets import NotBuilt
from app.main import create_app
from app.settings import Settings, SettingsError
from engine.sandbox.host import Pool, Unsafe

CANNOT_START = 2
GRACE_SECONDS = 7
"""How long a stop waits for answers that are under way: a run takes 5 s at most, and containers are killed after 10."""


async def serve(settings: Settings) -> None:
    """Serve until stopped. The runners start first: without a sandbox that holds, no port is opened."""
    pool = Pool(workers=settings.runners, public=settings.public)
    config = uvicorn.Config(
        create_app(settings, pool),
        host=settings.host,
        port=settings.port,
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
        asyncio.run(serve(settings))
    except (SettingsError, NotBuilt, Unsafe) as error:
        print(error, file=sys.stderr)
        return CANNOT_START
    except KeyboardInterrupt:
        pass  # the usual way to end it
    return 0


if __name__ == "__main__":
    sys.exit(main())
