"""The built front end: which of its files pages name, and how they are served."""

from __future__ import annotations

import functools
import gzip
import json
import os
from pathlib import Path
from typing import Any

from fastapi import Response
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import Headers
from starlette.types import Scope

from app.compression import accepted

ENTRY = "src/main.ts"
PLAYER = "src/standalone.ts"
"""The player for other sites' pages."""
FOREVER = "public, max-age=31536000, immutable"
"""How long browsers may keep what is under an address that changes with its content."""
TEXT = frozenset({".js", ".css", ".svg", ".json"})
"""Built files that compression makes smaller; fonts come compressed."""
FOR_ANY_SITE = {"Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin"}
"""What other sites' pages may load: the player's files and traces, which are the same for everybody."""


class NotBuilt(Exception):
    """The front end has not been built; the message says how."""


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
    """Serves the built files; their names hold a hash of their content, so browsers may keep them for ever.

    Text is compressed once: doing so for every visitor would cost a tenth of a second each for the editor alone.
    """

    def file_response(
        self, full_path: Any, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """One file."""
        response = super().file_response(full_path, stat_result, scope, status_code)
        asked = Headers(scope=scope)
        whole_text = isinstance(response, FileResponse) and "Range" not in asked and Path(full_path).suffix in TEXT
        if whole_text and accepted(asked.get("Accept-Encoding"), ("gzip",)) == "gzip":
            headers = {**response.headers, "Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
            del headers["content-length"]
            response = Response(compressed(full_path, stat_result.st_mtime_ns), status_code, headers)
        response.headers["Cache-Control"] = FOREVER
        response.headers.update(FOR_ANY_SITE)
        return response


@functools.cache
def compressed(path: str, changed: int) -> bytes:  # noqa: ARG001 (a part of what is kept apart)
    """A built file in gzip's best compression; ``changed`` makes another of it once it is built anew."""
    return gzip.compress(Path(path).read_bytes(), mtime=0)


def imported(chunks: dict[str, Any], name: str) -> list[str]:
    """All that a chunk of the build imports at once, so that pages can ask for it before they have read the chunk."""
    found: dict[str, None] = {}
    for each in chunks[name].get("imports", []):
        found |= dict.fromkeys([each, *imported(chunks, each)])
    return list(found)
