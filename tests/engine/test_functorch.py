"""``functorch``, as programs wrote it before ``torch.func``."""

from __future__ import annotations

import pytest

from engine import functorch, torch
from engine.trace.play import play


def test_old_transforms_work_and_say_what_to_write_today() -> None:
    with pytest.warns(FutureWarning, match=r"Please use `torch\.func\.grad` instead"):
        assert functorch.grad(torch.sin)(torch.tensor(0.0)).item() == 1.0
    with pytest.warns(FutureWarning, match=r"Please use `torch\.vmap` instead"):
        assert functorch.vmap(torch.sin)(torch.zeros(2)).tolist() == [0.0, 0.0]


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_functional_model_takes_its_own_copies_of_the_parameters() -> None:
    linear = torch.nn.Linear(2, 1)
    function, parameters = functorch.make_functional(linear)
    assert parameters[0] is not linear.weight
    assert repr(function) == (
        "FunctionalModule(\n  (stateless_model): Linear(in_features=2, out_features=1, bias=True)\n)"
    )
    given = torch.autograd.grad(function(parameters, torch.ones(2)).sum(), parameters)
    assert [gradient.tolist() for gradient in given] == [[[1.0, 1.0]], [1.0]]
    _, untracked = functorch.make_functional(linear, disable_autograd_tracking=True)
    assert [parameter.requires_grad for parameter in untracked] == [False, False]
    assert linear.weight.requires_grad


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_tied_parameters_are_given_once_per_name() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
    model[1].weight = model[0].weight
    _, parameters = functorch.make_functional(model)
    assert len(parameters) == 4


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_an_ensemble_is_one_model_with_stacked_untracked_state() -> None:
    function, parameters, buffers = functorch.combine_state_for_ensemble([torch.nn.BatchNorm1d(2) for _ in range(3)])
    assert [tuple(each.shape) for each in parameters] == [(3, 2), (3, 2)]
    assert [tuple(each.shape) for each in buffers] == [(3, 2), (3, 2), (3,)]
    assert not any(each.requires_grad for each in parameters)
    assert type(function).__name__ == "FunctionalModuleWithBuffers"


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize(
    ("models", "words"),
    [
        ([], "Expected at least one model, got 0."),
        ([torch.nn.Linear(2, 1), torch.nn.BatchNorm1d(2)], "Expected all models to be of the same class."),
        (
            [torch.nn.Linear(2, 1), torch.nn.Linear(2, 1).eval()],
            "Expected all models to have the same training/eval mode.",
        ),
    ],
)
def test_models_that_are_no_ensemble_are_refused(models: list[torch.nn.Module], words: str) -> None:
    with pytest.raises(RuntimeError, match=f"^combine_state_for_ensemble: {words}"):
        functorch.combine_state_for_ensemble(models)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_buffers_ask_for_the_other_function() -> None:
    with pytest.raises(RuntimeError, match="Please use make_functional_with_buffers"):
        functorch.make_functional(torch.nn.BatchNorm1d(2))


def test_a_snippet_imports_it() -> None:
    code = "import torch\nfrom functorch import vmap, make_functional\nprint(vmap(torch.sin)(torch.zeros(2)))\n"
    assert play(code).stdout == "tensor([0., 0.])\n"
