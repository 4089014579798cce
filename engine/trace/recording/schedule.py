"""Steps of learning rate schedules: every group's rate before and after."""

from __future__ import annotations

from typing import Any

from engine.tensor import Tensor
from engine.trace.events import ScheduleStepped, SettingChange
from engine.trace.parts import Number
from engine.trace.registry import Registry
from engine.trace.values import number

SETTINGS = (
    "step_size", "gamma", "factor", "start_factor", "end_factor", "total_iters", "T_max", "T_0", "T_mult", "eta_min", "power",
    "patience", "total_steps", "anneal_epochs",
)  # fmt: skip
"""What is told of a schedule's settings, where it has them."""


class Schedule:
    """Compares an optimizer's settings across a step of its schedule."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.before: list[dict[str, float]] = []
        """Each group's settings that a schedule may change."""

    def stepping(self, scheduler: Any) -> None:
        """Reads the settings of every group."""
        self.before = [changeable(group) for group in scheduler.optimizer.param_groups]

    def stepped(self, scheduler: Any, metric: float | None, unimproved: int) -> ScheduleStepped | None:
        """Reads them again; the step tells the difference. None for a schedule that is being made and changes nothing."""
        changes = []
        for before, group in zip(self.before, scheduler.optimizer.param_groups, strict=False):
            after = changeable(group)
            tensors = [self.registry.tensor(parameter) for parameter in group["params"]]
            changes += [
                SettingChange(name, tensors, plain(before[name]), plain(value))
                for name, value in after.items()
                if name in before and (name == "lr" or value != before[name])
            ]
        begins = metric is None and getattr(scheduler, "_is_initial", True)
        if begins and all(change.before == change.after for change in changes):
            return None
        return ScheduleStepped(
            scheduler=type(scheduler).__name__,
            optimizer=type(scheduler.optimizer).__name__,
            count=max(0, int(scheduler.last_epoch)) if hasattr(scheduler, "last_epoch") else 0,
            begins=begins,
            settings=settings(scheduler),
            changes=changes,
            metric=None if metric is None else plain(metric),
            best=None if metric is None else plain(float(scheduler.best)),
            unimproved=unimproved,
        )


def changeable(group: dict[str, Any]) -> dict[str, float]:
    """What a schedule may change of a group's settings: the learning rate, and momentum or Adam's first beta."""
    first_beta = group["betas"][0] if group.get("betas") else None
    found = {"lr": group["lr"], "momentum": group.get("momentum"), "beta1": first_beta}
    return {
        name: float(value)
        for name, value in found.items()
        if isinstance(value, float | int) or (isinstance(value, Tensor) and value.numel() == 1)
    }


def settings(scheduler: Any) -> dict[str, Number]:
    """The numbers that it was made with."""
    found = {name: scheduler.__dict__.get(name) for name in SETTINGS}
    return {name: plain(value) for name, value in found.items() if type(value) in (int, float)}


def plain(value: float) -> Number:
    """A Python number as JSON can spell it."""
    told = number(value)
    return int(told) if isinstance(told, bool) else told
