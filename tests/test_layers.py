"""Who may import whom: each layer only what stands to its left. The table below is the rule.

Imports inside functions are judged as well; only those under ``TYPE_CHECKING`` are not, since they don't run.
"""

from __future__ import annotations

import ast
import functools
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

LAYERS: tuple[frozenset[str], ...] = tuple(
    frozenset(names.split())
    for names in (
        "engine.dtype engine.dtype_names engine.errors engine.late engine.observe engine.placement engine.size engine.spelled",
        "engine.float_limits engine.shared_keys engine.summation engine.type_info engine.warned",
        "engine.autograd",
        "engine.storage",
        "engine.tensor engine.printing engine.random",
        "engine.ops.core",
        "engine.ops.layout engine.ops.factories",
        "engine.ops.tensors engine.ops.products engine.ops.random",
        "engine.ops.selection",
        "engine.ops.pointwise",
        "engine.ops.reduction",
        "engine.ops.sparse",
        "engine.ops.neural engine.ops.linear_algebra",
        "engine.ops.fourier",
        "engine.ops",
        "engine.transforms",
        "engine.nn engine.optim engine.distributions engine.utils",
        "engine.torch engine.functorch",
        "engine.trace",
        "engine.sandbox",
        "app",
    )
)
APP_MAY_IMPORT = (
    "engine.sandbox.host",
    "engine.sandbox.limits",
    "engine.trace.document",
    "engine.trace.events",
    "engine.ops.core.catalogue",
)
"""Of the engine, the service knows the sandbox's host and limits, the trace's schema and the operator catalogue."""
WEB = {"fastapi", "starlette", "pydantic", "jinja2", "uvicorn", "app"}
SOURCES = sorted(file for folder in ("engine", "app") for file in (ROOT / folder).rglob("*.py"))


def module_name(file: Path) -> str:
    """``engine/ops/__init__.py`` is ``engine.ops``."""
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(tree: ast.AST, package: str) -> Iterator[str]:
    """Every module that running this code can import; ``from a import b`` gives ``a`` and ``a.b``."""
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
                for otherwise in node.orelse:
                    yield from imports(ast.Module([otherwise], []), package)
            case ast.Import():
                yield from (alias.name for alias in node.names)
            case ast.ImportFrom():
                base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
                origin = ".".join([*base, *([node.module] if node.module else [])])
                yield origin
                yield from (f"{origin}.{alias.name}" for alias in node.names)
            case _:
                yield from imports(node, package)


@functools.cache
def imported_by(file: Path) -> frozenset[str]:
    """All modules that ``file`` can import."""
    name = module_name(file)
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    return frozenset(imports(ast.parse(file.read_text(encoding="utf-8")), package))


def layer(module: str) -> int | None:
    """The index of the layer that ``module`` belongs to; None for the bare package and for everything foreign."""
    for index, names in enumerate(LAYERS):
        if any(module == name or module.startswith(f"{name}.") for name in names):
            return index
    return None


@pytest.mark.parametrize("file", SOURCES, ids=module_name)
def test_each_module_imports_only_from_its_left(file: Path) -> None:
    own = layer(module_name(file))
    if module_name(file) == "engine":
        assert not {name for name in imported_by(file) if name.startswith("engine.")}, (
            "the package itself imports nothing"
        )
        return
    assert own is not None, f"{module_name(file)} belongs to no layer; give it a place in LAYERS"
    rightward = {name for name in imported_by(file) if (other := layer(name)) is not None and other > own}
    assert not rightward, f"{module_name(file)} may not import {sorted(rightward)}: they stand to its right in LAYERS"


@pytest.mark.parametrize("file", [file for file in SOURCES if module_name(file).startswith("engine")], ids=module_name)
def test_the_engine_knows_no_web(file: Path) -> None:
    assert not {name.partition(".")[0] for name in imported_by(file)} & WEB


@pytest.mark.parametrize("file", [file for file in SOURCES if module_name(file).startswith("app")], ids=module_name)
def test_the_service_knows_only_the_engines_front_doors(file: Path) -> None:
    inside = {name for name in imported_by(file) if name.startswith("engine.")}
    packages = {name for name in inside if any(door.startswith(f"{name}.") for door in APP_MAY_IMPORT)}
    strangers = {
        name
        for name in inside - packages
        if not any(name == door or name.startswith(f"{door}.") for door in APP_MAY_IMPORT)
    }
    assert not strangers, f"{module_name(file)} reaches into the engine: {sorted(strangers)}"


@pytest.mark.parametrize("file", SOURCES, ids=module_name)
def test_every_third_party_package_is_a_declared_dependency(file: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {entry.split(";")[0].split(">")[0].split("[")[0].strip().lower() for entry in project["dependencies"]}
    comes_with = {"starlette": "fastapi", "markupsafe": "jinja2", "backports": "backports.zstd"}
    foreign = {
        top
        for top in (name.partition(".")[0] for name in imported_by(file))
        if top and top not in sys.stdlib_module_names and top not in {"engine", "app", "compression"}
    }
    undeclared = {name for name in foreign if comes_with.get(name, name).lower() not in declared}
    assert not undeclared, f"{module_name(file)} imports {sorted(undeclared)}, which pyproject.toml does not name"


def test_a_walk_sees_imports_in_functions_but_not_those_for_type_checkers() -> None:
    code = """
if TYPE_CHECKING:
    from engine.tensor import Tensor
else:
    import engine.nn
def late():
    from ..ops import declare
"""
    seen = set(imports(ast.parse(code), "engine.autograd.node"))
    assert seen == {"engine.nn", "engine.autograd.ops", "engine.autograd.ops.declare"}
