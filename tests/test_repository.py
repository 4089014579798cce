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


def test_no_file_names_the_host_of_a_package_registry() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    named = []
    for name in filter(None, listed.split("\0")):
        content = (ROOT / name).read_bytes()
        if b"\0" not in content and REGISTRIES.search(content.decode()):
            named.append(name)
    assert not named
