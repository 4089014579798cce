"""Puts the service together; everything arrives by constructor. ``python -m app`` serves it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware

from app import compression, pages, problems
from app.api import health, openapi
from app.api import runs as runs_api
from app.cache import Cache
from app.envelope import Envelope
from app.lessons.lesson import lessons
from app.runs import Runner, Runs
from app.settings import Settings
from engine.trace.document import SCHEMA, Trace

DESCRIPTION = "Plays PyTorch autograd back: post a snippet, get everything that happened in it, step by step."
MEGABYTE = 1 << 20
log = logging.getLogger("backplay")


def create_app(settings: Settings, runner: Runner) -> FastAPI:
    """The service that plays snippets with ``runner``.

    Raises:
        app.assets.NotBuilt: the front end has not been built.
    """
    runs = Runs(runner, Cache(settings.cache_megabytes * MEGABYTE), settings.queue_seconds)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        warming = asyncio.create_task(warm(runs))
        yield
        warming.cancel()

    app = FastAPI(
        title="Backplay",
        version=str(SCHEMA),  # what a client depends on is the shape of the trace
        description=DESCRIPTION,
        docs_url=None,  # the framework's page loads scripts from elsewhere; ours is /docs in app.pages
        redoc_url=None,
        lifespan=lifespan,
    )
    app.add_middleware(GZipMiddleware, minimum_size=compression.WORTH_BYTES)
    app.add_middleware(Envelope)
    app.include_router(runs_api.router(runs))
    app.include_router(health.router(runs))
    problems.install(app, pages.install(app, runs, settings.built, settings.frame_ancestors))
    openapi.install(app, [runs_api.RunRequest, Trace, health.Health])
    return app


async def warm(runs: Runs) -> None:
    """Play the lessons' snippets before anybody asks. What fails here is told, and tried again on request."""
    for lesson in lessons().values():
        try:
            await runs.play(lesson.snippet)
        except Exception:
            log.exception("lesson not played ahead", extra={"lesson": lesson.slug})
