"""In a snippet, `import torch` means our drop-in, under PyTorch's names."""

from __future__ import annotations

import pytest

from engine.trace.play import play


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("torch", "<module 'torch' from 'torch/__init__.py'>"),
        ("torch.nn.functional", "<module 'torch.nn.functional' from 'torch/nn/functional.py'>"),
        ("torch.nn.modules.linear", "<module 'torch.nn.modules.linear' from 'torch/nn/modules/linear.py'>"),
        ("torch.autograd.graph", "<module 'torch.autograd.graph' from 'torch/autograd/graph.py'>"),
    ],
)
def test_modules_have_pytorchs_names_and_no_path_of_this_machine(module: str, said: str) -> None:
    trace = play(f"import {module}\nprint({module}.__name__)\nprint({module})", words=False)
    assert trace.outcome.status == "ok", trace.outcome
    assert trace.stdout == f"{module}\n{said}\n"
