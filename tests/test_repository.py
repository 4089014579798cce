"""What must never be in the repository, whoever writes it: lock files pick such things up unasked."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REGISTRIES = re.compile(
    r"py[p]i\.org|pythonhoste[d]\.org|npm[j]s\.(?:org|com)|yarn[p]kg\.com|crates[.]io", re.IGNORECASE
)
"""The hosts that packages come from: which one serves them is the machine's own business."""

TOP_LEVEL = {
    ".ci", ".dockerignore", ".gitignore", "Dockerfile", "Makefile", "README.md", "app", "engine", "pyproject.toml",
    "requirements", "static", "templates", "tests", "tools",
}  # fmt: skip


def listed() -> list[str]:
    """The repository's files."""
    output = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in output.split("\0") if name]


def test_every_file_that_python_names_is_there() -> None:
    """In docstrings and comments; NAME and X stand for any name."""
    named = re.compile(r"\b((?:engine|tests|app|tools)/[a-z0-9_/.-]+\.(?:py|txt|json|toml))\b")
    lost = {
        f"{name}: {found}"
        for name in listed()
        if name.endswith(".py")
        for found in named.findall((ROOT / name).read_text(encoding="utf-8"))
        if not (ROOT / found).exists()
    }
    assert not lost


def test_nothing_strays_into_the_top_level() -> None:
    assert {name.partition("/")[0] for name in listed()} == TOP_LEVEL


def test_no_file_names_the_host_of_a_package_registry() -> None:
    named = []
    for name in listed():
        content = (ROOT / name).read_bytes()
        if b"\0" not in content and REGISTRIES.search(content.decode()):
            named.append(name)
    assert not named
