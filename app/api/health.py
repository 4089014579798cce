"""``GET /healthz``: whether the process is up and how strong its sandbox is."""

from __future__ import annotations

import msgspec
from fastapi import APIRouter, Response

from app.api.openapi import document
from app.runs import Runs


class Health(msgspec.Struct):
    """How the service is."""

    status: str
    """``ok`` whenever the service answers at all."""
    sandbox: str
    """Level of isolation: ``full`` (namespaces too), ``container``, ``reduced`` (no Landlock), ``none`` (no sandbox)."""


def router(runs: Runs) -> APIRouter:
    """The health route of the service that plays with ``runs``."""
    routes = APIRouter(tags=["health"])

    @routes.get(
        "/healthz",
        summary="Health",
        response_class=Response,
        responses=document("Health", "The service is up.", {"status": "ok", "sandbox": "container"}),
    )
    async def health() -> Response:
        """For load balancers and the curious."""
        body = msgspec.json.encode(Health(status="ok", sandbox=runs.runner.level))
        return Response(body, media_type="application/json", headers={"Cache-Control": "no-store"})

    # Some load balancers ask for the headers alone.
    routes.add_api_route("/healthz", health, methods=["HEAD"], include_in_schema=False)
    return routes
