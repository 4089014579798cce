"""What a short program around ``torch.nn`` and ``torch.optim`` does, as data that either side can be asked for.

A program is Python statements that bind ``r``. It sees ``torch``, ``nn``, ``F``, ``optim``, and ``x(*shape)``, which
makes a float64 leaf with numbers that are all different. Random numbers start from seed 0.
"""

from __future__ import annotations

import math
from typing import Any

from tests.oracle.derivatives import graph
from tests.oracle.golden import as_json, differences

LONGEST_GRAPH = 1500
"""Characters of a graph's text that are kept: enough to tell graphs apart, little enough to read."""
KEY_PHRASE = 90
"""How much of an error's message has to agree; what follows is each side's own."""


def leaf_maker(torch: Any) -> Any:
    """``x``: numbers that are all different, around zero."""

    def x(*shape: int, scale: float = 1.0) -> Any:
        count = math.prod(shape)
        flat = torch.tensor(
            [round(scale * math.sin(2.3 * k + 0.7) * (1 + 0.05 * k), 3) for k in range(count)], dtype=torch.float64
        )
        return flat.reshape(shape).clone().requires_grad_()

    return x


def described(value: Any, torch: Any) -> Any:
    """Anything as JSON: tensors with shape, numbers and graph; modules and optimizers by their text."""
    if isinstance(value, torch.Tensor):
        numbers = [plain(v) for v in value.detach().reshape(-1).tolist()]
        text: dict[str, Any] = {"shape": list(value.shape), "values": numbers}
        if value.grad_fn is not None:
            text["graph"] = graph(value.grad_fn)[:LONGEST_GRAPH]
        return text
    if isinstance(value, dict):
        return {str(key): described(held, torch) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [described(held, torch) for held in value]
    if isinstance(value, float):
        return plain(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    return repr(value)


def plain(value: Any) -> Any:
    """A number that JSON can hold; nan and infinities as words, floats to ten digits."""
    if not isinstance(value, float):
        return value
    return float(f"{value:.10g}") if math.isfinite(value) else str(value)


def gradients(total: Any, **leaves: Any) -> dict[str, Any]:
    """Gradients of a weighted sum of ``total``, by name; None where there is none."""
    weighted = sum((part * math.cos(1.7 * n + 0.3)).sum() for n, part in enumerate(total.reshape(-1).unbind(0)))
    weighted.backward()
    return {name: leaf.grad for name, leaf in leaves.items()}


def outcome(program: str, torch: Any) -> Any:
    """What ``r`` is in the end, or the error's type and key phrase (programs that bind no ``r`` are to be refused)."""
    torch.manual_seed(0)
    names: dict[str, Any] = {
        "torch": torch,
        "nn": torch.nn,
        "F": torch.nn.functional,
        "optim": torch.optim,
        "x": leaf_maker(torch),
        "gradients": gradients,
    }
    try:
        exec(program, names)
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0][:KEY_PHRASE] if str(error) else ''}"
    return described(names.get("r", "nothing was refused"), torch)


def places(families: dict[str, Any]) -> list[str]:
    """Short names of the programs, for the tests' ids: ``losses 3``."""
    return [f"{family} {number}" for family, programs in families.items() for number, _ in enumerate(programs)]


def assert_as_recorded(program: str, theirs: Any) -> None:
    """What the engine makes of the program is what PyTorch did; floats to seven digits."""
    from engine import torch  # here, because the recorder imports this file beside real PyTorch

    with torch.random.fork_rng():
        ours = as_json(outcome(program, torch))
    found = list(differences(ours, theirs, relative=1e-7, absolute=1e-7))
    assert not found, "\n".join([program, *found])
