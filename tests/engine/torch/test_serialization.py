"""What is saved comes back, in memory only, and nothing but weights unless asked for."""

from __future__ import annotations

import collections
import io
import pickle
from typing import Any

import numpy as np
import pytest

from engine import torch
from engine.trace.play import play

WRITTEN = """
import torch, io, copy
from torch import nn
model = nn.Linear(2, 1)
opt = torch.optim.Adam(model.parameters())
model(torch.ones(2)).backward()
opt.step()
torch.save({"model": model.state_dict(), "opt": opt.state_dict(), "epoch": 3, "size": torch.Size([2])}, "checkpoint.pt")
twin = nn.Linear(2, 1)
found = torch.load("checkpoint.pt", map_location="cpu")
twin.load_state_dict(found["model"])
assert found["epoch"] == 3 and found["size"] == (2,) and torch.equal(twin.weight, model.weight)
buffer = io.BytesIO()
torch.save(model, buffer)
buffer.seek(0)
whole = torch.load(buffer, weights_only=False)
assert torch.equal(whole.weight, model.weight) and copy.deepcopy(opt).param_groups[0]["lr"] == 1e-3
"""


def test_checkpoint_under_a_path_or_in_a_buffer_comes_back() -> None:
    outcome = play(WRITTEN, words=False).outcome
    assert (outcome.status, outcome.message) == ("ok", "")


def test_saved_path_is_forgotten_with_the_run() -> None:
    play("import torch\ntorch.save(torch.ones(2), 'a.pt')", words=False)
    outcome = play("import torch\ntorch.load('a.pt')", words=False).outcome
    assert outcome.error == "FileNotFoundError"
    assert outcome.message.startswith("[Errno 2] No such file or directory: 'a.pt'")


@pytest.mark.parametrize(
    "value", ["torch.ones(2, 3)", "torch.ones(2, requires_grad=True)", "torch.arange(3)", "torch.float64"]
)
def test_tensor_comes_back_the_same(value: str) -> None:
    before, buffer = eval(value), io.BytesIO()
    torch.save({"value": before}, buffer)
    buffer.seek(0)
    assert repr(torch.load(buffer)["value"]) == repr(before)


def test_anything_but_weights_is_refused_by_default() -> None:
    buffer = io.BytesIO()
    torch.save(print, buffer)
    buffer.seek(0)
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        torch.load(buffer)


@pytest.mark.parametrize("content", [b"garbage", b"not a pickle", b"{}", b"\x89PNG\r\n"])
def test_what_is_no_checkpoint_is_refused_like_one_that_holds_too_much(content: bytes) -> None:
    with pytest.raises(pickle.UnpicklingError, match=r"^Weights only load failed\. In PyTorch 2\.6, we changed"):
        torch.load(io.BytesIO(content))


def test_an_empty_file_ends_before_it_begins() -> None:
    with pytest.raises(EOFError, match=r"^$"):
        torch.load(io.BytesIO())


REFUSED = (
    "Weights only load failed. This file can still be loaded, to do so you have two options, \x1b[1mdo those steps only if you trust "
    "the source of the checkpoint\x1b[0m. \n\t(1) In PyTorch 2.6, we changed the default value of the `weights_only` argument in "
    "`torch.load` from `False` to `True`. Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can "
    "result in arbitrary code execution. Do it only if you got the file from a trusted source.\n\t(2) Alternatively, to load with "
    "`weights_only=True` please check the recommended steps in the following error message.\n\tWeightsUnpickler error: Unsupported "
    "global: GLOBAL {name} was not an allowed global by default. Please use `torch.serialization.add_safe_globals([{name}])` or the "
    "`torch.serialization.safe_globals([{name}])` context manager to allowlist this global if you trust this class/function.\n\nCheck "
    "the documentation of torch.load to learn more about types accepted by default with weights_only "
    "https://pytorch.org/docs/stable/generated/torch.load.html."
)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (np.float64(1.5), "numpy._core.multiarray.scalar"),
        ({"history": np.ones(2)}, "numpy._core.multiarray._reconstruct"),
        (collections.defaultdict(list), "collections.defaultdict"),
        ([print], "print"),
    ],
)
def test_what_pytorch_refuses_is_refused_in_all_of_its_words(value: Any, name: str) -> None:
    buffer = io.BytesIO()
    torch.save(value, buffer)
    buffer.seek(0)
    with pytest.raises(pickle.UnpicklingError) as caught:
        torch.load(buffer)
    assert str(caught.value) == REFUSED.format(name=name)
    buffer.seek(0)
    torch.load(buffer, weights_only=False)


def test_what_the_program_allows_is_read_while_it_allows_it() -> None:
    buffer = io.BytesIO()
    torch.save(collections.defaultdict(list, a=[torch.ones(2, 2).t()]), buffer)
    for allowed in ([collections.defaultdict, list], [(collections.defaultdict, "collections.defaultdict"), list]):
        buffer.seek(0)
        with torch.serialization.safe_globals(allowed):
            assert torch.load(buffer)["a"][0].stride() == (1, 2)
    assert torch.serialization.get_safe_globals() == []


def test_sparse_tensors_and_halves_are_weights() -> None:
    buffer = io.BytesIO()
    torch.save([torch.eye(2).to_sparse(), torch.eye(2).to_sparse_csr(), torch.ones(2, dtype=torch.bfloat16)], buffer)
    buffer.seek(0)
    coordinates, rows, halves = torch.load(buffer)
    assert torch.equal(coordinates.to_dense(), rows.to_dense())
    assert halves.dtype is torch.bfloat16
