"""Records what PyTorch's argument parser expects, as ``engine/ops/core/signatures.json``: run with a Python that has torch 2.13.0.

    python -m tests.oracle.known_signatures engine/ops/core/signatures.json

Functions with several signatures list them themselves when they are called with what fits none. Those with one are
read off the schema of the operator. Types, names and defaults are written as PyTorch shows them, with three
additions: ``tuple of ints[1]`` where a single number may stand too, ``int[size]`` where a size is meant (``SymInt`` in the schema),
for which whatever Python can use as an index will do, and a question mark behind the type where None may stand though it is not the
default.
"""

from __future__ import annotations

import json
import re
import sys
import types
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch

import engine.torch
from engine.ops import sparse  # noqa: F401 (declares what the tables hold of sparse tensors)
from engine.ops.core.catalogue import table

PLACES = {
    "torch": torch, "linalg": torch.linalg, "special": torch.special, "fft": torch.fft,
    "functional": torch.nn.functional,
}  # fmt: skip
UNPREFIXED = frozenset({"torch", "functional"})
"""Modules whose operators bear no prefix."""
SHOWN = {
    "Tensor": "Tensor", "Scalar": "Number", "int": "int", "SymInt": "int", "float": "float", "bool": "bool", "str": "str",
    "ScalarType": "torch.dtype", "Layout": "torch.layout", "Device": "torch.device", "Generator": "torch.Generator",
    "MemoryFormat": "torch.memory_format", "int[]": "tuple of ints", "SymInt[]": "tuple of ints", "Tensor[]": "tuple of Tensors",
    "float[]": "tuple of floats", "Scalar[]": "tuple of Scalars", "Tensor?[]": "tuple of Tensors",
}  # fmt: skip
"""Types as schemas write them, and as the parser shows them."""
SCRIPTED = {
    "tensor": None,
    "new_tensor": [
        (
            "object data, *, torch.dtype dtype = None, torch.device device = None, bool pin_memory = False, "
            "bool requires_grad = False"
        )
    ],
    "as_tensor": ["object data, torch.dtype dtype = None, torch.device device = None"],
    "asarray": [
        "object obj, *, torch.dtype dtype = None, torch.device device = None, bool copy = None, bool requires_grad = False"
    ],
    "is_contiguous": ["*, torch.memory_format memory_format = torch.contiguous_format"],
    "cpu": ["*, torch.memory_format memory_format = None"],
    "size": ["int dim = None"],
    "stride": ["int dim = None"],
    "numpy": ["*, bool force = False"],
    "map_": ["Tensor other, object callable"],
    "map2_": ["Tensor x, Tensor y, object callable"],
    "as_subclass": ["object cls"],
    "frombuffer": ["object buffer, *, torch.dtype dtype, int count = -1, int offset = 0, bool requires_grad = False"],
}
"""Functions whose schemas are those of TorchScript, which takes other things, or that have none; `tensor` looks for itself."""
FITTING = "dtype layout device pin_memory"
"""Keywords of whatever makes a tensor; the last of them, ``requires_grad``, is in no schema."""


APART = {"torch": ("spmm",)}
"""Functions that are declared with sparse tensors and stand in no table."""


class Unfit:
    """Fits no parameter."""


def record() -> dict[str, dict[str, list[str]]]:
    """Signatures by place and name."""
    found: dict[str, dict[str, list[str]]] = {}
    for place, module in PLACES.items():
        functions = {name: getattr(module, name, None) for name in sorted([*table(place), *APART.get(place, ())])}
        found[place] = dict(signatures_of(functions.items(), place, method=False))
    tensor = torch.ones(2, 2)
    ours = set(dir(engine.torch.ones(1)))  # some are methods of the class, which no table holds
    methods = (
        (name, getattr(tensor, name))
        for name in sorted({name for name in ours if not name.startswith("_")} | set(table("tensor")))
        if callable(getattr(torch.Tensor, name, None))  # not a property
    )
    found["tensor"] = dict(signatures_of(methods, "torch", method=True))
    return found


def signatures_of(functions: Iterable[tuple[str, Any]], place: str, method: bool) -> Iterable[tuple[str, list[str]]]:
    """Those that can be told, by name."""
    for name, function in functions:
        if not isinstance(function, types.BuiltinFunctionType):
            continue  # written in Python, whose errors are Python's
        operator = name if place in UNPREFIXED else f"{place}_{name}"
        known = listed(function)
        if known is None:
            known = single(operator, function, method)
        if known is not None:
            yield name, [sized(signature, operator) for signature in known]


def refused(function: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    """What a call is told; nothing if it works or fails otherwise."""
    try:
        function(*args, **kwargs)
    except TypeError as error:
        return str(error)
    except Exception:
        return ""
    return ""


def listed(function: Callable[..., Any]) -> list[str] | None:
    """All signatures of a function that has several, or hides one."""
    for count in (9, 0, 25, 1, 2, 3, 4):
        told = refused(function, *[Unfit()] * count)
        if " invalid combination of arguments" in told:
            if "expected one of:" in told:
                return re.findall(r"^ \* \((.*)\)$", told, re.MULTILINE)
            return [told.rpartition("but expected (")[2].rstrip(")")]
    return None


def single(name: str, function: Callable[..., Any], method: bool) -> list[str] | None:
    """The one signature of a function; no parameters at all is an empty list."""
    if "takes no arguments" in refused(function, Unfit()):
        return []
    least, most = counts(function)
    if name in SCRIPTED:
        return SCRIPTED[name]
    for schema in torch._C._jit_get_schemas_for_operator(f"aten::{name}"):
        names = [argument.name for argument in schema.arguments]
        if "Dimname" in str(schema) or "out" in schema.overload_name:
            continue
        words = [shown(argument, method) for argument in schema.arguments]
        bound = "self" if "self" in names else names[0]
        if method:
            words.pop(names.index(bound))
        arguments = [a for a in schema.arguments if not (method and a.name == bound)]
        positional = sum(not a.kwarg_only for a in arguments)
        required = sum(not a.has_default_value() and not a.kwarg_only for a in arguments)
        if (required, positional) != (least, most) or not asks_for(function, arguments[:required]):
            continue
        if any(a.kwarg_only for a in arguments):
            words.insert(positional, "*")
        out = None if method else kind_of_out(function, arguments[:required])
        if out == "Tensor":
            words[positional : positional + 1] = ["*", "Tensor out = None"]
        elif out is not None:
            words += [*(["*"] if "*" not in words else []), f"{out} out = None"]
        if set(FITTING.split()) <= set(names):
            words.append("bool requires_grad = False")
        return [", ".join(words)]
    return None


def asks_for(function: Callable[..., Any], arguments: list[Any]) -> bool:
    """Whether the function names these arguments when it is called without any."""
    asked = re.findall(r'"(\w+)"', refused(function))
    return asked == ["input" if a.name == "self" else a.name for a in arguments]


SAMPLES: dict[str, Any] = {
    "Tensor": torch.ones(2, 2), "Scalar": 1, "number": 1, "int": 0, "SymInt": 0, "float": 0.5, "bool": False, "str": "a",
    "int[]": [0], "List[int]": [0], "SymInt[]": [0], "Tensor[]": [torch.ones(2, 2)], "List[Tensor]": [torch.ones(2, 2)],
}  # fmt: skip
"""A value that fits, by the schema's types."""


def kind_of_out(function: Callable[..., Any], required: list[Any]) -> str | None:
    """What the function asks for as ``out``; None if it takes none, whatever the operator can do."""
    told = refused(function, *[SAMPLES.get(str(argument.type)) for argument in required], out=Unfit())
    asked = re.search(r"argument 'out' must be ([\w ]+), not", told)
    return asked[1] if asked else None


def counts(function: Callable[..., Any]) -> tuple[int, int]:
    """The least and the largest number of positional arguments."""
    told = refused(function, *[Unfit()] * 25)
    found = re.search(r"takes (?:from (\d+) to )?(\d+) positional", told)
    return (-1, -1) if found is None else (int(found[1] or found[2]), int(found[2]))


def shown(argument: Any, method: bool) -> str:
    """A schema's argument as the parser shows it."""
    kind = str(argument.real_type).removesuffix("?") if hasattr(argument, "real_type") else str(argument.type)
    kind = kind.replace("Optional[", "").removesuffix("]") if kind.startswith("Optional[") else kind
    kind = {"List[int]": "int[]", "List[Tensor]": "Tensor[]", "number": "Scalar"}.get(kind, kind)
    name = "input" if argument.name == "self" and not method else argument.name
    words = f"{SHOWN.get(kind, kind)} {name}"
    if not argument.has_default_value():
        return words
    default = argument.default_value
    if argument.name in FITTING.split():
        default = False if argument.name == "pin_memory" else None
    return f"{words} = {default}"


def sized(signature: str, name: str) -> str:
    """The signature with the places marked where one number may stand for several, a size is meant, or None will do."""
    for schema in map(str, torch._C._jit_get_schemas_for_operator(f"aten::{name}")):
        for parameter in re.findall(r"SymInt\?? (\w+)", schema):
            signature = re.sub(rf"\bint {parameter}\b", f"int[size] {parameter}", signature)
        for parameter in re.findall(r"(?:Sym)?[iI]nt\[\d\]\?? (\w+)", schema):
            signature = re.sub(rf"tuple of ints {parameter}\b", f"tuple of ints[1] {parameter}", signature)
        for kind, parameter in re.findall(r"([\w\[\]]+)\? (\w+)[,)]", schema):
            shown_kind = re.escape(SHOWN.get(re.sub(r"\d", "", kind), kind))
            signature = re.sub(rf"({shown_kind}\S*?)\?? {parameter}\b(?! =)", rf"\1? {parameter}", signature)
    return signature


def written(found: dict[str, dict[str, list[str]]]) -> str:
    """The recording as JSON, a line for each function: two recordings of different functions change different lines."""
    places = []
    for place, known in sorted(found.items()):
        lines = [f"{json.dumps(name)}:{json.dumps(known[name], separators=(',', ':'))}" for name in sorted(known)]
        places.append(f"{json.dumps(place)}:{{\n" + ",\n".join(lines) + "\n}")
    return "{\n" + ",\n".join(places) + "\n}\n"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    Path(sys.argv[1]).write_text(written(record()))
