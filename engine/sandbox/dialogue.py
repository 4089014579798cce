"""The host's side of one run's pipes: ask, and read the answer, without blocking the event loop."""

from __future__ import annotations

import asyncio
import os

from engine.sandbox.ending import Ending
from engine.sandbox.frames import Assembler, FrameError, Kind, TooLong, pack

_CHUNK = 1 << 18
"""Most bytes of an answer that are read at once, so that the event loop gets its turn between."""


class Dialogue:
    """Writes one frame to ``question`` and reads one from ``answer`` (both non-blocking descriptors).

    `hold` answers as soon as the frame is whole: waiting for the pipe's end would mean waiting until the kernel has
    torn down the run's memory.
    """

    def __init__(self, question: int, answer: int, most: int) -> None:
        self.question = question
        self.answer = answer
        self._assembler = Assembler(most)
        self._rest = memoryview(b"")
        self._loop = asyncio.get_running_loop()
        self._over: asyncio.Future[tuple[bytes | None, Ending | None]] = self._loop.create_future()

    async def hold(self, kind: Kind, content: bytes, seconds: float) -> tuple[bytes | None, Ending | None]:
        """The document, or why there is none; (None, None) when the run closed its side: the kernel knows why."""
        self._rest = memoryview(pack(kind, content))
        self._loop.add_reader(self.answer, self._read)
        self._loop.add_writer(self.question, self._write)
        self._write()
        try:
            async with asyncio.timeout(seconds):
                return await self._over
        except TimeoutError:
            return None, Ending.WALL
        finally:
            self._loop.remove_reader(self.answer)
            self._loop.remove_writer(self.question)

    def _write(self) -> None:
        try:
            self._rest = self._rest[os.write(self.question, self._rest) :]
        except BlockingIOError:
            return  # The pipe is full; the loop calls again when there is room.
        except BrokenPipeError:
            self._rest = memoryview(b"")  # The run is gone; the reader is about to see that.
        if not self._rest:
            self._loop.remove_writer(self.question)

    def _read(self) -> None:
        try:
            piece = os.read(self.answer, _CHUNK)
        except BlockingIOError:
            return
        if not piece:
            self._finish(None, None)
            return
        try:
            frame = self._assembler.feed(piece)
        except TooLong:
            self._finish(None, Ending.SIZE)
        except FrameError:
            self._finish(None, Ending.FORGED)
        else:
            if frame is not None:
                kind, content = frame
                self._finish(*((content, None) if kind is Kind.DOCUMENT else (None, Ending.FORGED)))

    def _finish(self, content: bytes | None, ending: Ending | None) -> None:
        self._loop.remove_reader(self.answer)
        if not self._over.done():
            self._over.set_result((content, ending))
