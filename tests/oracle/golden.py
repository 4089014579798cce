"""What real PyTorch was recorded to do (``tests/golden/NAME.json``), and where the engine differs from it."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "golden"


def golden(name: str) -> Any:
    """The recording of that name."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def as_json(value: Any) -> Any:
    """The value as it comes back from a recording: tuples are lists, keys are texts."""
    return json.loads(json.dumps(value))


def differences(
    ours: Any, theirs: Any, where: str = "", *, relative: float = 2e-5, absolute: float = 2e-6
) -> Iterator[str]:
    """Every place where two observations disagree; floats may, within a few roundings (of float32 unless said)."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        if list(ours) != list(theirs) and ours.keys() == theirs.keys():
            yield f"{where}: keys in the order {list(ours)} instead of {list(theirs)}"
        for name in sorted({*ours, *theirs}):
            one, other = ours.get(name, "nothing"), theirs.get(name, "nothing")
            yield from differences(one, other, f"{where}.{name}", relative=relative, absolute=absolute)
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for number, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            yield from differences(one, other, f"{where}[{number}]", relative=relative, absolute=absolute)
    elif isinstance(ours, float) and isinstance(theirs, float):
        close = math.isclose(ours, theirs, rel_tol=relative, abs_tol=absolute)
        if not close and not (math.isnan(ours) and math.isnan(theirs)):
            yield f"{where}: {ours} instead of {theirs}"
    elif type(ours) is not type(theirs) or ours != theirs:
        yield f"{where}: {ours!r} instead of {theirs!r}"


def lines(recorded: Mapping[str, Any]) -> str:
    """JSON with one line per entry, so that a new recording can be read as a diff."""
    return (
        "{\n"
        + ",\n".join(f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in recorded.items())
        + "\n}"
    )


def of_release(version: str, recorded: Mapping[str, Any]) -> str:
    """The recording of random programs, with the release of PyTorch that ran them."""
    return f'{{"torch": "{version.partition("+")[0]}",\n"programs": {lines(recorded)}}}\n'


def save(text: str, target: str) -> None:
    """Writes a recording to a file, or to standard output for ``-``."""
    if target == "-":
        sys.stdout.write(text)
    else:
        Path(target).write_text(text, encoding="utf-8")
