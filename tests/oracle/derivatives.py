"""What an expression of a few known tensors gives, with its graph, first and second gradients, on either side."""

from __future__ import annotations

import math
from typing import Any

REALS = {
    "a": [0.5, -1.5, 2.0],
    "b": [1.5, 0.25, -2.0],
    "p": [0.5, 1.0, 3.0],
    "u": [0.1, 0.5, 0.9],
    "s": [0.7],
    "k": [0.0, -0.0, 1.0, -1.0, 2.0, -2.0],
    "w": [1.0, math.nan, -math.inf, math.inf, 0.0],
    "m": [[1.0, 3.0, 3.0], [-2.0, 0.0, 0.0]],
    "q": [[2.0, 0.0, 0.5], [1.5, -1.0, 4.0]],
    "e": [],
}
"""Leaves: plain ones, positive ones, shares, one alone, kinks, nan and infinities, ties, zeros, nothing."""
OTHERS = {"i": [1, 2, 3], "j": [3, 0, -2], "t": [True, False, True]}
COMPLEX = {"c": [1 + 2j, -0.5 + 1j, 0j], "d": [2 - 1j, 0.5j, 1 + 1j]}
"""Complex leaves, and integers and booleans, which have no gradient."""


def leaves(torch: Any) -> dict[str, Any]:
    """Fresh tensors by name."""
    made = {name: torch.tensor(data, dtype=torch.float64, requires_grad=True) for name, data in REALS.items()}
    made |= {name: torch.tensor(data) for name, data in OTHERS.items()}
    return made | {
        name: torch.tensor(data, dtype=torch.complex128, requires_grad=True) for name, data in COMPLEX.items()
    }


def tensors_in(value: Any, torch: Any) -> list[Any]:
    """The tensors of a result, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for part in value for t in tensors_in(part, torch)] if isinstance(value, list | tuple) else []


def numbers(tensor: Any) -> Any:
    """Nested lists that JSON can hold (complex numbers as pairs, nan and infinities as words)."""
    return plain(tensor.detach().resolve_conj().numpy(force=True).tolist())


def plain(value: Any) -> Any:
    """One number or list of `numbers`."""
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, complex):
        return ["complex", plain(value.real), plain(value.imag)]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def graph(node: Any) -> str:
    """A graph as text: ``Name(saved names)[inputs]``, with output numbers where they are not 0."""
    if node is None:
        return "None"
    name = node.name().removeprefix("torch::autograd::")
    if name == "AccumulateGrad":
        return "leaf"
    saved = ",".join(sorted(a.removeprefix("_saved_") for a in dir(node) if a.startswith("_saved_")))
    inputs = ", ".join(graph(child) + (f":{number}" if number else "") for child, number in node.next_functions)
    return f"{name}({saved})[{inputs}]"


def weighted_sum(tensors: list[Any], torch: Any) -> Any:
    """A number that depends on every element in its own way."""
    total: Any = 0.0
    for tensor in tensors:
        flat = (torch.view_as_real(tensor.resolve_conj()) if tensor.is_complex() else tensor).reshape(-1)
        weights = torch.tensor([math.cos(1.7 * n + 0.3) + 0.1 for n in range(flat.numel())], dtype=torch.float64)
        total = total + (flat * weights).sum()
    return total


def gradients(total: Any, named: dict[str, Any], torch: Any) -> dict[str, Any]:
    """By leaf's name, of those the total depends on."""
    if not isinstance(total, torch.Tensor) or not total.requires_grad:
        return {}
    found = torch.autograd.grad(total, list(named.values()), create_graph=True, allow_unused=True)
    return {name: g for name, g in zip(named, found, strict=True) if g is not None}


def derived(expression: str, torch: Any) -> dict[str, Any]:
    """Value, graph, gradients and second gradients; or the error's type and first line."""
    named = leaves(torch)
    torch.manual_seed(0)
    try:
        value = eval(expression, {"torch": torch, "F": torch.nn.functional, "inf": math.inf, **named})
        tracked = {name: leaf for name, leaf in named.items() if leaf.requires_grad}
        outputs = tensors_in(value, torch)
        result: dict[str, Any] = {
            "value": [numbers(t) for t in outputs]
            if outputs
            else plain(value)
            if isinstance(value, float)
            else repr(value),
            "dtype": [str(t.dtype) for t in outputs],
            "graph": [graph(t.grad_fn) for t in outputs],
        }
        wanted = [t for t in outputs if t.requires_grad]
        first = gradients(weighted_sum(wanted, torch), tracked, torch)
        result["first"] = {name: numbers(g) for name, g in first.items()}
        second = gradients(weighted_sum([g for g in first.values() if g.requires_grad], torch), tracked, torch)
        result["second"] = {name: numbers(g) for name, g in second.items()}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
    return result
