"""What is warned of, as in PyTorch 2.13: inputs with other dimensions or channels than fit, settings without use."""

from __future__ import annotations

from typing import Any

import pytest

from engine import torch
from engine.torch import nn

F: Any = nn.functional


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


def test_settings_without_use_are_warned_of() -> None:
    with pytest.warns(UserWarning, match="`eps` parameter is deprecated"):
        F.gumbel_softmax(torch.ones(2), eps=1e-5)


def test_padding_that_cannot_be_the_same_on_both_sides_is_warned_of() -> None:
    with pytest.warns(UserWarning, match="Using padding='same' with even kernel lengths"):
        nn.Conv1d(1, 1, 2, padding="same")(torch.ones(1, 1, 3))


def test_complex_modules_are_warned_of() -> None:
    layer = nn.Linear(1, 1)
    with pytest.warns(UserWarning, match="Complex modules are a new feature"):
        layer.to(torch.complex64)
    assert layer.weight.dtype is torch.complex64
