"""The files that a run writes: kept in memory, forgotten with the run.

A run can open no file, and training scripts write checkpoints and logs all the same: ``os.makedirs("checkpoints", exist_ok=True)``,
``torch.save(…)``, ``os.path.exists(…)``, ``open("log.txt", "a")``. For the time of a run what asks for files under a relative
path, or an absolute one below the run's own folder (`HERE`) or where people put their files (`SCRATCH`), is answered from
memory. Other absolute paths go to the operating system, where the sandbox refuses them, but for what ``torch.save`` keeps: it takes
any path.
"""

from __future__ import annotations

import builtins
import contextlib
import errno
import io
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

from engine.torch import serialization
from engine.trace.environment import temporary_files
from engine.trace.environment.opened_files import Entries, Entry, Opened, Text

HERE = "/snippet"
"""What ``os.getcwd()`` says: scripts put it, or the folder of ``__file__``, before the names of their files."""
SCRATCH = ("/tmp", "/var/tmp", "/content", "/kaggle/working", "/data", "/mnt", "/home", "/root")
"""Folders that are there in a run, empty: where scripts and notebooks write by absolute paths."""
FOLDER, FILE = stat.S_IFDIR | 0o755, stat.S_IFREG | 0o644


class RunFiles:
    """Files and folders of one run. Attributes named like functions of ``os`` stand in for them."""

    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}
        self.folders: set[str] = {".", *SCRATCH}
        self.numbers: dict[str, int] = {}

    def place(self, path: Any) -> str | None:
        """The path in its shortest form; None for what is the operating system's: descriptors, and most absolute and outer paths."""
        if isinstance(path, int):
            return None
        name = os.fsdecode(path)
        short = shortest(name) if name else ""
        outer = os.path.isabs(short) or short.split(os.sep)[0] == os.pardir
        return None if outer and not in_scratch(short) and short not in self.contents else short

    def open(self, path: str, name: str, mode: str) -> Opened:
        """Opens a file that is kept here. Raises what ``open`` raises."""
        if path in self.folders:
            raise failure(errno.EISDIR, name)
        if mode[0] == "x" and path in self.contents:
            raise failure(errno.EEXIST, name)
        if mode[0] == "r" and path not in self.contents:
            raise failure(errno.ENOENT, name)
        if path not in self.contents:
            self._require_parent(path, name)
        return Opened(self.contents, path, name, mode)

    def stat(self, path: str, name: str) -> os.stat_result:
        """Kind, size and a number that no other file has; no times, which would differ from run to run."""
        if path not in self.folders and path not in self.contents:
            raise failure(errno.ENOENT, name)
        number = self.numbers.setdefault(path, len(self.numbers) + 1)
        if path in self.folders:
            return os.stat_result((FOLDER, number, 0, 1, 0, 0, 0, 0, 0, 0))
        return os.stat_result((FILE, number, 0, 1, 0, 0, len(self.contents[path]), 0, 0, 0))

    def mkdir(self, path: str, name: str, mode: int = 0o777) -> None:
        """A folder in one that is there."""
        if path in self.folders or path in self.contents:
            raise failure(errno.EEXIST, name)
        self._require_parent(path, name)
        self.folders.add(path)

    def remove(self, path: str, name: str) -> None:
        """Forgets a file."""
        if path in self.folders:
            raise failure(errno.EISDIR, name)
        if path not in self.contents:
            raise failure(errno.ENOENT, name)
        del self.contents[path]

    def rmdir(self, path: str, name: str) -> None:
        """Forgets an empty folder."""
        if self.scandir(path, name).entries.__length_hint__():  # type: ignore[attr-defined]
            raise failure(errno.ENOTEMPTY, name)
        self.folders.discard(path)

    def rmtree(self, path: str, name: str, ignore_errors: bool = False, **_: Any) -> None:
        """Forgets a folder with all that it holds."""
        if path not in self.folders:
            if ignore_errors:
                return
            raise failure(errno.ENOENT, name)
        inside = path + os.sep
        self.folders = {folder for folder in self.folders if folder != path and not folder.startswith(inside)}
        self.contents = {file: kept for file, kept in self.contents.items() if not file.startswith(inside)}

    def rename(self, path: str, name: str, to: Any) -> None:
        """Moves a file."""
        target = self.place(to)
        if path not in self.contents or target is None:
            raise failure(errno.ENOENT, name)
        self._require_parent(target, os.fspath(to))
        self.contents[target] = self.contents.pop(path)

    def copy(self, path: str, name: str, to: Any, **_: Any) -> Any:
        """Copies a file, into a folder under its own name. Returns where to."""
        target = self.place(to)
        if target in self.folders:
            to = os.path.join(to, os.path.basename(path))
            target = self.place(to)
        if path not in self.contents or target is None:
            raise failure(errno.ENOENT, name)
        self._require_parent(target, os.fspath(to))
        self.contents[target] = self.contents[path]
        return to

    def scandir(self, path: str = ".", name: str = ".") -> Entries:
        """What a folder holds, files first, in the order of writing."""
        if path not in self.folders:
            raise failure(errno.ENOTDIR if path in self.contents else errno.ENOENT, name)
        found = [
            Entry(os.path.basename(inner), os.path.join(name, os.path.basename(inner)), is_folder)
            for is_folder, group in ((False, list(self.contents)), (True, sorted(self.folders)))
            for inner in group
            if inner != path and (os.path.dirname(inner) or ".") == path
        ]
        return Entries(found)

    def listdir(self, path: str = ".", name: str = ".") -> list[str]:
        """The names in a folder."""
        return [entry.name for entry in self.scandir(path, name)]

    def _require_parent(self, path: str, name: Any) -> None:
        if (os.path.dirname(path) or ".") not in self.folders or not path:
            raise failure(errno.ENOENT, name)

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Programs find these files inside the ``with``."""
        stand_ins: list[tuple[Any, str, Any]] = [
            (os, "stat", self._asked_first(os.stat, self.stat)),
            (os, "lstat", self._asked_first(os.lstat, self.stat)),
            (os, "mkdir", self._asked_first(os.mkdir, self.mkdir)),
            (os, "remove", self._asked_first(os.remove, self.remove)),
            (os, "unlink", self._asked_first(os.unlink, self.remove)),
            (os, "rmdir", self._asked_first(os.rmdir, self.rmdir)),
            (os, "rename", self._asked_first(os.rename, self.rename)),
            (os, "replace", self._asked_first(os.replace, self.rename)),
            (os, "listdir", self._asked_first(os.listdir, self.listdir, ".")),
            (os, "scandir", self._asked_first(os.scandir, self.scandir, ".")),
            (os, "getcwd", lambda: HERE),
            (os, "getcwdb", lambda: os.fsencode(HERE)),
            (shutil, "rmtree", self._asked_first(shutil.rmtree, self.rmtree)),
            *(
                (shutil, name, self._asked_first(getattr(shutil, name), self.copy))
                for name in ("copy", "copy2", "copyfile")
            ),
            *((module, "open", self._opening(builtins.open)) for module in (builtins, io)),
            *temporary_files.stand_ins(),
        ]
        before = [(module, name, getattr(module, name)) for module, name, _ in stand_ins]
        for module, name, function in stand_ins:
            setattr(module, name, function)
        kept, serialization.kept = serialization.kept, self.contents
        by_path, serialization.shortest = serialization.shortest, shortest
        folder, tempfile.tempdir = tempfile.tempdir, HERE
        try:
            yield
        finally:
            serialization.kept, serialization.shortest, tempfile.tempdir = kept, by_path, folder
            for module, name, function in before:
                setattr(module, name, function)

    def _asked_first(self, real: Callable[..., Any], own: Callable[..., Any], *default: str) -> Callable[..., Any]:
        """The function of ``os`` with paths of the run's own answered here."""

        def call(*args: Any, **kwargs: Any) -> Any:
            args = args or tuple(default)
            short = self.place(args[0]) if args and "dir_fd" not in kwargs else None
            if short is None:
                return real(*args, **kwargs)
            kwargs.pop("follow_symlinks", None)
            return own(short, os.fsdecode(args[0]), *args[1:], **kwargs)

        call.__name__ = real.__name__
        call.__doc__ = real.__doc__
        return call

    def _opening(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def open(
            file: Any,
            mode: str = "r",
            buffering: int = -1,
            encoding: str | None = None,
            errors: str | None = None,
            newline: str | None = None,
            closefd: bool = True,
            opener: Any = None,
        ) -> Any:
            path = self.place(file) if isinstance(file, str | bytes | os.PathLike) and opener is None else None
            if path is None or not set(mode) <= set("rwxabt+") or mode[:1] not in tuple("rwxa"):
                return real(file, mode, buffering, encoding, errors, newline, closefd, opener)
            opened = self.open(path, os.fsdecode(file), mode.replace("b", "").replace("t", ""))
            if "b" in mode:
                return opened
            return Text(opened, encoding or "utf-8", errors, newline)

        open.__doc__ = real.__doc__
        return open


def shortest(path: str) -> str:
    """The path in its shortest form, from the run's own folder where it is below that."""
    short = os.path.normpath(path)
    return os.path.relpath(short, HERE) if short == HERE or short.startswith(HERE + os.sep) else short


def failure(number: int, name: Any) -> OSError:
    """The error of ``os`` for this number: FileNotFoundError, FileExistsError, …"""
    return OSError(number, os.strerror(number), name)


def in_scratch(path: str) -> bool:
    """Whether an absolute path leads to a folder of `SCRATCH`."""
    return any(path == folder or path.startswith(folder + os.sep) for folder in SCRATCH)
