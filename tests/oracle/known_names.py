"""Records which public names PyTorch has, as ``engine/torch/known_names.txt``: run with a Python that has torch 2.13.0.

    python -m tests.oracle.known_names engine/torch/known_names.txt

Names only: they let the engine tell a name it lacks from one that never was.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import torch

MODULES = """
torch torch.nn torch.nn.functional torch.nn.init torch.nn.utils torch.nn.utils.rnn torch.nn.utils.parametrize torch.optim
torch.optim.lr_scheduler torch.linalg torch.fft torch.special torch.autograd torch.autograd.functional torch.autograd.graph
torch.func torch.distributions torch.utils torch.utils.data torch.utils.checkpoint torch.random torch.cuda torch.backends
torch.sparse torch.jit torch.testing torch.masked torch.signal.windows torch.amp torch.onnx torch.export torch.compiler
torch.profiler torch.nested torch.hub torch.multiprocessing torch.quantization torch.fx torch.distributed torch.mps torch.xpu
torch.overrides torch.types torch.return_types
""".split()


def record() -> dict[str, list[str]]:
    """Public names by module, and before them, since the engine reads no further, the attributes of tensors."""
    names = {name: public(importlib.import_module(name)) for name in MODULES}
    return {"Tensor": public(torch.Tensor), **names, "Module": public(torch.nn.Module())}


def public(thing: object) -> list[str]:
    """Its attributes without an underscore."""
    return sorted(name for name in dir(thing) if not name.startswith("_"))


if __name__ == "__main__":
    Path(sys.argv[1]).write_text("".join(f"{place}: {' '.join(names)}\n" for place, names in record().items()))
