"""Schedules that rise and fall: one cycle, or many."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from engine.optim.lr_scheduler.scheduler import LRScheduler, per_group, reported, require_optimizer, set_rate
from engine.optim.optimizer import Optimizer


class OneCycleLR(LRScheduler):
    """Up to ``max_lr``, then down to almost nothing (Smith & Topin 2017).

    Raises:
        ValueError: no number of steps, or settings out of range.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: Any,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.85,
        max_momentum: Any = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        require_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = checked_total(total_steps, epochs, steps_per_epoch)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._schedule_phases = phases_of_cycle(self.total_steps, pct_start, three_phase)
        self._anneal_func_type = anneal_strategy
        if last_epoch == -1:
            for group, most in zip(optimizer.param_groups, per_group(optimizer, "max_lr", max_lr), strict=True):
                group["initial_lr"] = most / div_factor
                group["max_lr"] = most
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            highest = per_group(optimizer, "max_momentum", max_momentum)
            lowest = per_group(optimizer, "base_momentum", base_momentum)
            self.use_beta1 = takes_momentum(optimizer, lowest, highest, begins=last_epoch == -1)
        super().__init__(optimizer, last_epoch)

    def _anneal(self, start: float, end: float, part: float) -> float:
        if self._anneal_func_type == "cos":
            return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)
        return (end - start) * part + start

    def get_lr(self) -> list[Any]:
        """The rates of the current step; sets momentum too.

        Raises:
            ValueError: more steps than announced.
        """
        self._warn_outside_step()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        phase, part = self._phase_at(step)
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(self._anneal(group[phase["start_lr"]], group[phase["end_lr"]], part))
            if self.cycle_momentum:
                momentum = self._anneal(group[phase["start_momentum"]], group[phase["end_momentum"]], part)
                set_momentum(group, momentum, self.use_beta1)
        return rates

    def _phase_at(self, step: int) -> tuple[dict[str, Any], float]:
        """The phase that a step falls into, and which part of it is over."""
        begin = 0.0
        for phase in self._schedule_phases[:-1]:
            end = float(phase["end_step"])
            if step <= end:
                return phase, (step - begin) / (end - begin)
            begin = end
        last = self._schedule_phases[-1]
        return last, (step - begin) / (float(last["end_step"]) - begin)


def phases_of_cycle(total_steps: int, pct_start: float, three_phase: bool) -> list[dict[str, Any]]:
    """The step at which each phase ends, and between which of a group's settings it leads; with three the rate comes back first."""
    up, last = float(pct_start * total_steps) - 1, total_steps - 1
    most, least = "max_momentum", "base_momentum"
    ends: list[tuple[Any, ...]] = [(up, "initial_lr", "max_lr", most, least)]
    if three_phase:
        ends.append((float(2 * pct_start * total_steps) - 2, "max_lr", "initial_lr", least, most))
        ends.append((last, "initial_lr", "min_lr", most, most))
    else:
        ends.append((last, "max_lr", "min_lr", least, most))
    names = ("end_step", "start_lr", "end_lr", "start_momentum", "end_momentum")
    return [dict(zip(names, phase, strict=True)) for phase in ends]


def checked_total(total_steps: int | None, epochs: int | None, steps_per_epoch: int | None) -> int:
    """The number of steps of one cycle.

    Raises:
        ValueError: not given, or not positive.
    """
    if total_steps is not None:
        if total_steps <= 0 or not isinstance(total_steps, int):
            raise ValueError(f"Expected positive integer total_steps, but got {total_steps}")
        return total_steps
    if epochs is None or steps_per_epoch is None:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    for name, value in (("epochs", epochs), ("steps_per_epoch", steps_per_epoch)):
        if not isinstance(value, int) or value <= 0:
            raise ValueError(f"Expected positive integer {name}, but got {value}")
    return epochs * steps_per_epoch


def takes_momentum(optimizer: Optimizer, lowest: list[float], highest: list[float], begins: bool) -> bool:
    """Starts each group from its highest momentum, when a run ``begins``; tells whether the momentum is Adam's first beta.

    Raises:
        ValueError: the optimizer has neither.
    """
    if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
        raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
    as_beta1 = "betas" in optimizer.defaults
    if begins:
        for group, most, least in zip(optimizer.param_groups, highest, lowest, strict=True):
            set_momentum(group, most, as_beta1)
            group["max_momentum"], group["base_momentum"] = most, least
    return as_beta1


def set_momentum(group: dict[str, Any], momentum: float, as_beta1: bool) -> None:
    """Momentum, or Adam's first beta."""
    if as_beta1:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum


class CyclicLR(LRScheduler):
    """Between ``base_lr`` and ``max_lr``, up and down (Smith 2015).

    Raises:
        ValueError: an unknown mode, or momentum where the optimizer has none.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: Any,
        max_lr: Any,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.8,
        max_momentum: Any = 0.9,
        last_epoch: int = -1,
    ) -> None:
        require_optimizer(optimizer)
        self.optimizer = optimizer
        if last_epoch == -1:
            with reported(self):
                for group, lr in zip(optimizer.param_groups, per_group(optimizer, "base_lr", base_lr), strict=True):
                    set_rate(group, lr)
        self.max_lrs = per_group(optimizer, "max_lr", max_lr)
        up, down = float(step_size_up), float(step_size_up if step_size_down is None else step_size_down)
        self.total_size = up + down
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode, self.gamma = mode, gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode if scale_fn is not None else "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            lowest = per_group(optimizer, "base_momentum", base_momentum)
            highest = per_group(optimizer, "max_momentum", max_momentum)
            self.use_beta1 = takes_momentum(optimizer, lowest, highest, begins=last_epoch == -1)
            self.base_momentums, self.max_momentums = lowest, highest
        super().__init__(optimizer, last_epoch)
        self.base_lrs = per_group(optimizer, "base_lr", base_lr)

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer; the scaling function comes last."""
        state = super().state_dict()
        state["_scale_fn_custom"] = state.pop("_scale_fn_custom")
        return state

    def scale_fn(self, x: float) -> float:
        """How much of the amplitude is left."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        return {"triangular": 1.0, "triangular2": 1 / 2.0 ** (x - 1), "exp_range": self.gamma**x}[self.mode]

    def get_lr(self) -> list[Any]:
        """The rates of the current step; sets momentum too."""
        self._warn_outside_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            for group, least, most in zip(
                self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True
            ):
                set_momentum(group, most - (most - least) * height * scale, self.use_beta1)
        return [base + (most - base) * height * scale for base, most in zip(self.base_lrs, self.max_lrs, strict=True)]
