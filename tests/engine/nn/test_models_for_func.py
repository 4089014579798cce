"""Models made ready for ``torch.func``: stacked, without averages; and modules without initialisation."""

from __future__ import annotations

import pytest

from engine import torch
from engine.torch import func, nn


def test_stacked_models_run_as_one_under_vmap() -> None:
    models = [nn.Linear(2, 3) for _ in range(4)]
    parameters, buffers = func.stack_module_state(models)
    assert parameters["weight"].shape == (4, 3, 2)
    assert parameters["weight"].is_leaf
    assert parameters["weight"].requires_grad
    x = torch.randn(5, 2)
    together = func.vmap(lambda p, b: func.functional_call(models[0], (p, b), (x,)))(parameters, buffers)
    assert torch.allclose(together, torch.stack([model(x) for model in models]))


@pytest.mark.parametrize(
    ("models", "words"),
    [
        ([], "Expected at least one model, got 0."),
        ([nn.Linear(1, 1), nn.ReLU()], "Expected all models to be of the same class."),
        ([nn.Linear(1, 1), nn.Linear(1, 1).eval()], "Expected all models to have the same training/eval mode."),
    ],
)
def test_models_that_do_not_stack_are_refused_in_pytorchs_words(models: list[nn.Module], words: str) -> None:
    with pytest.raises(RuntimeError, match=f"stack_module_state: {words}"):
        func.stack_module_state(models)


def test_batch_norm_forgets_its_averages() -> None:
    norm = nn.BatchNorm1d(3)
    func.replace_all_batch_norm_modules_(nn.Sequential(norm))
    assert norm.running_mean is None
    assert not norm.track_running_stats


def test_skipped_initialisation_draws_nothing() -> None:
    before = torch.get_rng_state()
    assert nn.utils.skip_init(nn.Linear, 2, 3).weight.shape == (3, 2)
    assert torch.equal(torch.get_rng_state(), before)
