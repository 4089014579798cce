"""What ``torch.compile`` and ``torch.jit`` return looks and names its parts as PyTorch's, and calculates as before."""

from __future__ import annotations

import pytest

from engine import torch
from engine.errors import NotHere

nn = torch.nn


def model() -> torch.nn.Sequential:
    return nn.Sequential(nn.Linear(2, 3), nn.Dropout(0.5))


def test_compiled_module_holds_the_original_under_its_own_name() -> None:
    original = model()
    compiled = torch.compile(original)
    assert compiled._orig_mod is original
    assert list(compiled.state_dict()) == ["_orig_mod.0.weight", "_orig_mod.0.bias"]
    assert repr(compiled) == (
        "OptimizedModule(\n  (_orig_mod): Sequential(\n    (0): Linear(in_features=2, out_features=3, bias=True)\n"
        "    (1): Dropout(p=0.5, inplace=False)\n  )\n)"
    )


def test_mode_and_attributes_of_a_compiled_module_are_the_originals() -> None:
    original = model()
    compiled = torch.compile(original)
    compiled.eval()
    assert not original.training
    compiled.rate = 3
    assert original.rate == 3


def test_compiled_function_is_the_function() -> None:
    def double(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    assert torch.compile(double) is double
    assert torch.compile(backend="eager")(double) is double


def test_scripted_module_shows_its_parts_and_shares_their_parameters() -> None:
    original = model()
    scripted = torch.jit.script(original)
    assert repr(scripted) == (
        "RecursiveScriptModule(\n  original_name=Sequential\n  (0): RecursiveScriptModule(original_name=Linear)\n"
        "  (1): RecursiveScriptModule(original_name=Dropout)\n)"
    )
    assert list(scripted.state_dict()) == ["0.weight", "0.bias"]
    assert next(scripted.parameters()) is original[0].weight


def test_scripted_module_has_a_mode_of_its_own() -> None:
    original = model()
    scripted = torch.jit.script(original)
    scripted.eval()
    assert original.training
    x = torch.ones(1, 2)
    assert torch.equal(scripted(x), original[0](x))  # no dropout


def test_traced_module_goes_by_the_originals_name() -> None:
    traced = torch.jit.trace(nn.Linear(2, 1), torch.ones(1, 2))
    assert repr(traced) == "Linear(original_name=Linear)"


def test_code_that_only_a_compiler_has_is_refused_by_name() -> None:
    with pytest.raises(NotHere, match="has no attribute 'graph'"):
        _ = torch.jit.script(lambda x: x).graph
