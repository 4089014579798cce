"""The pages people open: lessons, the playground and the API's reference."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from app.api.runs import trace_response
from app.assets import FOR_ANY_SITE, FOREVER, Assets, BuiltFiles
from app.envelope import embeddable
from app.examples.gallery import gallery
from app.lessons.lesson import Lesson, lessons, topics
from app.problems import PagePainter, Problem, ProblemDetails
from app.runs import Runs

TEMPLATES = Path(__file__).resolve().parent.parent / "templates"
FIRST_LESSON = "dynamic-computation-graph"
READ = ["GET", "HEAD"]
TRACE_ADDRESS = re.compile(r"(?:[\w-]+/)+[\w-]+\.json")


def install(app: FastAPI, runs: Runs, built: Path, frame_ancestors: str) -> PagePainter:
    """Give ``app`` its pages; ``frame_ancestors`` may show the embedded player. Returns what draws a problem as a page.

    Raises `app.assets.NotBuilt`.
    """
    pages = Pages(app, runs, Assets(built), frame_ancestors)
    routes = APIRouter(include_in_schema=False)
    endpoints: dict[str, Callable[..., Any]] = {
        "/": pages.home,
        "/lessons": pages.contents,
        "/lessons/{slug}": pages.lesson,
        "/play": pages.playground,
        "/embed": pages.embed,
        "/traces/{key}.json": pages.trace,
        "/player.js": pages.player,
        "/docs": pages.reference,
    }
    for path, endpoint in endpoints.items():
        routes.add_api_route(path, endpoint, methods=READ)
    app.include_router(routes)
    app.mount("/static", BuiltFiles(directory=built), name="static")
    return pages.problem


class Pages:
    """What each address answers with."""

    def __init__(self, app: FastAPI, runs: Runs, assets: Assets, frame_ancestors: str) -> None:
        self.app = app
        self.runs = runs
        self.assets = assets
        self.frame_ancestors = frame_ancestors
        self.traces = {runs.key(lesson.snippet): lesson for lesson in lessons().values()}
        """Lessons by the name of their trace."""
        self.environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined)
        self.environment.filters["code"] = code_spans

    async def home(self, request: Request) -> HTMLResponse:
        """What the site is for, and the first lesson."""
        return self._lesson(request, lessons()[FIRST_LESSON], "home.html", "home")

    async def contents(self, request: Request) -> HTMLResponse:
        """All lessons."""
        return self._page(request, "lessons.html", "lessons", topics=topics(), lessons=lessons())

    async def lesson(self, request: Request, slug: str) -> HTMLResponse:
        """One lesson."""
        return self._lesson(request, found(lessons(), slug, "lesson"), "lesson.html", "lessons")

    async def playground(self, request: Request) -> HTMLResponse:
        """The player without a lesson, for anybody's own code."""
        return self._page(
            request,
            "play.html",
            "play",
            examples=[topic.model_dump(exclude={"examples": {"__all__": {"raises"}}}) for topic in gallery()],
        )

    async def embed(self, request: Request, lesson: str = "", src: str = "") -> HTMLResponse:
        """The player alone, for frames on other sites: a lesson's snippet, a trace of this site, or code in the hash."""
        framed = {"Content-Security-Policy": embeddable(self.frame_ancestors)}  # a refusal is read in the frame as well
        shown = found(lessons(), lesson, "lesson", framed) if lesson else None
        if src and not TRACE_ADDRESS.fullmatch(src):
            raise Problem(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                "foreign-trace",
                f"src is {src[:80]!r}; give the address of a trace below this site's root, like traces/….json.",
                framed,
            )
        source = src or (self._trace_address(shown) if shown else "")
        response = self._page(request, "embed.html", "", source=source, lesson=shown)
        response.headers.update(framed)
        return response

    async def trace(self, request: Request, key: str) -> Response:
        """A lesson's trace; its name changes with everything that could change its bytes."""
        response = trace_response(request, await self.runs.play(found(self.traces, key, "trace").snippet))
        response.headers["Cache-Control"] = FOREVER
        response.headers.update(FOR_ANY_SITE)
        return response

    async def player(self) -> Response:
        """``<backplay-player>`` for other sites' pages, under an address that stays."""
        headers = {"Cache-Control": "no-cache", **FOR_ANY_SITE}
        return Response(f'import "./static/{self.assets.player}";\n', media_type="text/javascript", headers=headers)

    async def reference(self, request: Request) -> HTMLResponse:
        """The API's reference."""
        return self._page(request, "reference.html", "docs", openapi=self.app.openapi(), site=str(request.base_url))

    def problem(self, request: Request, problem: ProblemDetails) -> str:
        """A refusal, for people."""
        return self._drawn(request, "problem.html", "", problem=problem)

    def _lesson(self, request: Request, lesson: Lesson, template: str, here: str) -> HTMLResponse:
        previous, following = neighbours(list(lessons().values()), lesson)
        return self._page(
            request,
            template,
            here,
            lesson=lesson,
            trace=self._trace_address(lesson),
            previous=previous,
            following=following,
            count=len(lessons()),
        )

    def _trace_address(self, lesson: Lesson) -> str:
        return f"traces/{self.runs.key(lesson.snippet)}.json"

    def _page(self, request: Request, template: str, here: str, **values: Any) -> HTMLResponse:
        drawn = self._drawn(request, template, here, **values)
        return HTMLResponse(drawn, headers={"Cache-Control": "no-cache"})

    def _drawn(self, request: Request, template: str, here: str, **values: Any) -> str:
        """``here``: the entry of the site's menu that the page belongs to."""
        drawing = self.environment.get_template(template)
        return drawing.render(root=root_of(request), assets=self.assets, here=here, **values)


def code_spans(text: str) -> Markup:
    """Plain text as HTML, words between backticks as code."""
    pieces = text.split("`")
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if index % 2 else escape(piece) for index, piece in enumerate(pieces)
    )


def root_of(request: Request) -> str:
    """The relative address of the site's root, so that pages work under any base path: ``./`` or ``../``."""
    return "../" * (request.url.path.removeprefix(request.scope.get("root_path", "")).count("/") - 1) or "./"


def neighbours(all_lessons: list[Lesson], lesson: Lesson) -> tuple[Lesson | None, Lesson | None]:
    """The lessons before and after ``lesson``; None at either end."""
    place = all_lessons.index(lesson)
    before, after = all_lessons[:place], all_lessons[place + 1 :]
    return (before[-1] if before else None, after[0] if after else None)


def found(table: dict[str, Lesson], name: str, kind: str, headers: Mapping[str, str] | None = None) -> Lesson:
    """The entry ``name``. Raises `Problem` 404 when there is none, which names a lesson that is called almost so."""
    if name not in table:
        near = difflib.get_close_matches(name, table, 1) if kind == "lesson" else []
        more = f" Do you mean {near[0]}?" if near else ""
        raise Problem(HTTPStatus.NOT_FOUND, f"no-such-{kind}", f"There is no {kind} of that name.{more}", headers)
    return table[name]
