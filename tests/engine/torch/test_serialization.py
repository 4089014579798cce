"""What is saved comes back, in memory only, and nothing but weights unless asked for."""

from __future__ import annotations

import io
import pickle

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
