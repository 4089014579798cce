"""``POST /api/runs``: a snippet in, its trace out."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

import msgspec
from fastapi import APIRouter, Request, Response

from app import compression
from app.api.openapi import body, document, problems
from app.problems import Problem
from app.runs import Overloaded, Runs

CODE_BYTES = 64 * 1024
BODY_BYTES = 6 * CODE_BYTES + 1024
"""JSON may spell one byte of source with six (``\\u000a``)."""


class RunRequest(msgspec.Struct, forbid_unknown_fields=True):
    """What to run."""

    code: Annotated[str, msgspec.Meta(min_length=1)]
    """The snippet, as one would put it into a Python file."""


_decoder = msgspec.json.Decoder(RunRequest)


def router(runs: Runs) -> APIRouter:
    """The routes that play snippets with ``runs``."""
    routes = APIRouter(tags=["runs"])

    @routes.post(
        "/api/runs",
        summary="Play a snippet",
        response_class=Response,
        openapi_extra=body(RunRequest),
        responses={
            **document("Trace", "The trace of the run; a run that failed is a trace too, see `outcome`."),
            **problems(400, 413, 415, 422, 503),
        },
    )
    async def play(request: Request) -> Response:
        """Runs the snippet in the sandbox and returns everything that autograd did, step by step."""
        code = await read_code(request)
        try:
            packed = await runs.play(code)
        except Overloaded as overload:
            raise Problem(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "overloaded",
                f"All runners are busy. Try again in {overload.retry_after} s.",
                {"Retry-After": str(overload.retry_after)},
            ) from overload
        return trace_response(request, packed)

    return routes


async def read_code(request: Request) -> str:
    """The snippet in the request's body. Raises `Problem` naming what is wrong with it."""
    media_type = request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise Problem(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "content-type",
            f"Content-Type is {media_type or 'missing'}; send application/json with a body like "
            '{"code": "import torch"}.',
        )
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > BODY_BYTES:
            raise too_long(f"more than {BODY_BYTES} bytes of JSON")
    try:
        code = _decoder.decode(bytes(content)).code
        source = code.encode()
    except msgspec.ValidationError as error:
        raise Problem(
            HTTPStatus.UNPROCESSABLE_ENTITY, "invalid-request", f'{error}. Send a body like {{"code": "import torch"}}.'
        ) from error
    except (msgspec.DecodeError, UnicodeError) as error:
        raise Problem(HTTPStatus.BAD_REQUEST, "malformed-json", f"The body is not JSON in UTF-8: {error}.") from error
    if not code.strip():
        raise Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "empty-code", "`code` is blank; put a snippet in it.")
    if len(source) > CODE_BYTES:
        raise too_long(f"{len(source)} bytes")
    return code


def too_long(seen: str) -> Problem:
    """The refusal of a snippet of the size ``seen``."""
    return Problem(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "code-too-long",
        f"A snippet may have {CODE_BYTES} bytes, this one has {seen}. Cut it to the part you want to see.",
    )


def trace_response(request: Request, packed: bytes) -> Response:
    """A packed trace in the coding that the client accepts."""
    coding = compression.accepted(request.headers.get("Accept-Encoding"))
    headers = {"Vary": "Accept-Encoding"}
    if coding != "identity":
        headers["Content-Encoding"] = coding
    return Response(compression.recode(packed, coding), media_type="application/json", headers=headers)
