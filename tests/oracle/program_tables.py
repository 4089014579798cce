"""Tables of short programs: a folder of text files, a program a line."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent


def lines_by_file(folder: str) -> dict[str, list[str]]:
    """The lines of a folder beside this file, by the names of its files; empty ones, and those that begin with ``#``, are none."""
    return {
        file.stem: [line for line in file.read_text(encoding="utf-8").split("\n") if line and not line.startswith("#")]
        for file in sorted((HERE / folder).glob("*.txt"))
    }


def programs_by_file(folder: str) -> dict[str, list[str]]:
    r"""The same where a program may have several lines: ``\n`` stands for the break between them."""
    return {name: [line.replace("\\n", "\n") for line in lines] for name, lines in lines_by_file(folder).items()}
