"""What goes around every answer: a request id, security headers, one log line, and the last resort when we fail.

Plain ASGI instead of a framework middleware, so that bodies stream through untouched.
"""

from __future__ import annotations

import logging
import secrets
import time
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app import problems

log = logging.getLogger("backplay.requests")
LOGGED_PATH_CHARACTERS = 200
CLIENT_CLOSED = 499
"""In the log only: the client left before it had sent its request (nginx's number for it)."""

NO_FRAMES = "frame-ancestors 'none'"
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",  # pictures that the player exports
        "font-src 'self'",
        "connect-src 'self'",
        "worker-src 'self'",  # the layout
        "base-uri 'none'",
        "form-action 'none'",
        NO_FRAMES,
    )
)

HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def embeddable(ancestors: str) -> str:
    """The policy of a page that ``ancestors`` may show in a frame."""
    return CONTENT_SECURITY_POLICY.replace(NO_FRAMES, f"frame-ancestors {ancestors}")


def relative(location: str, path: str) -> str:
    """Where the framework sends ``path`` for a slash too many or too few, without the host and the path before it.

    Behind a proxy both are other than they seem here; and the host is whatever the request said.
    """
    target = urlsplit(location)
    climbed = "../" * (len(path) - len(path.rstrip("/")))
    name = "/".join(target.path.rstrip("/").rsplit("/", 1)[1:]) + "/" * target.path.endswith("/")
    return (climbed or "./") + name + (f"?{target.query}" if target.query else "")


class Envelope:
    """Wraps an ASGI application."""

    def __init__(self, app: ASGIApp) -> None:
        """``app`` is whoever answers."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request; anything but HTTP passes through."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        # Never the client's own id: a log line must not carry text that a stranger chose.
        request_id = secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = request_id
        started = time.perf_counter()
        status = 0

        async def send_enveloped(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = request_id
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if "Location" in headers:
                    headers["Location"] = relative(headers["Location"], scope["path"])
            await send(message)

        try:
            await self.app(scope, receive, send_enveloped)
        except ClientDisconnect:
            status = CLIENT_CLOSED  # nobody is left to answer
        except Exception:
            log.exception("unhandled exception", extra={"request": request_id})
            if status:
                raise  # half an answer is out: the server must break the connection off
            await problems.unexpected(Request(scope))(scope, receive, send_enveloped)
        finally:
            # The query string stays out: a link may carry somebody's source there.
            log.info(
                "request",
                extra={
                    "request": request_id,
                    "method": scope["method"],
                    "path": scope["path"][:LOGGED_PATH_CHARACTERS],
                    "status": status,
                    "milliseconds": round((time.perf_counter() - started) * 1000, 2),
                },
            )
