"""Programs that are run both plainly and with the tracer listening."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable

from tools.bench.tutorials import TUTORIALS

SEED = """\
import torch

a = torch.tensor(3.0, requires_grad=True)
b = torch.tensor(4.0, requires_grad=True)
c = a * b
d = c + a
d.backward()
print(a.grad.item(), b.grad.item())
"""
"""The seed lesson's snippet; a test keeps it so."""

TURNS = 100
SEED_TURNS = f"""\
import torch

a = torch.tensor(3.0, requires_grad=True)
b = torch.tensor(4.0, requires_grad=True)
for turn in range({TURNS}):
    a.grad = b.grad = None
    c = a * b
    d = c + a
    d.backward()
"""
"""The seed's forward and backward alone, often enough that what comes before and after does not count."""

CHAIN = """\
import torch

x = torch.tensor(1.5, requires_grad=True)
y = torch.tensor(-0.5, requires_grad=True)
value = x
for turn in range(500):
    value = value * y + x
value.backward()
"""
"""A thousand operations on single numbers, and their backward."""

PROGRAMS = {"seed": SEED, "seed turns": SEED_TURNS, "chain": CHAIN, **TUTORIALS}


def plain(code: str) -> Callable[[], None]:
    """Compiles once; a call runs the program, its output thrown away."""
    compiled = compile(code, "program.py", "exec")

    def run() -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compiled, {"__name__": "__main__"})  # noqa: S102 (our own programs, above)

    return run
