"""The engine with nobody listening, beside real PyTorch on one thread."""

from __future__ import annotations

from tools.bench.table import Row, show
from tools.bench.turns import compare

LIMITS = {
    "mul_add_graph": 1.5,
    "mul_add_fwdbwd": 1.0,
    "chain100_fwdbwd": 0.6,
    "mlp_step_b1": 1.0,
    "mlp_step_b16": None,
    "conv2d, 16×1×28×28 with 8 3×3": 5.0,
    "conv2d, 4×3×32×32 with 16 3×3": 5.0,
    "matmul, 64×128 by 128×64": 5.0,
    "linear, 32 digits of 784 to 10 scores": 5.0,
    "matmul, 32×784 by 784×10": 5.0,
    "attention, 2×4×32×16": 5.0,
    "10 × conv2d forward, 5×5 with 3×3": 5.0,
    "10 × conv_transpose2d forward, 3×3 with 3×3": 5.0,
    "10 × matmul forward, 2×3 by 3×4": 5.0,
    "10 × matmul forward, 32×10 by 10×5": None,
    "10 × matmul forward, 2×2×3 by 2×3×4": 5.0,
    "10 × attention forward, 1×1×4×8": 5.0,
}
"""The greatest ratio promised, by workload.

None where nothing is: a matrix product of few columns, forward alone, takes longest beside PyTorch's, since it adds up as PyTorch's
BLAS does, which no library does for us (`engine.ops.products.rounding`).
"""


def measure(torch_python: str | None) -> None:
    """Print every workload of `LIMITS`."""
    best = compare(torch_python, list(LIMITS))
    show("engine, µs of CPU per call", "torch", [Row(name, *best[name], limit) for name, limit in LIMITS.items()])
