"""Frames on a run's two pipes: 4 bytes of length (big-endian), one byte that says what it is, then the content.

The reader on the host's side trusts nothing: the announced length is checked before any of it is read.
"""

from __future__ import annotations

import enum
import os
import struct

HEADER = struct.Struct(">Ic")
_CHUNK = 1 << 16
"""A pipe holds no more at a time."""


class Kind(enum.Enum):
    """What a frame holds."""

    PLAY = b"P"
    """To the child: the source of a snippet."""
    FINISH = b"F"
    """To the child: an unfinished document, whose words and chapters are to be filled in."""
    DOCUMENT = b"D"
    """From the child: a finished document. It is the last frame."""


_LETTERS = {kind.value for kind in Kind}


class FrameError(ValueError):
    """Bytes that are no frame: the message says what was seen."""


class TooLong(FrameError):
    """A frame that is longer than its reader allows."""


def pack(kind: Kind, content: bytes) -> bytes:
    """One whole frame."""
    return HEADER.pack(len(content), kind.value) + content


class Assembler:
    """Puts a frame together from the pieces in which it arrives."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._pieces = bytearray()
        self._wanted: int | None = None

    def feed(self, piece: bytes) -> tuple[Kind, bytes] | None:
        """Takes the next piece; returns the frame when it is whole. What follows a whole frame is ignored.

        Raises FrameError for an unknown kind, TooLong for an announced length above ``most``.
        """
        self._pieces += piece
        if self._wanted is None:
            if len(self._pieces) < HEADER.size:
                return None
            length, letter = HEADER.unpack_from(self._pieces)
            if letter not in _LETTERS:
                raise FrameError(f"a frame of unknown kind {letter!r}; known: {sorted(_LETTERS)}")
            if length > self.most:
                raise TooLong(f"a frame announces {length} bytes; at most {self.most} are read")
            self._wanted = HEADER.size + length
        if len(self._pieces) < self._wanted:
            return None
        kind = Kind(bytes(self._pieces[4:5]))
        return kind, bytes(self._pieces[HEADER.size : self._wanted])


def receive(descriptor: int, most: int) -> tuple[Kind, bytes] | None:
    """Reads one frame, blocking; None when the other side closed before it was whole."""
    assembler = Assembler(most)
    while piece := os.read(descriptor, _CHUNK):
        if (frame := assembler.feed(piece)) is not None:
            return frame
    return None


def send(descriptor: int, kind: Kind, content: bytes) -> None:
    """Writes one frame, blocking."""
    rest = memoryview(pack(kind, content))
    while rest:
        rest = rest[os.write(descriptor, rest) :]
