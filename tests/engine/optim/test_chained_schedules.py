"""Schedules of schedules refuse what they cannot step, with PyTorch's types and opening words."""

from __future__ import annotations

import pytest

import engine.torch as torch


def test_a_schedule_that_needs_a_metric_is_refused_in_a_sequence() -> None:
    optimizer = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.1)
    schedules = torch.optim.lr_scheduler
    parts = [schedules.StepLR(optimizer, 1), schedules.ReduceLROnPlateau(optimizer)]
    with pytest.raises(ValueError, match=r"^SequentialLR does not support `ReduceLROnPlateau` scheduler"):
        schedules.SequentialLR(optimizer, parts, milestones=[2])


def test_what_is_no_schedule_is_refused_by_its_place() -> None:
    optimizer = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.1)
    schedules = torch.optim.lr_scheduler
    with pytest.raises(TypeError, match=r"^SequentialLR at index 1 should have `optimizer` as its attribute"):
        schedules.SequentialLR(optimizer, [schedules.StepLR(optimizer, 1), 1], milestones=[2])
