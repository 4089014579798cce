"""Convolutions' weights in another memory format, module by module."""

from __future__ import annotations

from typing import Any

from engine.nn.convolution import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d


def converted(module: Any, kinds: tuple[type, ...], memory_format: Any) -> Any:
    """The module, in which every weight of a layer of these kinds is laid out anew."""
    for layer in module.modules():
        if isinstance(layer, kinds):
            layer.weight.data = layer.weight.detach().clone(memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(module: Any, memory_format: Any) -> Any:
    """Of two-dimensional convolutions."""
    return converted(module, (Conv2d, ConvTranspose2d), memory_format)


def convert_conv3d_weight_memory_format(module: Any, memory_format: Any) -> Any:
    """Of three-dimensional convolutions."""
    return converted(module, (Conv3d, ConvTranspose3d), memory_format)
