"""Optimizers, one algorithm per file; ``torch.optim`` shows all of them."""

from engine.optim.adam import Adam
from engine.optim.adamw import AdamW
from engine.optim.optimizer import Optimizer
from engine.optim.sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer"]
