"""Random programs of views, in-place writes and arithmetic, and what can be observed of each tensor they leave.

Both sides use this module, real PyTorch to answer and the engine to be judged, so it imports neither.
"""

from __future__ import annotations

import random
from typing import Any

from tests.oracle.program_outcome import graph, rounded

VIEWS = (
    "{t}.t()", "{t}.view(-1)", "{t}[0]", "{t}[-1:]", "{t}[..., 1:]", "{t}[..., 0]", "{t}.unsqueeze(0)",
    "{t}.squeeze()",
    "{t}.transpose(0, -1)", "{t}.reshape(-1)", "{t}.flatten()", "{t}[None]", "{t}.expand(2, *{t}.shape)",
    "{t}.diagonal()",
    "{t}.narrow(0, 0, 1)", "{t}.unbind()[0]", "{t}.chunk(2)[0]", "{t}.split(1)[-1]", "{t}.as_strided((2,), (1,))",
    "{t}.contiguous()", "{t}.detach()", "{t}[{t} > 1]", "{t}[[0]]", "{t}[..., ::2]", "{t}.select(-1, -1)",
)  # fmt: skip
WRITES = (
    "{t}.mul_(2)", "{t}.add_({u})", "{t}.mul_({u})", "{t}.zero_()", "{t}.fill_(3.0)", "{t}.fill_(s)", "{t}.copy_({u})",
    "{t}[0] = 5.0", "{t}[0] = {u}", "{t}[...] = {u}", "{t}[{t} > 1] = 0.0", "{t}[..., 0] *= 2", "{t}[[0]] = s",
    "{t}.t_()",
    "{t}.unsqueeze_(0)", "{t}.squeeze_()", "{t}.masked_fill_({t} > 1.2, s)", "{t} += 1", "{t} *= s",
    "{t}.index_fill_(0, torch.tensor([0]), 0.0)", "{t}.exp_()", "{t}.sigmoid_()",
)  # fmt: skip
RESULTS = (
    "{t} * {u}", "{t}.exp()", "{t} + {u}", "{t} * 2", "{t}.clone()", "{t}.sum(0)", "{t}**2", "{t}.tanh()",
    "torch.cat([{t}.reshape(-1), {u}.reshape(-1)])", "torch.where({t} > 1, {t}, {u})",
)  # fmt: skip
LEAVES = ("x", "v", "s")


def program(seed: int) -> tuple[list[str], list[str]]:
    """Its lines (a line may be illegal, which is then what is observed) and the names of its tensors."""
    chance = random.Random(seed)
    names, lines = [*LEAVES, "b"], []
    for number in range(chance.randint(3, 7)):
        subject = chance.choice(names if chance.random() < 0.4 else names[-3:])
        other, kind = chance.choice(names), chance.random()
        pattern = chance.choice(VIEWS if kind < 0.4 else WRITES if kind < 0.75 else RESULTS)
        line = pattern.format(t=subject, u=other)
        if pattern not in WRITES:
            names.append(f"a{number}")
            line = f"a{number} = {line}"
        lines.append(f"with torch.no_grad(): {line}" if chance.random() < 0.06 else line)
    return lines, names


def observe(seed: int, torch: Any) -> dict[str, Any]:
    """Which lines raise what, every tensor with its graph, and gradients of two orders."""
    lines, names = program(seed)
    known: dict[str, Any] = {"torch": torch}
    for name, value in (("x", [[1.0, 0.7, 1.6], [1.3, 2.1, 0.9]]), ("v", [0.5, 1.5, 2.0]), ("s", 1.1)):
        known[name] = torch.tensor(value, dtype=torch.float64, requires_grad=True)
    leaves = {name: known[name] for name in LEAVES}
    known["b"] = known["x"] * 1
    seen: dict[str, Any] = {"errors": [], "tensors": {}}
    for line in lines:
        try:
            exec(line, known)
        except Exception as error:
            seen["errors"].append([line, type(error).__name__])
    tensors = {name: known[name] for name in names if isinstance(known.get(name), torch.Tensor)}
    for name, tensor in tensors.items():
        try:
            seen["tensors"][name] = facts(tensor, leaves)
        except RuntimeError as error:
            seen["tensors"][name] = f"{type(error).__name__}: {error}"[:70]
    try:
        seen["gradients"] = gradients([t for t in tensors.values() if t.requires_grad][-2:], leaves, torch)
    except RuntimeError as error:
        seen["gradients"] = f"{type(error).__name__}: {error}"[:70]
    return seen


def facts(tensor: Any, leaves: dict[str, Any]) -> dict[str, Any]:
    """One tensor; strides of dimensions of length one mean nothing and are left out."""
    return {
        "shape": list(tensor.shape),
        "stride": [step for step, length in zip(tensor.stride(), tensor.shape, strict=True) if length > 1],
        "offset": tensor.storage_offset(),
        "state": [tensor.requires_grad, tensor.is_leaf, tensor._version, tensor._is_view()],
        "graph": graph(tensor.grad_fn, tensor.output_nr, leaves),
        "value": rounded(tensor.detach().tolist()),
    }


def gradients(roots: list[Any], leaves: dict[str, Any], torch: Any) -> list[Any]:
    """Of the roots' sum of squares, first and second order."""
    wanted = list(leaves.values())
    first = torch.autograd.grad(
        sum((t * t).sum() for t in roots), wanted, allow_unused=True, retain_graph=True, create_graph=True
    )
    orders = [first]
    again = [g.sum() for g in first if g is not None and g.requires_grad]
    if again:
        orders.append(torch.autograd.grad(sum(again), wanted, allow_unused=True))
    return [[None if g is None else rounded(g.tolist()) for g in order] for order in orders]
