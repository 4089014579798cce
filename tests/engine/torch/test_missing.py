"""Names that PyTorch has and we have not are refused in words."""

from __future__ import annotations

import importlib

import pytest

from engine import torch
from engine.errors import NotHere
from engine.torch.missing import INTERNALS, names_of
from engine.trace.play import play


@pytest.mark.parametrize("name", sorted(INTERNALS))
def test_an_internal_that_pytorchs_tests_ask_for_is_refused_by_name(name: str) -> None:
    tensor = torch.ones(1)
    with pytest.raises(NotHere, match=f"torch.Tensor.{name}, this engine does not. It is about PyTorch's C"):
        getattr(tensor, name)
    assert not hasattr(tensor, name)
    assert name not in dir(tensor)


def test_any_other_private_name_is_just_not_there() -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(torch.ones(1), "_nobody")  # noqa: B009 (asked by name)
    assert not isinstance(caught.value, NotHere)


@pytest.mark.parametrize("place", ["torch", "torch.nn.functional", "torch.special", "torch.autograd.graph"])
def test_no_function_stands_where_pytorch_has_none(place: str) -> None:
    module = importlib.import_module(f"engine.{place}")
    functions = {name for name, value in vars(module).items() if callable(value) and not name.startswith("_")}
    assert functions - names_of(place) == set()
    assert len(functions) > 10


def test_a_write_in_place_that_is_a_method_only_is_no_function() -> None:
    assert not hasattr(torch, "add_")
    assert not hasattr(torch.nn.functional, "silu_")
    assert torch.ones(1).add_(1).item() == 2
    assert torch.abs_(-torch.ones(1)).item() == 1


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("from torch import added", "cannot import name 'added' from 'torch'\n\nPyTorch has no such name either."),
        ("from torch import _added", "cannot import name '_added' from 'torch'"),
        (
            "from torch.nn.utils.rnn import bind",
            "cannot import name 'bind' from 'torch.nn.utils.rnn'\n\nPyTorch 2.13 has",
        ),
        (
            "from torch.nn.modules.linear import x",
            "cannot import name 'x' from 'torch.nn.modules.linear'\n\nPyTorch has no",
        ),
        ("from torch.autograd.graph import x", "cannot import name 'x' from 'torch.autograd.graph'\n\nPyTorch has no"),
    ],
)
def test_importing_a_name_that_is_not_here_says_so_in_words(statement: str, said: str) -> None:
    outcome = play(statement, words=False).outcome
    assert outcome.error == "ImportError"
    assert outcome.message is not None
    assert outcome.message.startswith(said)


def test_a_missing_module_is_answered_by_modules_alone() -> None:
    for name in ("fx", "export", "quantization"):
        told = play(f"import torch\ntorch.{name}").outcome
        assert told.error == "NotHere"
        assert "nearest" not in told.message
        assert "Did you mean" not in told.advice


def test_no_tensor_has_a_method_and_no_namespace_a_file_that_pytorch_has_not() -> None:
    own = play(
        """import torch
tensor = torch.ones(1)
print(sorted(n for n in ("on_subclass", "rsub", "spmm", "std_mean", "var_mean", "view_as_complex", "view_as_real") if hasattr(tensor, n)))
print(sorted(set(dir(torch)) & {"absent", "addresses", "missing", "undisturbed"}), hasattr(torch, "missing"))
print(torch.rsub(tensor, 3), torch.std_mean(torch.ones(2)), torch.view_as_real(torch.ones(1) * 1j), torch.spmm(torch.eye(1), tensor[None]))
"""
    )
    assert own.stdout.splitlines() == [
        "[]",
        "[] False",
        "tensor([2.]) (tensor(0.), tensor(1.)) tensor([[0., 1.]]) tensor([[1.]])",
    ]


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("torch.nn.Lineer", "Did you mean `Linear`?"),
        (
            "torch.CrossEntropyLoss",
            "PyTorch has `CrossEntropyLoss` in another place: write `torch.nn.CrossEntropyLoss`.",
        ),
        (
            "torch.relu6",
            "PyTorch has `relu6` in another place: write `torch.nn.functional.relu6`. Or did you mean `relu`?",
        ),
        ("torch.nn.Foo", "PyTorch has no `torch.nn.Foo`: check the spelling."),
    ],
)
def test_a_name_that_pytorch_has_not_gets_pytorchs_message_and_advice_beside_it(name: str, advice: str) -> None:
    place, _, last = name.rpartition(".")
    outcome = play(f"import torch\n{name}", words=False).outcome
    assert outcome.message == f"module '{place}' has no attribute '{last}'"
    assert outcome.advice == advice
