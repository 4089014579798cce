"""Prints every ratio: ``make bench``, or ``python -m tools.bench imports engine`` for some of them.

Real PyTorch runs in the interpreter that ``BACKPLAY_TORCH_PYTHON`` names, or in ``.venv-torch`` (``make judge``).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from tools.bench import browser, engine, imports, service, tracing
from tools.serving import ROOT

Chapter = Callable[[str | None], None]


def without_torch(measure: Callable[[], None]) -> Chapter:
    """A chapter that has no use for PyTorch."""
    return lambda _: measure()


CHAPTERS: dict[str, Chapter] = {
    "imports": without_torch(imports.measure),
    "engine": engine.measure,
    "tracing": tracing.measure,
    "service": without_torch(service.measure),
    "browser": without_torch(browser.measure),
}


def torch_python() -> str | None:
    """The interpreter that can import PyTorch, if there is one."""
    named = os.environ.get("BACKPLAY_TORCH_PYTHON")
    made: Path = ROOT / ".venv-torch" / "bin" / "python"
    return named or (str(made) if made.exists() else None)


def main(chapters: list[str]) -> None:
    """Measure the chapters named, or all.

    Raises:
        SystemExit: a chapter has no such name.
    """
    unknown = sorted(set(chapters) - set(CHAPTERS))
    if unknown:
        sys.exit(f"no chapter is called {', '.join(unknown)}; there are {', '.join(CHAPTERS)}")
    python = torch_python()
    if python is None:
        print("No PyTorch here (BACKPLAY_TORCH_PYTHON, or `make judge`): our own figures alone.\n")
    for name in chapters or CHAPTERS:
        CHAPTERS[name](python)
        print(flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
