"""Schedules of schedules: one after the other, or all at once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from engine.errors import Explained
from engine.optim.lr_scheduler.plateau import ReduceLROnPlateau
from engine.optim.lr_scheduler.scheduler import LRScheduler, rates_of, reported, set_rate
from engine.optim.optimizer import Optimizer


def require_one_optimizer(name: str, optimizer: Optimizer, schedulers: Sequence[LRScheduler]) -> None:
    """Refuses schedules that cannot be stepped as one.

    Raises:
        TypeError: no scheduler.
        ValueError: a scheduler has another optimizer, or must be told a metric at each step.
    """
    for index, scheduler in enumerate(schedulers):
        if not hasattr(scheduler, "optimizer"):
            raise TypeError(f"{name} at index {index} should have `optimizer` as its attribute.")
        if isinstance(scheduler, ReduceLROnPlateau):
            raise ValueError(
                Explained(
                    f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be specified when "
                    f"calling `step`, but got one at index {index} in the given schedulers sequence.",
                    "Its step() must be told a metric: step it by itself.",
                )
            )
        if optimizer is not scheduler.optimizer:
            raise ValueError(
                f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                f"{type(scheduler).__name__} at index {index} has {scheduler.optimizer}, which is different from "
                f"{type(optimizer).__name__}."
            )


class SeveralSchedules(LRScheduler):
    """What schedules that hold others keep: the states of all."""

    _schedulers: Sequence[LRScheduler]

    def state_dict(self) -> dict[str, Any]:
        """States of all schedules."""
        state = {k: v for k, v in self.__dict__.items() if k not in ("optimizer", "_schedulers")}
        state["_schedulers"] = [scheduler.state_dict() for scheduler in self._schedulers]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes back what `state_dict` gave."""
        self.__dict__.update({k: v for k, v in state_dict.items() if k != "_schedulers"})
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(state)


class SequentialLR(SeveralSchedules):
    """One schedule after the other, changing at the milestones.

    Raises:
        ValueError: no schedules, different optimizers, or a wrong number of milestones.
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int], last_epoch: int = -1
    ) -> None:
        if len(schedulers) < 1:
            raise ValueError("SequentialLR expects at least one scheduler, but got no scheduler.")
        require_one_optimizer("SequentialLR", optimizer, schedulers)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                "milestone points, but got "
                f"number of schedulers {len(schedulers)} and the number of milestones to be equal to {len(milestones)}"
            )
        self._schedulers, self._milestones = schedulers, milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        with reported(self):
            for group in optimizer.param_groups:
                set_rate(group, group["initial_lr"])
        for scheduler in schedulers:
            scheduler.last_epoch -= 1
        schedulers[0]._initial_step()
        self._last_lr = schedulers[0].get_last_lr()

    def step(self) -> None:  # type: ignore[override]  # no epoch, as in PyTorch
        """Goes on by one epoch."""
        self.last_epoch += 1
        index = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[index]
        if index > 0 and self._milestones[index - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(SeveralSchedules):
    """All schedules at every step, each on what the one before left.

    Raises:
        ValueError: no schedules, or different optimizers.
    """

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        if len(schedulers) < 1:
            raise ValueError("ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.")
        self.optimizer = optimizer or schedulers[0].optimizer
        require_one_optimizer("ChainedScheduler", self.optimizer, schedulers)
        self._schedulers = schedulers
        self._last_lr = rates_of(self.optimizer)

    def step(self) -> None:  # type: ignore[override]  # no epoch, as in PyTorch
        """Goes on by one epoch."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = rates_of(self.optimizer)
