"""The operators of neural networks, and the functions that ``torch.nn.functional`` composes of them."""

from engine.ops.neural import (  # noqa: F401 (importing declares)
    average_pooling,
    binary_losses,
    classification_losses,
    convolution,
    distances,
    dropping,
    folding,
    interpolation,
    linear,
    lookup,
    loss_margins,
    max_pooling,
    more_pooling,
    normalisation,
    packing,
    padding,
    recurrent,
    regression_losses,
    sampling,
)
