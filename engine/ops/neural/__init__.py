"""The operators of neural networks, and the functions that ``torch.nn.functional`` composes of them."""

from engine.ops.neural import (  # noqa: F401 (importing declares)
    average_pooling,
    binary_losses,
    classification_losses,
    convolution,
    dropping,
    linear,
    lookup,
    max_pooling,
    normalisation,
    padding,
    regression_losses,
)
