"""What can be seen of a wide program while and after it runs."""

from __future__ import annotations

import copy
import math
import re
import warnings
from typing import Any

from tests.oracle.programs import MESSAGE_CHARACTERS, describe, looking
from tests.oracle.wide.prelude import PRELUDE
from tests.oracle.wide.program import Program

TOLD_ONCE = (
    "torch.jit", "get_attr Node", "Using backward() with create_graph=True", "Converting a tensor with requires_grad=True",
    "Casting complex values", "oneDNN", "TypedStorage", "chain_matmul is deprecated", "grad and param do not obey",
)  # fmt: skip
"""Warnings that PyTorch gives once per process, or about itself."""


UNCOMPARABLE = ("_saved_result3",)
"""Saved bytes that only the library which wrote them can read (of an LSTM layer)."""


def observe(torch: Any, seed: int) -> dict[str, Any]:
    """Runs the program of ``seed`` on ``torch`` and tells everything that both sides must agree on."""
    return observe_statements(torch, Program(seed).statements())


def observe_statements(torch: Any, statements: list[str]) -> dict[str, Any]:
    """The same for given statements."""
    notes: dict[str, Any] = {"errors": [], "hooks": [], "order": [], "graph": [], "warnings": []}

    def seen(label: Any, *values: Any) -> None:
        notes["hooks"].append([plain(label), *(plain(v) for v in values)])

    variables: dict[str, Any] = {"torch": torch, "seen": seen, "look": looking(notes, names_and_edges), "copy": copy}
    exec(PRELUDE, variables)
    for statement in statements:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                exec(statement, variables)
            except Exception as error:
                notes["errors"].append([statement, type(error).__name__, str(error).strip()[:MESSAGE_CHARACTERS]])
            finally:
                torch.set_grad_enabled(True)
        notes["warnings"] += [
            [statement, w.category.__name__, str(w.message).strip()[:MESSAGE_CHARACTERS]]
            for w in caught
            if not any(phrase in str(w.message) for phrase in TOLD_ONCE)
        ]
    tensors = {name: value for name, value in variables.items() if isinstance(value, torch.Tensor)}
    others = {n: plain(v) for n, v in variables.items() if re.fullmatch(r"v\d+", n) and n not in tensors}
    return notes | {
        "variables": {name: told(value, tensors) for name, value in tensors.items()},
        "others": others,
        "storages": storages(tensors),
    }


def names_and_edges(node: Any, nodes: list[Any]) -> dict[str, Any]:
    """A node's name, edges and saved values, or that these are freed."""
    try:
        told = describe(node, nodes)
    except RuntimeError:
        return {"name": node.name(), "edges": len(node.next_functions), "freed": True}
    told["saved"] = {name: plain(getattr(node, name)) for name in told["saved"] if name not in UNCOMPARABLE}
    return told


def comparable(ours: dict[str, Any], theirs: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Both observations without the variables of which PyTorch itself cannot tell anything: tensors that escaped from vmap."""
    escaped = [
        name for name, told in theirs["variables"].items() if told.get("refusal", "").startswith("Batching rule not")
    ]
    kept = [{n: v for n, v in o["variables"].items() if n not in escaped} for o in (ours, theirs)]
    return ours | {"variables": kept[0]}, theirs | {"variables": kept[1]}


def storages(tensors: dict[str, Any]) -> list[list[str]]:
    """Which variables and gradients share memory."""
    places: dict[int, list[str]] = {}
    for name, value in tensors.items():
        for label, tensor in ((name, value), (f"{name}.grad", readable_gradient(value))):
            place = None if tensor is None or not tensor.numel() else address(tensor)
            if place is not None:
                places.setdefault(place, []).append(label)
    return sorted(labels for labels in places.values() if len(labels) > 1)


def address(tensor: Any) -> int | None:
    """Where its storage begins; a tensor that escaped from vmap has none."""
    try:
        return int(tensor.untyped_storage().data_ptr())
    except RuntimeError:
        return None


def readable_gradient(value: Any) -> Any:
    """Its gradient, where asking for it neither warns nor is refused (a view that autograd lost track of)."""
    try:
        return value.grad if value.is_leaf or value.retains_grad else None
    except RuntimeError:
        return None


def told(value: Any, tensors: dict[str, Any]) -> dict[str, Any]:
    """What a person can ask a tensor, or how it refuses (a view that autograd lost track of, a tensor that escaped from vmap)."""
    try:
        return state(value, tensors)
    except RuntimeError as refusal:
        return {"refusal": str(refusal)[:MESSAGE_CHARACTERS]}


def state(value: Any, tensors: dict[str, Any]) -> dict[str, Any]:
    """What a person can ask a tensor."""
    grad_fn = value.grad_fn
    gradient = readable_gradient(value)
    return {
        **layout(value),
        "requires_grad": value.requires_grad,
        "is_leaf": value.is_leaf,
        "grad_fn": None if grad_fn is None else grad_fn.name(),
        "output_nr": value.output_nr,
        "version": "inference" if value.is_inference() else value._version,
        "is_view": value._is_view(),
        "base": next((name for name, other in tensors.items() if value._base is other), None),
        "grad": None if gradient is None else layout(gradient) | {"grad_fn": name_of(gradient.grad_fn)},
        "same_as": next(name for name, other in tensors.items() if other is value),
        "repr": re.sub(r"\s+", " ", re.sub(r"-?\d+(\.\d*)?(e[+-]\d+)?", "0", repr(value))),
    }


def layout(tensor: Any) -> dict[str, Any]:
    """Values and how they lie in memory.

    Steps of dimensions of length one mean nothing, nor does anything about the memory of a tensor without elements.
    """
    filled = bool(tensor.numel())
    return {
        "value": plain(tensor),
        "shape": list(tensor.shape),
        "dtype": str(tensor.dtype),
        "stride": [step for step, length in zip(tensor.stride(), tensor.shape, strict=True) if length > 1]
        if filled
        else [],
        "offset": tensor.storage_offset() if filled else 0,
    }


def name_of(node: Any) -> str | None:
    """A node's name."""
    return None if node is None else node.name()


def plain(value: Any) -> Any:
    """A value as JSON can hold it, floats to seven digits."""
    if hasattr(value, "tolist"):
        return plain(value.detach().tolist() if hasattr(value, "detach") else value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, complex):
        return [plain(value.real), plain(value.imag)]
    if isinstance(value, float):
        return float(f"{value:.7g}") if math.isfinite(value) else str(value)
    return value if value is None or isinstance(value, bool | int | str) else re.sub(r" at 0x[0-9a-f]+", "", str(value))
