"""How long a connection may stand without a request, and how many may stand at the same time.

The server that we build on waits for ever for the first request of a connection: whoever opened a thousand and said
nothing took every descriptor there is, those of the runners too.
"""

from __future__ import annotations

import asyncio
import resource

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
"""How long a request's head may take to arrive, as its body; browsers keep a connection open ahead for about as long."""
MOST_DESCRIPTORS = 8192
"""Half of them for connections: hundreds of people with six each; the other half for the runners' pipes and the rest."""
BACKLOG = 256
"""Connections that the system accepts at one go, before any can be turned away."""


class Connection(H11Protocol):
    """One connection; it is closed when nothing, or not all of a request's head, arrives in `HEAD_SECONDS`."""

    waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as its base has it
        """From here on a request is waited for, unless connections have taken their half of all descriptors."""
        super().connection_made(transport)
        self.no_request = self.conn.their_state
        """How the parser of HTTP calls the state in which the head of a request is still missing."""
        if len(self.connections) > most_connections():
            transport.abort()
        else:
            self._wait()

    def data_received(self, data: bytes) -> None:
        """Pieces of a head do not prolong the wait."""
        super().data_received(data)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._wait_no_longer()
        super().connection_lost(exc)

    def _wait(self) -> None:
        # Between two requests the server's own, shorter limit holds; so it does not here once a byte has come.
        answered = self.cycle is not None and self.cycle.response_complete
        if self.conn.their_state is not self.no_request and not answered:
            self._wait_no_longer()
        elif self.waiting is None:
            self.waiting = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _wait_no_longer(self) -> None:
        if self.waiting is not None:
            self.waiting.cancel()
            self.waiting = None

    def _give_up(self) -> None:
        self.waiting = None
        # What waits is either nothing or a head: there is no answer that could be cut short.
        self.transport.abort()


def most_connections() -> int:
    """How many connections may stand at the same time."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2


def allow_many() -> None:
    """Raise the soft limit of open files, which is 1,024 on many systems, as far as the hard one lets us."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MOST_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
