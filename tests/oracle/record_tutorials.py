"""Asks real PyTorch what each whole program prints: run with a Python that has torch 2.13.0.

python -m tests.oracle.record_tutorials tests/golden/tutorials.json
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.oracle.whole_programs import programs, without_addresses

LIKE_THE_ENGINE = {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2"}
"""The instructions whose rounding the engine follows."""


def printed(program: str) -> str:
    """Standard output of a process that runs the program alone; its complaints pass through."""
    done = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | LIKE_THE_ENGINE, stdout=subprocess.PIPE, text=True, check=True
    )
    return without_addresses(done.stdout)


def main(target: str) -> None:
    told = {name: printed(program) for name, program in programs().items()}
    Path(target).write_text(json.dumps(told, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
