"""What a short program on ready-made tensors does, in text that real PyTorch and our engine can both be asked for.

A program is an expression, or statements that bind ``r``. It finds the leaves ``x`` (3×4), ``v`` (4), ``c`` (2×1×3) and
``s`` (0-d), all float64 and requiring grad, and the untracked ``n`` (3×4), ``i`` (integers) and ``m`` (a mask of
``x``'s shape).
"""

from __future__ import annotations

import math
from typing import Any

MESSAGE_CHARACTERS = 70
"""How much of an error's message has to agree: the key phrase; what follows is each side's own."""


def inputs(torch: Any) -> dict[str, Any]:
    """The tensors that a program finds."""

    def numbers(*shape: int) -> Any:
        count = math.prod(shape)
        return torch.tensor(
            [round(1 + math.sin(k * 2.3) * 0.5 + k * 0.1, 3) for k in range(count)], dtype=torch.float64
        )

    leaves = {"x": (3, 4), "v": (4,), "c": (2, 1, 3), "s": ()}
    made: dict[str, Any] = {}
    for name, shape in leaves.items():
        made[name] = numbers(*shape).reshape(shape).clone().requires_grad_()
    made["n"] = numbers(3, 4).reshape(3, 4).clone() * 2
    made["i"] = torch.tensor([2, 0])
    made["m"] = torch.tensor([[k % 3 == 0 for k in range(4 * row, 4 * row + 4)] for row in range(3)])
    return made


def observe(program: str, torch: Any) -> dict[str, Any]:
    """All that can be seen of a program's result: values, layout, graph, what is saved, gradients of two orders."""
    names = {"torch": torch, **inputs(torch)}
    leaves = {name: names[name] for name in "xvcs"}
    try:
        if ";" in program or "\n" in program or " = " in program:
            exec(program, names)
            result = names["r"]
        else:
            result = eval(program, names)
        return describe(result, leaves, torch)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[: MESSAGE_CHARACTERS + len(type(error).__name__)]}
    finally:
        torch.set_grad_enabled(True)


def describe(result: Any, leaves: dict[str, Any], torch: Any) -> dict[str, Any]:
    """The observation of a finished result."""
    parts = list(result) if isinstance(result, list | tuple) else [result]
    tensors = [p for p in parts if isinstance(p, torch.Tensor)]
    seen: dict[str, Any] = {"outputs": [facts(p, leaves, torch) for p in parts]}
    tracked = [t for t in tensors if t.requires_grad]
    if tracked:
        seen["first"], seen["second"] = gradients(tracked, leaves, torch)
    return seen


def facts(part: Any, leaves: dict[str, Any], torch: Any) -> Any:
    """One output."""
    if not isinstance(part, torch.Tensor):
        return repr(part)
    return {
        "value": rounded(part.detach().tolist()),
        "shape": list(part.shape),
        "dtype": str(part.dtype),
        "stride": list(part.stride()),
        "offset": part.storage_offset(),
        "view": part._is_view(),
        "version": part._version,
        "leaf": part.is_leaf,
        "graph": graph(part.grad_fn, part.output_nr, leaves),
    }


def graph(node: Any, output_nr: int, leaves: dict[str, Any]) -> str:
    """``MulBackward0[other=…](x, SelectBackward0:0(…))``."""
    if node is None:
        return "-"
    if hasattr(node, "variable"):
        return next((name for name, leaf in leaves.items() if leaf is node.variable), "leaf")
    saved = ",".join(f"{a[7:]}={shown(getattr(node, a))}" for a in sorted(dir(node)) if a.startswith("_saved_"))
    children = ", ".join(graph(child, number, leaves) for child, number in node.next_functions)
    return f"{type(node).__name__}:{output_nr}[{saved}]({children})"


def shown(value: Any) -> str:
    """A saved value in short: tensors by shape."""
    if hasattr(value, "stride") and hasattr(value, "dtype"):
        return "T" + "x".join(map(str, value.shape))
    if isinstance(value, list | tuple):
        return "(" + " ".join(shown(v) for v in value) + ")"
    return repr(value)


def gradients(tracked: list[Any], leaves: dict[str, Any], torch: Any) -> tuple[Any, Any]:
    """Of Σ w·r² with fixed uneven weights, so that a second derivative exists; None where nothing arrives."""
    loss = sum((weights(t, torch) * t * t).sum() for t in tracked)
    wanted = list(leaves.values())
    first = torch.autograd.grad(loss, wanted, create_graph=True, allow_unused=True)
    again = [g for g in first if g is not None and g.requires_grad]
    second: Any = [None] * len(wanted)
    if again:
        total = sum((weights(g, torch) * g).sum() for g in again)
        second = torch.autograd.grad(total, wanted, allow_unused=True)
    return [
        {name: None if g is None else rounded(g.tolist()) for name, g in zip(leaves, order, strict=True)}
        for order in (first, second)
    ]  # type: ignore[return-value]


def weights(tensor: Any, torch: Any) -> Any:
    """Fixed, uneven and never zero."""
    count = math.prod(tensor.shape)
    return torch.tensor([math.cos(1.7 * k + 0.3) + 0.11 for k in range(count)], dtype=tensor.dtype).reshape(
        tensor.shape
    )


def rounded(value: Any) -> Any:
    """Nested lists of numbers to nine significant digits."""
    if isinstance(value, list):
        return [rounded(v) for v in value]
    if isinstance(value, complex):
        return [rounded(value.real), rounded(value.imag)]
    return float(f"{value:.9g}") if isinstance(value, float) else value
