"""The gradient scaler: PyTorch's scale after good and bad steps, and its refusals (values from torch 2.13.0)."""

from __future__ import annotations

from typing import Any

import pytest

from engine import torch

USED_TOO_EARLY = "_scale is None.  This may indicate your script did not use scaler.scale"


def parts(**settings: Any) -> tuple[Any, Any, Any]:
    """A scaler, a parameter (1, 2), and an optimizer for it."""
    parameter = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    return torch.amp.GradScaler("cpu", **settings), parameter, torch.optim.SGD([parameter], 0.1)


def test_a_good_step_is_made_with_unscaled_gradients() -> None:
    scaler, parameter, optimizer = parts()
    loss = scaler.scale((parameter * parameter).sum())
    assert repr(loss) == "tensor(327680., grad_fn=<MulBackward0>)"
    loss.backward()
    assert parameter.grad.tolist() == [131072.0, 262144.0]
    scaler.unscale_(optimizer)
    assert parameter.grad.tolist() == [2.0, 4.0]
    scaler.step(optimizer)
    scaler.update()
    assert torch.allclose(parameter, torch.tensor([0.8, 1.6]))
    assert scaler.state_dict() == {
        "scale": 65536.0,
        "growth_factor": 2.0,
        "backoff_factor": 0.5,
        "growth_interval": 2000,
        "_growth_tracker": 1,
    }


def test_a_step_with_infinite_gradients_is_left_out_and_halves_the_scale() -> None:
    scaler, parameter, optimizer = parts()
    scaler.scale((parameter * float("inf")).sum()).backward()
    assert scaler.step(optimizer) is None
    scaler.update()
    assert parameter.tolist() == [1.0, 2.0]
    assert scaler.get_scale() == 32768.0


def test_the_scale_grows_after_enough_good_steps() -> None:
    scaler, parameter, optimizer = parts(growth_interval=2, init_scale=4.0)
    for expected in (4.0, 8.0, 8.0, 16.0):
        optimizer.zero_grad()
        scaler.scale(parameter.sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        assert scaler.get_scale() == expected


@pytest.mark.parametrize("early", ["unscale_", "step", "update"])
def test_nothing_works_before_something_is_scaled(early: str) -> None:
    scaler, _, optimizer = parts()
    with pytest.raises(AssertionError, match=f"Attempted {early} but {USED_TOO_EARLY}"):
        getattr(scaler, early)(*(() if early == "update" else (optimizer,)))


def test_each_stage_comes_once() -> None:
    scaler, parameter, optimizer = parts()
    scaler.scale(parameter.sum()).backward()
    scaler.unscale_(optimizer)
    with pytest.raises(
        RuntimeError, match=r"unscale_\(\) has already been called on this optimizer since the last update"
    ):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    with pytest.raises(RuntimeError, match=r"step\(\) has already been called since the last update"):
        scaler.step(optimizer)
    scaler.update()
    with pytest.raises(AssertionError, match="No inf checks were recorded prior to update"):
        scaler.update()


def test_without_gradients_there_is_no_step() -> None:
    scaler, _, optimizer = parts()
    scaler.scale(torch.ones(1))
    with pytest.raises(AssertionError, match="No inf checks were recorded for this optimizer"):
        scaler.step(optimizer)


def test_for_cuda_it_warns_and_does_nothing() -> None:
    with pytest.warns(UserWarning, match="GradScaler is enabled, but CUDA is not available"):
        scaler = torch.amp.GradScaler()
    assert not scaler.is_enabled()
    assert scaler.scale(torch.tensor(2.0)).item() == 2.0
    assert scaler.get_scale() == 1.0
    assert scaler.state_dict() == {}


def test_a_state_can_be_taken_over() -> None:
    scaler, parameter, _ = parts(init_scale=8.0)
    scaler.scale(parameter.sum())
    other, _, _ = parts()
    other.load_state_dict(scaler.state_dict())
    assert other.get_scale() == 8.0
    with pytest.raises(RuntimeError, match="The source state dict is empty"):
        other.load_state_dict({})
