"""What all learning rate schedules share."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from engine.observe import state as observing
from engine.optim.groups import Group
from engine.optim.optimizer import Optimizer
from engine.tensor import Tensor

TOO_EARLY = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call "
    "them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in "
    "PyTorch skipping the first value of the learning rate schedule. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)
WITH_EPOCH = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed "
    "form is used instead of the new chainable form, where available. Please open an issue if you are unable to "
    "replicate your use case: https://github.com/pytorch/pytorch/issues/new/choose."
)
OUTSIDE = "To get the last learning rate computed by the scheduler, please use `get_last_lr()`."


def require_optimizer(optimizer: Any) -> None:
    """Raises TypeError: it is none."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def set_rate(group: Group, lr: Any) -> None:
    """A group's learning rate: where it is a tensor, that tensor's number."""
    if isinstance(group["lr"], Tensor):
        group["lr"].fill_(lr)
    else:
        group["lr"] = lr


def rates_of(optimizer: Optimizer) -> list[Any]:
    """The groups' learning rates, as they are now."""
    rates = (group["lr"] for group in optimizer.param_groups)
    return [rate.clone() if isinstance(rate, Tensor) else rate for rate in rates]


@contextmanager
def reported(scheduler: LRScheduler) -> Iterator[None]:
    """Rates are set inside: reported as one step of the schedule, unless it raises."""
    listener = observing.listener
    if listener is not None:
        listener.schedule_stepping(scheduler)
    yield
    if listener is not None:
        listener.schedule_stepped(scheduler)


def per_group(optimizer: Optimizer, name: str, value: Any) -> list[Any]:
    """One setting per parameter group.

    Raises:
        ValueError: a list of another length.
    """
    groups = optimizer.param_groups
    if isinstance(value, list | tuple):
        if len(value) != len(groups):
            raise ValueError(
                f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
                f"param_groups has {len(groups)}."
            )
        return list(value)
    return [value] * len(groups)


class LRScheduler:
    """Sets the optimizer's learning rates, epoch by epoch; subclasses write `get_lr`.

    Raises:
        TypeError: not an optimizer.
        KeyError: resuming (``last_epoch`` given) with an optimizer that has no ``initial_lr``.
    """

    _get_lr_called_within_step = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        require_optimizer(optimizer)
        self.optimizer = optimizer
        for index, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                lr = group["lr"]
                group.setdefault("initial_lr", lr.clone() if isinstance(lr, Tensor) else lr)
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{index}] when resuming scheduler with "
                    "last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume training from a checkpoint but "
                    "haven't properly loaded the optimizer state\n2. You're using last_epoch >= 0 for a fresh training run "
                    "(not recommended)"
                )
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        if "_opt_called" not in optimizer.__dict__:
            optimizer._opt_called = False
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes back what `state_dict` gave."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """The rates that were set last."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """The rates of the current epoch.

        Raises:
            NotImplementedError: the schedule does not say.
        """
        raise NotImplementedError

    def _current(self) -> list[Any]:
        return [group["lr"] for group in self.optimizer.param_groups]

    def _warn_outside_step(self) -> None:
        if not self._get_lr_called_within_step:
            warnings.warn(OUTSIDE, UserWarning, stacklevel=3)

    def step(self, epoch: int | None = None) -> None:
        """Goes on by one epoch and sets the rates."""
        if self._step_count == 1 and not self.optimizer._opt_called:
            warnings.warn(TOO_EARLY, UserWarning, stacklevel=2)
        self._step_count += 1
        if epoch is not None:
            warnings.warn(WITH_EPOCH, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        if epoch is None:
            self.last_epoch += 1
            self._set_from(self.get_lr)
        else:
            self.last_epoch = epoch
            self._set_from(getattr(self, "_get_closed_form_lr", self.get_lr))

    def _set_from(self, compute: Callable[[], list[Any]]) -> None:
        """Sets the rates that ``compute`` gives, which may read those of before without a warning.

        Raises:
            ValueError: rates for another number of groups, as after ``add_param_group``; those there are get set.
        """
        with reported(self):
            self._get_lr_called_within_step = True
            try:
                rates = compute()
            finally:
                self._get_lr_called_within_step = False
            for group, lr in zip(self.optimizer.param_groups, rates, strict=True):
                set_rate(group, lr)
            self._last_lr = rates_of(self.optimizer)
