"""Averages of models over training: stochastic weight averaging (Izmailov et al. 2018) and exponential moving averages."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable
from typing import Any

from engine.autograd.modes import no_grad
from engine.nn import making
from engine.nn.batch_norm import _BatchNorm
from engine.nn.module import Module
from engine.optim.lr_scheduler.scheduler import LRScheduler, per_group
from engine.optim.optimizer import Optimizer
from engine.tensor import Tensor

Average = Callable[[Tensor, Tensor, Any], Tensor]


def get_swa_avg_fn() -> Average:
    """The plain average of all models so far."""
    return lambda averaged, current, count: averaged + (current - averaged) / (count + 1)


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """An average that forgets at rate 1 − ``decay``."""
    check_decay(decay)
    return lambda averaged, current, count: decay * averaged + (1 - decay) * current


def get_swa_multi_avg_fn() -> Callable[..., None]:
    """`get_swa_avg_fn` for lists of tensors, in place."""
    return in_place(
        lambda count: 1 / (float(count) + 1), lambda mean, value, count: mean.addcdiv_(value - mean, count + 1)
    )


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[..., None]:
    """`get_ema_avg_fn` for lists of tensors, in place."""
    check_decay(decay)
    return in_place(lambda count: 1 - decay, lambda mean, value, count: mean.copy_(mean * decay + value * (1 - decay)))


def in_place(share: Callable[[Any], float], put: Average) -> Callable[..., None]:
    """A function of lists of tensors that moves each mean by a ``share`` of the way; whole numbers, which cannot, by ``put``."""

    def update(averaged: list[Tensor], current: list[Tensor], count: Any) -> None:
        for mean, value in zip(averaged, current, strict=True):
            if mean.dtype.is_floating_point or mean.dtype.is_complex:
                mean.lerp_(value, share(count))
            else:
                put(mean, value, count)

    return no_grad()(update)


def check_decay(decay: float) -> None:
    """Raises ValueError: a decay outside [0, 1]."""
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


class AveragedModel(Module):
    """A copy of a model whose parameters are averages.

    Raises:
        AssertionError: two ways of averaging at once.
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: Callable[..., None] | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = copy.deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", making.count(device))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the averaged model gives."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Takes one more model into the average."""
        buffers = self.use_buffers
        mine = [*self.module.parameters(), *(self.module.buffers() if buffers else ())]
        theirs = [*model.parameters(), *(model.buffers() if buffers else ())]
        with no_grad():
            if int(self.n_averaged) == 0:
                for mean, value in zip(mine, theirs, strict=True):
                    mean.copy_(value)
            elif self.multi_avg_fn is not None:
                self.multi_avg_fn(mine, theirs, self.n_averaged)
            else:
                average = self.avg_fn or get_swa_avg_fn()
                for mean, value in zip(mine, theirs, strict=True):
                    mean.copy_(average(mean, value, self.n_averaged))
            if not buffers:
                for mean, value in zip(self.module.buffers(), model.buffers(), strict=True):
                    mean.copy_(value)
            self.n_averaged.add_(1)


def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Recomputes the running statistics of all batch norms from the data."""
    layers = [module for module in model.modules() if isinstance(module, _BatchNorm)]
    if not layers:
        return
    momenta = {layer: layer.momentum for layer in layers}
    for layer in layers:
        layer.reset_running_stats()
        layer.momentum = None
    was_training = model.training
    model.train()
    with no_grad():
        for batch in loader:
            input = batch[0] if isinstance(batch, list | tuple) else batch
            model(input if device is None else input.to(device))
    for layer, momentum in momenta.items():
        layer.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """Goes to a constant rate in ``anneal_epochs`` epochs; ``swa_lr`` may say one for each group.

    Raises:
        ValueError: an unknown strategy, a negative number of epochs, or too few or too many rates.
    """

    __module__ = "torch.optim.swa_utils"  # what ``print(scheduler)`` shows

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | list[float] | tuple[float, ...],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        for group, rate in zip(optimizer.param_groups, per_group(optimizer, "swa_lr", swa_lr), strict=True):
            group["swa_lr"] = rate
        self._anneal_strategy, self.anneal_epochs = anneal_strategy, anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _part(self, t: float) -> float:
        return (1 - math.cos(math.pi * t)) / 2 if self._anneal_strategy == "cos" else t

    def get_lr(self) -> list[Any]:
        """The rates of the current epoch."""
        self._warn_outside_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before = self._part(max(0, min(1, (step - 1) / max(1, self.anneal_epochs))))
        now = self._part(max(0, min(1, step / max(1, self.anneal_epochs))))
        rates = []
        for group in self.optimizer.param_groups:
            target = group["swa_lr"]
            start = target if before == 1 else (group["lr"] - before * target) / (1 - before)
            rates.append(target * now + start * (1 - now))
        return rates
