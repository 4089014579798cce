"""``POST /api/runs``: a snippet in, its trace out."""

from __future__ import annotations

import asyncio
import math
from http import HTTPStatus

import msgspec
from fastapi import APIRouter, Request, Response

from app import compression
from app.api.openapi import body, document, problems
from app.problems import Problem
from app.runs import Runs
from engine.sandbox.host import Busy

BYTE_ORDER_MARK = "\ufeff"
ESCAPED_BYTES = 6
"""JSON may spell one byte of source with this many (``\\u000a``)."""
ENVELOPE_BYTES = 1024
"""Room for what stands around the source."""
BODY_SECONDS = 10.0
"""How long a body may take to arrive: 400 KB on the slowest phone; who sends less holds a connection for nothing."""


class RunRequest(msgspec.Struct, forbid_unknown_fields=True):
    """What to run."""

    code: str
    """The snippet, as one would put it into a Python file; not blank."""


EXAMPLE = RunRequest("import torch\na = torch.tensor(3.0, requires_grad=True)\n(a * a).backward()\nprint(a.grad)\n")
_decoder = msgspec.json.Decoder(RunRequest)


def router(runs: Runs) -> APIRouter:
    """The routes that play snippets with ``runs``."""
    routes = APIRouter(tags=["runs"])

    @routes.post(
        "/api/runs",
        summary="Play a snippet",
        response_class=Response,
        openapi_extra=body(RunRequest, EXAMPLE),
        responses={
            **document("Trace", "The trace of the run; a run that failed is a trace too, see `outcome`."),
            **problems(
                {
                    400: {"malformed-json": "The body is not JSON in UTF-8."},
                    408: {"slow-body": f"The body was not there after {BODY_SECONDS:g} s."},
                    413: {"code-too-long": f"The snippet has more than {runs.runner.limits.code_bytes} bytes."},
                    415: {"content-type": "The body is not said to be JSON."},
                    422: {
                        "invalid-request": "The body is JSON, but not a request.",
                        "empty-code": "The snippet is blank.",
                    },
                    500: {"internal-error": "The service failed; report the request id."},
                    503: {"overloaded": "No runner became free in time; try again later."},
                }
            ),
        },
    )
    async def play(request: Request) -> Response:
        """Runs the snippet in the sandbox and returns everything that autograd did, step by step."""
        code = await read_code(request, runs.runner.limits.code_bytes)
        try:
            packed = await runs.play(code)
        except Busy as busy:
            seconds = math.ceil(busy.retry_after)
            raise Problem(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "overloaded",
                f"All runners are busy. Try again in {seconds} s.",
                {"Retry-After": str(seconds)},
            ) from busy
        return trace_response(request, packed)

    return routes


async def read_code(request: Request, limit: int) -> str:
    """The snippet in the request's body, ``limit`` bytes at most. Raises `Problem` naming what is wrong with it."""
    media_type = request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise Problem(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "content-type",
            f"Content-Type is {media_type or 'missing'}; send application/json with a body like "
            '{"code": "import torch"}.',
        )
    content = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                content += chunk
                if len(content) > limit * ESCAPED_BYTES + ENVELOPE_BYTES:
                    raise too_long(limit, "more")
    except TimeoutError as error:
        raise Problem(
            HTTPStatus.REQUEST_TIMEOUT,
            "slow-body",
            f"The body was not there after {BODY_SECONDS:g} s. Send the whole request again.",
            {"Connection": "close"},
        ) from error
    try:
        # Editors of Windows put a mark at the start of a file that is no part of its text; Python drops it, too.
        code = _decoder.decode(bytes(content)).code.removeprefix(BYTE_ORDER_MARK)
        source = code.encode()
    except msgspec.ValidationError as error:
        raise Problem(
            HTTPStatus.UNPROCESSABLE_ENTITY, "invalid-request", f'{error}. Send a body like {{"code": "import torch"}}.'
        ) from error
    except (msgspec.DecodeError, UnicodeError) as error:
        raise Problem(HTTPStatus.BAD_REQUEST, "malformed-json", f"The body is not JSON in UTF-8: {error}.") from error
    if not code.strip():
        raise Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "empty-code", "`code` is blank; put a snippet in it.")
    if len(source) > limit:
        raise too_long(limit, f"{len(source)}")
    return code


def too_long(limit: int, seen: str) -> Problem:
    """The refusal of a snippet that has ``seen`` bytes instead of ``limit``."""
    return Problem(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        "code-too-long",
        f"A snippet may have {limit} bytes, this one has {seen}. Cut it to the part you want to see.",
    )


def trace_response(request: Request, packed: bytes) -> Response:
    """A packed trace in the coding that the client accepts."""
    coding = compression.accepted(request.headers.get("Accept-Encoding"))
    headers = {"Vary": "Accept-Encoding"}
    if coding != "identity":
        headers["Content-Encoding"] = coding
    return Response(compression.recode(packed, coding), media_type="application/json", headers=headers)
