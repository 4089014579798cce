"""Figures that only a new process can give: each prints one number, the least of several counts."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence

from tools.serving import ROOT


def least(commands: Mapping[str, Sequence[str]], rounds: int) -> dict[str, float]:
    """The least number each command printed, all taking turns; what is compiled on the way is compiled before.

    Raises:
        CalledProcessError: a command failed; its words are above.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    printed: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds + 1):
        for name, command in commands.items():
            done = subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True)
            printed[name].append(float(done.stdout))
    return {name: min(numbers[1:]) for name, numbers in printed.items()}
