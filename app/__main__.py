"""``python -m app``: serve the site."""

from __future__ import annotations

import sys

import uvicorn

from app import logs
from app.main import create_app
from app.pages import NotBuilt
from app.runs import Finished, Overloaded
from app.settings import Settings, SettingsError


class Closed:
    """Runs nothing: stands here until the sandbox's host lands."""

    level = "none"

    async def run(self, code: str) -> Finished:
        """Refuse."""
        del code
        raise Overloaded(60)


def main() -> int:
    """Serve until stopped. Returns the exit status: 2 when the service can't start as it is set up."""
    try:
        settings = Settings.from_environment()
        logs.configure(settings.log_level)
        app = create_app(settings, Closed())
    except (SettingsError, NotBuilt) as error:
        print(error, file=sys.stderr)
        return 2
    uvicorn.run(app, host=settings.host, port=settings.port, log_config=None, access_log=False, server_header=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
