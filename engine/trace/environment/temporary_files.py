"""``tempfile`` in a run: its files are kept in memory like all others, and their names are the same in every run."""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Iterator
from typing import Any, Self


class Temporary:
    """An open file that is forgotten when it is closed, if ``delete`` says so."""

    def __init__(self, file: Any, name: str, delete: bool) -> None:
        self.file, self.name, self.delete = file, name, delete

    def __getattr__(self, attribute: str) -> Any:
        return getattr(self.file, attribute)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.file)

    def close(self) -> None:
        """A second call does nothing."""
        if not self.file.closed:
            self.file.close()
            if self.delete:
                os.unlink(self.name)


def stand_ins() -> list[tuple[Any, str, Any]]:
    """What takes the place of which attribute of ``tempfile`` while a run's files are installed."""
    names = (f"{number:08}" for number in itertools.count())

    def named(
        mode: str = "w+b",
        buffering: int = -1,
        encoding: str | None = None,
        newline: str | None = None,
        suffix: str | None = None,
        prefix: str | None = None,
        dir: str | None = None,
        delete: bool = True,
        *,
        errors: str | None = None,
    ) -> Temporary:
        folder = tempfile.gettempdir() if dir is None else dir
        name = os.path.join(folder, f"{prefix or tempfile.template}{next(names)}{suffix or ''}")
        return Temporary(open(name, mode, buffering, encoding, errors, newline), name, delete)

    return [
        (tempfile, "NamedTemporaryFile", named),
        (tempfile, "TemporaryFile", named),
        (tempfile, "_name_sequence", names),  # mkdtemp's: else drawn from the system's noise
    ]
