"""What the snippet says to the outside: prints, warnings, breakpoints and questions become steps."""

from __future__ import annotations

import builtins
import contextlib
import io
import sys
import types
import warnings
from collections.abc import Iterator
from typing import Any, Literal, NoReturn, TextIO

from engine.trace.encodable import encodable
from engine.trace.events import Bookmark, Printed, Warned
from engine.trace.follower import Follower, Spent
from engine.trace.parts import Span
from engine.trace.scopes import ScopeStack
from engine.trace.spans import Locator
from engine.trace.tape import Tape

LONGEST_WARNING = 2_000
"""Characters kept of a warning's text."""


class Outlet(io.TextIOBase):
    """Standard output or error: each line printed is a step; the cap is checked before anything is kept."""

    def __init__(self, capture: Capture, stream: Literal["stdout", "stderr"]) -> None:
        super().__init__()
        self.capture = capture
        self.stream = stream

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, text: str) -> int:
        """Keeps ``text``. Raises TypeError for anything but a string, as files do."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self.capture.wrote(text, self.stream)
        return len(text)

    @property
    def encoding(self) -> str:  # type: ignore[override]  # an attribute in its base
        """What Python would use."""
        return "utf-8"


class Capture:
    """Installs itself for the time of a run (`installed`)."""

    def __init__(self, follower: Follower, tape: Tape, scopes: ScopeStack, locator: Locator) -> None:
        self.follower = follower
        self.tape = tape
        self.scopes = scopes
        self.locator = locator
        self.left = tape.limits.output
        self.spent = False
        self._printed: Printed | None = None

    def wrote(self, text: str, stream: Literal["stdout", "stderr"]) -> None:
        """Raises `Spent` when the output's cap is reached; what fits is kept."""
        if not text:
            return
        text = encodable(text)
        kept = text[: self.left]
        self.left -= len(kept)
        if kept:
            if stream == "stdout":
                self.tape.output.append(kept)
            if self._step(kept, stream, self.locator.here(3)) and stream == "stdout":
                self.tape.told = len(self.tape.output)
        if len(kept) < len(text):
            self.spent = True
            self.follower.work = -1  # from now on every hook ends the run
            raise Spent("output")

    def _step(self, text: str, stream: Literal["stdout", "stderr"], span: Span | None) -> bool:
        """Puts the text into a step, the last one if it belongs there; says whether that is kept."""
        last = self._printed
        grows = last is not None and not last.output.endswith("\n") and self.tape.mergeable(last)
        if grows and last is not None and last.stream == stream and last.span == span:
            last.output += text
            return True
        self._printed = Printed(span=span, scope=self.scopes.here(), output=text, stream=stream)
        is_kept = not self.tape.full
        self.tape.add(self._printed)
        return is_kept

    def warned(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        """Stands in for ``warnings.showwarning``."""
        span = self.locator.here(2)
        if span is None and filename == self.locator.filename:
            span = Span(lineno, 0, lineno, len(self.locator.source.lines[lineno - 1]))
        step = Warned(
            span=span,
            scope=self.scopes.here(),
            category=category.__name__,
            message=encodable(str(message))[:LONGEST_WARNING],
        )
        self.tape.add(step)

    def bookmark(self, *args: Any, **kwargs: Any) -> None:
        """Stands in for ``breakpoint()`` and ``pdb.set_trace()``: a step, never a wait."""
        self.tape.add(Bookmark(span=self.locator.here(2), scope=self.scopes.here()))

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Standard streams, warnings, breakpoints and ``input`` are this capture's inside the ``with``."""
        before = sys.stdout, sys.stderr, sys.stdin, sys.breakpointhook, builtins.input
        debuggers = {name: sys.modules.get(name) for name in ("pdb", "ipdb")}
        sys.stdout, sys.stderr = Outlet(self, "stdout"), Outlet(self, "stderr")
        sys.stdin = io.StringIO()
        sys.breakpointhook = self.bookmark
        builtins.input = nobody_answers
        for name in debuggers:
            debugger = types.ModuleType(name, "Here set_trace() marks a step and the run goes on.")
            debugger.set_trace = self.bookmark  # type: ignore[attr-defined]  # a new module
            debugger.post_mortem = debugger.pm = self.bookmark  # type: ignore[attr-defined]  # the same
            sys.modules[name] = debugger
        try:
            with warnings.catch_warnings():
                warnings.resetwarnings()
                # numpy's floating-point warnings are about the engine's arithmetic; PyTorch gives none.
                warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"(engine|numpy|torch)\b")
                warnings.filterwarnings("ignore", category=ResourceWarning)
                warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"(?!__main__)")
                warnings.showwarning = self.warned
                yield
        finally:
            sys.stdout, sys.stderr, sys.stdin, sys.breakpointhook, builtins.input = before
            for name, module in debuggers.items():
                if module is None:
                    sys.modules.pop(name, None)
                else:
                    sys.modules[name] = module


def nobody_answers(prompt: object = "") -> NoReturn:
    """Stands in for ``input``. Raises EOFError."""
    if str(prompt):
        sys.stdout.write(f"{prompt}\n")
    raise EOFError("input() has nobody to ask here: write the value into the code instead")
