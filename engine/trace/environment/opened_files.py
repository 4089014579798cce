"""What programs hold of files in memory: an open file, as bytes or as text, and the entries of a folder."""

from __future__ import annotations

import io
from collections.abc import Iterator
from types import TracebackType
from typing import Any, NamedTuple, Self


class Entry(NamedTuple):
    """What ``os.scandir`` gives, as far as programs ask."""

    name: str
    path: str
    folder: bool

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """Whether it is a folder."""
        return self.folder

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        """Whether it is a file."""
        return not self.folder

    def is_symlink(self) -> bool:
        """Never."""
        return False


class Entries:
    """The iterator of ``os.scandir``, which is also a context."""

    def __init__(self, entries: list[Entry]) -> None:
        self.entries = iter(entries)

    def __iter__(self) -> Iterator[Entry]:
        return self.entries

    def __next__(self) -> Entry:
        return next(self.entries)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is held open."""


class Opened(io.BytesIO):
    """An open file; what is written is kept in ``contents`` at each flush, and at the latest when it is closed."""

    def __init__(self, contents: dict[str, bytes], path: str, name: str, mode: str) -> None:
        super().__init__(b"" if mode[0] in "wx" else contents.get(path, b""))
        self.contents, self.path, self.name, self.way = contents, path, name, mode
        self.reads, self.writes = mode[0] == "r" or "+" in mode, mode[0] != "r" or "+" in mode
        if mode[0] == "a":
            self.seek(0, io.SEEK_END)
        if mode[0] in "wxa":
            contents[path] = self.getvalue()

    @property
    def mode(self) -> str:
        """As Python names the mode of bytes."""
        return self.way + "b"

    def readable(self) -> bool:
        """Whether the mode allows it."""
        return self.reads

    def writable(self) -> bool:
        """Whether the mode allows it."""
        return self.writes

    def read(self, size: int | None = -1, /) -> bytes:
        """Raises io.UnsupportedOperation where the file is open for writing only."""
        self._allow(self.reads, "read")
        return super().read(size)

    def write(self, data: Any, /) -> int:
        """Raises io.UnsupportedOperation where the file is open for reading only."""
        self._allow(self.writes, "write")
        if self.way[0] == "a":
            self.seek(0, io.SEEK_END)
        return super().write(data)

    def flush(self) -> None:
        """Keeps what was written so far."""
        super().flush()
        if self.writes:
            self.contents[self.path] = self.getvalue()

    def close(self) -> None:
        """Keeps what was written."""
        if not self.closed:
            self.flush()
        super().close()

    def _allow(self, allowed: bool, what: str) -> None:
        if not allowed:
            raise io.UnsupportedOperation(what)


class Text(io.TextIOWrapper):
    """An open file as text."""

    def __init__(self, opened: Opened, encoding: str, errors: str | None, newline: str | None) -> None:
        super().__init__(opened, encoding, errors, newline)
        self.asked = opened.way

    @property
    def mode(self) -> str:
        """As it was asked for."""
        return self.asked
