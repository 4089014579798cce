"""``python -m app.probe``: exit status 0 when the service of this machine is healthy, for the image's health check."""

from __future__ import annotations

import http
import http.client
import sys

from app.settings import Settings

SECONDS = 2.0
"""How long the service may take to say that it is well; Docker's own limit is longer."""
ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 (where to ask one that listens everywhere)


def main() -> int:
    """Ask ``/healthz`` of the service that the settings describe."""
    settings = Settings.from_environment()
    connection = http.client.HTTPConnection(ANYWHERE.get(settings.host, settings.host), settings.port, timeout=SECONDS)
    try:
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        told = answer.read().decode()
    except OSError as error:
        print(f"nobody answers at {connection.host}:{connection.port}: {error}", file=sys.stderr)
        return 1
    finally:
        connection.close()
    print(told)
    return 0 if answer.status == http.HTTPStatus.OK else 1


if __name__ == "__main__":
    sys.exit(main())
