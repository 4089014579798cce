"""Dropping whole channels of an input with too few dimensions is warned of, as in PyTorch 2.13."""

from __future__ import annotations

import pytest

from engine import torch
from engine.torch import nn


@pytest.mark.parametrize(
    ("layer", "shape", "words"),
    [
        (nn.Dropout2d(0.5), (2, 2), "dropout2d: Received a 2-D input to dropout2d, which is deprecated"),
        (nn.Dropout2d(0.5), (2, 2, 2), "dropout2d: Received a 3D input to dropout2d and assuming"),
        (nn.Dropout3d(0.5), (2, 2, 2), "dropout3d: Received a 3-D input to dropout3d, which is deprecated"),
    ],
)
def test_another_number_of_dimensions_is_warned_of(layer: nn.Module, shape: tuple[int, ...], words: str) -> None:
    with pytest.warns(UserWarning, match=words):
        layer(torch.ones(shape))


@pytest.mark.parametrize(("layer", "shape"), [(nn.Dropout2d(0.5), (1, 2, 2, 2)), (nn.Dropout3d(0.5), (2, 2, 2, 2))])
def test_images_are_dropped_without_a_warning(layer: nn.Module, shape: tuple[int, ...]) -> None:
    assert layer(torch.ones(shape)).shape == shape


def test_an_instance_norm_that_learns_nothing_only_warns_of_other_channels() -> None:
    with pytest.warns(UserWarning, match=r"input's size at dim=1 does not match num_features"):
        assert nn.InstanceNorm2d(3)(torch.ones(1, 4, 2, 2)).shape == (1, 4, 2, 2)
