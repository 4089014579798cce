"""RFC 9457 problem details: the one shape in which the service says no.

Every 4xx and 5xx answer is ``application/problem+json`` with ``type``, ``title``, ``status``, ``detail`` (the cause and
the remedy) and ``request`` (the id that the log lines carry). A person who opens an address that is not there, and so
asks for a page, gets the same words on one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus

import msgspec
from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse
from starlette.exceptions import HTTPException

MEDIA_TYPE = "application/problem+json"


class Problem(Exception):
    """Raise it anywhere below a route to answer with problem details."""

    def __init__(self, status: HTTPStatus, kind: str, detail: str, headers: Mapping[str, str] | None = None) -> None:
        """``kind`` is the last word of the problem's ``type``, stable for programs; ``detail`` is for people."""
        super().__init__(detail)
        self.status = status
        self.kind = kind
        self.detail = detail
        self.headers = dict(headers or {})


class ProblemDetails(msgspec.Struct):
    """The body of every answer that is not a success."""

    type: str
    """Which problem it is, as a relative reference whose last word is stable: ``problems/empty-code``."""
    title: str
    """What kind of problem it is, in a few words: the last word of ``type``, as people read it."""
    status: int
    """The HTTP status again, for those who only keep the body."""
    detail: str
    """What was wrong with this request and what to do."""
    request: str
    """Id of the request, as in the ``X-Request-Id`` header and the log."""


def answer(request: Request, problem: Problem, paint: PagePainter | None = None) -> Response:
    """The response that tells ``problem``; with ``paint``, as a page to who asks for one."""
    details = ProblemDetails(
        type=f"problems/{problem.kind}",
        title=titled(problem.kind),
        status=problem.status,
        detail=problem.detail,
        request=request.scope.get("state", {}).get("request_id", ""),
    )
    if paint and wants_page(request):
        return HTMLResponse(paint(request, details), status_code=problem.status, headers=problem.headers)
    return Response(
        msgspec.json.encode(details), status_code=problem.status, media_type=MEDIA_TYPE, headers=problem.headers
    )


def titled(kind: str) -> str:
    """A problem's kind as a title: ``empty-code`` reads "Empty code"."""
    return kind.replace("-", " ").capitalize()


PagePainter = Callable[[Request, ProblemDetails], str]
"""Draws a problem as a page for people."""


def wants_page(request: Request) -> bool:
    """Whether a person opened this address in a browser: programs ask for JSON, or for anything."""
    return request.method == "GET" and "text/html" in request.headers.get("Accept", "")


def unexpected(request: Request) -> Response:
    """The answer to a fault of ours: the log has the traceback, the person the id to report."""
    detail = "The service failed. It is not your code's fault; please report the request id."
    return answer(request, Problem(HTTPStatus.INTERNAL_SERVER_ERROR, "internal-error", detail))


def install(app: FastAPI, paint: PagePainter) -> None:
    """Make every refusal answer with problem details. (A fault of ours is caught further out, in `app.envelope`.)"""

    async def told(request: Request, error: Exception) -> Response:
        assert isinstance(error, Problem)
        return answer(request, error, paint)

    async def by_the_framework(request: Request, error: Exception) -> Response:
        """Unknown routes and wrong methods are raised by the router itself."""
        assert isinstance(error, HTTPException)
        status = HTTPStatus(error.status_code)
        details = {
            HTTPStatus.NOT_FOUND: f"There is nothing at {request.url.path}. The API is described at /docs.",
            HTTPStatus.METHOD_NOT_ALLOWED: f"{request.method} is not possible at {request.url.path}; "
            f"use {(error.headers or {}).get('Allow', 'another method')}.",
        }
        kind = status.phrase.lower().replace(" ", "-")
        detail = details.get(status, str(error.detail))
        return answer(request, Problem(status, kind, detail, error.headers), paint)

    app.add_exception_handler(Problem, told)
    app.add_exception_handler(HTTPException, by_the_framework)
