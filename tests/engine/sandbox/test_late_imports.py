"""What the engine imports only when it needs it has to be there before a run: a run can open no file."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def imported_late(file: Path) -> set[str]:
    """Modules that functions of ``file`` import, the engine's own aside."""
    found: set[str] = set()
    for function in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(function, ast.FunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.Import):
                    found |= {alias.name for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and not node.level:
                    found.add(str(node.module))
    return {name for name in found if name.partition(".")[0] != "engine"}


def test_every_late_import_of_the_engine_is_loaded_ahead() -> None:
    files = [file for file in (ROOT / "engine").rglob("*.py") if "sandbox" not in file.parts]
    late = set().union(*map(imported_late, files))
    assert "scipy.special" in late
    check = f"import sys; from engine.sandbox.modules import preload; preload(); print(*({late} - set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", check], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
