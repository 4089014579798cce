"""Learning rate schedules; ``torch.optim.lr_scheduler`` shows all of them."""

from engine.optim.lr_scheduler.chains import ChainedScheduler, SequentialLR
from engine.optim.lr_scheduler.cycles import CyclicLR, OneCycleLR
from engine.optim.lr_scheduler.decay import (
    ConstantLR,
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from engine.optim.lr_scheduler.plateau import ReduceLROnPlateau
from engine.optim.lr_scheduler.scheduler import LRScheduler


class _LRScheduler(LRScheduler):
    """The name that schedules of one's own were derived from before PyTorch 2.0."""


__all__ = [
    "ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR", "ExponentialLR",
    "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "OneCycleLR", "PolynomialLR",
    "ReduceLROnPlateau", "SequentialLR", "StepLR", "_LRScheduler",
]  # fmt: skip

for _name in __all__:
    globals()[_name].__module__ = "torch.optim.lr_scheduler"  # what ``print(scheduler)`` shows
