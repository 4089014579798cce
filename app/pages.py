"""The pages people open: lessons, the playground and the API's reference."""

from __future__ import annotations

import json
import re
from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from app.api.runs import trace_response
from app.envelope import embeddable
from app.examples.gallery import gallery
from app.lessons.lesson import Lesson, lessons, topics
from app.problems import PagePainter, Problem, ProblemDetails
from app.runs import Runs

TEMPLATES = Path(__file__).resolve().parent.parent / "templates"
ENTRY = "src/main.ts"
PLAYER = "src/standalone.ts"
"""The player for other sites' pages."""
FIRST_LESSON = "dynamic-computation-graph"
READ = ["GET", "HEAD"]
TRACE_ADDRESS = re.compile(r"(?:[\w-]+/)+[\w-]+\.json")
FOREVER = "public, max-age=31536000, immutable"
FOR_ANY_SITE = {"Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin"}
"""What other sites' pages may load: the player's files and traces, which are the same for everybody."""


class NotBuilt(Exception):
    """The front end has not been built; the message says how."""


def code_spans(text: str) -> Markup:
    """Plain text as HTML, words between backticks as code."""
    pieces = text.split("`")
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if index % 2 else escape(piece) for index, piece in enumerate(pieces)
    )


def root_of(request: Request) -> str:
    """The relative address of the site's root, so that pages work under any base path: ``./`` or ``../``."""
    return "../" * (request.url.path.removeprefix(request.scope.get("root_path", "")).count("/") - 1) or "./"


class Assets:
    """The built front end: which files the pages name, from the build's manifest."""

    def __init__(self, built: Path) -> None:
        """``built`` is the folder that the build fills. Raises `NotBuilt` when there is none."""
        manifest = built / ".vite" / "manifest.json"
        if not manifest.is_file():
            raise NotBuilt(f"There is no built front end in {built}. Run `make build`.")
        chunks = json.loads(manifest.read_text(encoding="utf-8"))
        self.script: str = chunks[ENTRY]["file"]
        self.styles: list[str] = chunks[ENTRY].get("css", [])
        self.preloads = [chunks[name]["file"] for name in imported(chunks, ENTRY)]
        self.player: str = chunks[PLAYER]["file"]
        # What the first screen is set in: asked for at once, so that no line breaks anew when a font arrives.
        files = chunks[ENTRY].get("assets", [])
        self.fonts = [name for name in files if name.endswith(".woff2") and "italic" not in name]


class BuiltFiles(StaticFiles):
    """Serves the built files; their names hold a hash of their content, so browsers may keep them for ever."""

    def file_response(self, *arguments: Any, **options: Any) -> Response:
        """One file."""
        response = super().file_response(*arguments, **options)
        response.headers["Cache-Control"] = FOREVER
        response.headers.update(FOR_ANY_SITE)
        return response


def imported(chunks: dict[str, Any], name: str) -> list[str]:
    """All that a chunk of the build imports at once, so that pages can ask for it before they have read the chunk."""
    found: dict[str, None] = {}
    for each in chunks[name].get("imports", []):
        found |= dict.fromkeys([each, *imported(chunks, each)])
    return list(found)


def install(app: FastAPI, runs: Runs, built: Path, frame_ancestors: str) -> PagePainter:
    """Give ``app`` its pages; ``frame_ancestors`` may show the embedded player. Returns what draws a problem as a page.

    Raises `NotBuilt`.
    """
    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined)
    environment.filters["code"] = code_spans
    assets = Assets(built)
    traces = {runs.key(lesson.snippet): lesson for lesson in lessons().values()}

    def drawn(request: Request, template: str, here: str, **values: Any) -> str:
        """``here``: the entry of the site's menu that the page belongs to."""
        return environment.get_template(template).render(root=root_of(request), assets=assets, here=here, **values)

    def page(request: Request, template: str, here: str, **values: Any) -> HTMLResponse:
        return HTMLResponse(drawn(request, template, here, **values), headers={"Cache-Control": "no-cache"})

    def problem_page(request: Request, problem: ProblemDetails) -> str:
        return drawn(request, "problem.html", "", problem=problem)

    def lesson_page(
        request: Request, lesson: Lesson, template: str = "lesson.html", here: str = "lessons"
    ) -> HTMLResponse:
        previous, following = neighbours(list(lessons().values()), lesson)
        return page(
            request,
            template,
            here,
            lesson=lesson,
            trace=f"traces/{runs.key(lesson.snippet)}.json",
            previous=previous,
            following=following,
            count=len(lessons()),
        )

    routes = APIRouter(include_in_schema=False)

    @routes.api_route("/", methods=READ)
    async def home(request: Request) -> HTMLResponse:
        """What the site is for, and the first lesson."""
        return lesson_page(request, lessons()[FIRST_LESSON], "home.html", "home")

    @routes.api_route("/lessons", methods=READ)
    async def contents(request: Request) -> HTMLResponse:
        return page(request, "lessons.html", "lessons", topics=topics(), lessons=lessons())

    @routes.api_route("/lessons/{slug}", methods=READ)
    async def lesson(request: Request, slug: str) -> HTMLResponse:
        return lesson_page(request, found(lessons(), slug, "lesson"))

    @routes.api_route("/play", methods=READ)
    async def playground(request: Request) -> HTMLResponse:
        """The player without a lesson, for anybody's own code."""
        return page(
            request,
            "play.html",
            "play",
            examples=[topic.model_dump(exclude={"examples": {"__all__": {"raises"}}}) for topic in gallery()],
        )

    @routes.api_route("/embed", methods=READ)
    async def embed(request: Request, lesson: str = "", src: str = "") -> HTMLResponse:
        """The player alone, for frames on other sites: a lesson's snippet, a trace of this site, or code in the hash."""
        shown = found(lessons(), lesson, "lesson") if lesson else None
        if src and not TRACE_ADDRESS.fullmatch(src):
            raise Problem(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                "foreign-trace",
                f"src is {src[:80]!r}; give the address of a trace below this site's root, like traces/….json.",
            )
        source = src or (f"traces/{runs.key(shown.snippet)}.json" if shown else "")
        response = page(request, "embed.html", "", source=source, snippet=shown.snippet if shown else "")
        response.headers["Content-Security-Policy"] = embeddable(frame_ancestors)
        return response

    @routes.api_route("/traces/{key}.json", methods=READ)
    async def trace(request: Request, key: str) -> Response:
        """A lesson's trace; its name changes with everything that could change its bytes."""
        response = trace_response(request, await runs.play(found(traces, key, "trace").snippet))
        response.headers["Cache-Control"] = FOREVER
        response.headers.update(FOR_ANY_SITE)
        return response

    @routes.api_route("/player.js", methods=READ)
    async def player() -> Response:
        """``<backplay-player>`` for other sites' pages, under an address that stays."""
        headers = {"Cache-Control": "no-cache", **FOR_ANY_SITE}
        return Response(f'import "./static/{assets.player}";\n', media_type="text/javascript", headers=headers)

    @routes.api_route("/docs", methods=READ)
    async def reference(request: Request) -> HTMLResponse:
        return page(request, "reference.html", "docs", openapi=app.openapi())

    app.include_router(routes)
    app.mount("/static", BuiltFiles(directory=built), name="static")
    return problem_page


def neighbours(all_lessons: list[Lesson], lesson: Lesson) -> tuple[Lesson | None, Lesson | None]:
    """The lessons before and after ``lesson``; None at either end."""
    place = all_lessons.index(lesson)
    before, after = all_lessons[:place], all_lessons[place + 1 :]
    return (before[-1] if before else None, after[0] if after else None)


def found(table: dict[str, Lesson], name: str, kind: str) -> Lesson:
    """The entry ``name``. Raises `Problem` 404 when there is none."""
    if name not in table:
        raise Problem(HTTPStatus.NOT_FOUND, f"no-such-{kind}", f"There is no {kind} of that name.")
    return table[name]
