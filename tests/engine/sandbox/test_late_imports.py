"""What the engine imports or reads only when it needs it has to be there before a run: a run can open no file."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def imported_late(file: Path) -> set[str]:
    """Modules that functions of ``file`` import, and those that stand behind a `Late`."""
    found: set[str] = set()
    for function in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(function, ast.FunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.Import):
                    found |= {alias.name for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and not node.level:
                    found.add(str(node.module))
                    found |= {name for alias in node.names if is_module(name := f"{node.module}.{alias.name}")}
        elif isinstance(function, ast.Call) and isinstance(function.func, ast.Name) and function.func.id == "Late":
            found |= {str(argument.value) for argument in function.args if isinstance(argument, ast.Constant)}
    return found


def is_module(name: str) -> bool:
    """Whether a name taken from one of the engine's packages is a module of its own."""
    place = ROOT.joinpath(*name.split("."))
    return place.with_suffix(".py").exists() or (place / "__init__.py").exists()


def test_every_late_import_of_the_engine_is_loaded_ahead() -> None:
    files = [file for file in (ROOT / "engine").rglob("*.py") if "sandbox" not in file.parts]
    late = set().union(*map(imported_late, files))
    assert "scipy.special" in late
    assert "engine.transforms.columns" in late
    check = f"import sys; from engine.sandbox.modules import preload; preload(); print(*({late} - set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", check], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def read_late(file: Path) -> set[str]:
    """Functions of ``file`` that keep what they read from a file of their own (``module:function``)."""
    module = ".".join(file.relative_to(ROOT).with_suffix("").parts)
    return {
        f"{module}:{function.name}"
        for function in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef)
        and any(ast.unparse(decorator) == "functools.cache" for decorator in function.decorator_list)
        and any(isinstance(node, ast.Call) and ast.unparse(node.func) == "open" for node in ast.walk(function))
    }


def test_every_table_of_the_engine_is_read_ahead() -> None:
    late = set().union(*(read_late(file) for file in (ROOT / "engine").rglob("*.py") if "sandbox" not in file.parts))
    assert "engine.torch.missing:known" in late
    check = f"""
import importlib
from engine.sandbox.modules import preload
preload()
for place in {sorted(late)}:
    module, name = place.split(":")
    if not getattr(importlib.import_module(module), name).cache_info().currsize:
        print(place)
"""
    done = subprocess.run([sys.executable, "-c", check], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
