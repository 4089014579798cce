"""Records what real PyTorch draws, as ``tests/golden/random.json``: run with a Python that has torch 2.13.0.

    python -m tests.oracle.record_random tests/golden/random.json

Per case and seed: dtype, shape, a digest of the bits and one of the generator's state afterwards, and for a reader
the first values. Record on an AMD or AVX2-only machine (see `engine.random`).
"""

from __future__ import annotations

import hashlib
import sys
from typing import Any

import torch

from tests.oracle import golden
from tests.oracle.random_cases import SEEDS, cases


def record() -> dict[str, Any]:
    torch.set_num_threads(1)
    recorded: dict[str, Any] = {}
    for name, (expression, _) in cases().items():
        for seed in SEEDS:
            torch.manual_seed(seed)
            try:
                value = eval(expression, {"torch": torch})
            except Exception as refusal:
                recorded[f"{name} seed {seed}"] = {"error": f"{type(refusal).__name__}: {refusal}".splitlines()[0]}
                continue
            bits = value.view(torch.int16) if value.dtype == torch.bfloat16 else value
            state = torch.get_rng_state().numpy().tobytes()
            first = value.reshape(-1)[:3]
            recorded[f"{name} seed {seed}"] = {
                "dtype": str(value.dtype).removeprefix("torch."),
                "shape": list(value.shape),
                "bits": digest(bits.contiguous().numpy().tobytes()),
                "state": digest(state),
                "first": [str(each) for each in first.tolist()],
            }
    return recorded


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def main() -> None:
    recorded = record()
    golden.save(golden.lines(recorded) + "\n", sys.argv[1])
    print(f"{len(recorded)} draws of torch {torch.__version__}")


if __name__ == "__main__":
    main()
