"""Transforms of functions give PyTorch's numbers: Jacobians, Hessians, vmap, forward mode, checks, checkpoints."""

from __future__ import annotations

from typing import Any

import pytest

from engine import torch
from engine.torch import func
from engine.torch.autograd import forward_ad, functional
from engine.transforms.checkpoint.checkpoint import checkpoint
from engine.transforms.gradcheck.gradcheck import GradcheckError, gradcheck, gradgradcheck


def cubes(x: Any) -> Any:
    return x**3


def point() -> Any:
    return torch.tensor([1.0, 2.0])


def test_jacobian_and_hessian_of_elementwise_cubes_are_diagonal() -> None:
    assert functional.jacobian(cubes, point()).tolist() == [[3.0, 0.0], [0.0, 12.0]]
    assert functional.hessian(lambda x: cubes(x).sum(), point()).tolist() == [[6.0, 0.0], [0.0, 12.0]]


def test_vector_products_agree_with_the_matrices() -> None:
    v = torch.tensor([1.0, 10.0])
    assert functional.vjp(cubes, point(), v)[1].tolist() == [3.0, 120.0]
    assert functional.jvp(cubes, point(), v)[1].tolist() == [3.0, 120.0]
    assert functional.hvp(lambda x: cubes(x).sum(), point(), v)[1].tolist() == [6.0, 120.0]
    assert functional.vhp(lambda x: cubes(x).sum(), point(), v)[1].tolist() == [6.0, 120.0]


def test_grad_nests_and_leaves_nothing_tracked() -> None:
    second = func.grad(func.grad(lambda x: x**3))(torch.tensor(2.0))
    assert second.item() == 12.0
    assert not second.requires_grad


def test_grad_stays_connected_to_what_is_tracked_outside() -> None:
    w = torch.tensor(3.0, requires_grad=True)
    slope = func.grad(lambda x: w * x * x)(torch.tensor(2.0))
    slope.backward()
    assert w.grad.item() == 4.0


def test_jacrev_jacfwd_and_hessian_agree() -> None:
    assert func.jacrev(cubes)(point()).tolist() == func.jacfwd(cubes)(point()).tolist() == [[3.0, 0.0], [0.0, 12.0]]
    assert func.hessian(lambda x: (x**3).sum())(point()).tolist() == [[6.0, 0.0], [0.0, 12.0]]


def test_vmap_maps_over_the_named_dimensions() -> None:
    rows = torch.arange(6.0).reshape(2, 3)
    assert func.vmap(lambda r: r.sum())(rows).tolist() == [3.0, 12.0]
    assert func.vmap(lambda r, s: r.sum() * s, in_dims=(1, None))(rows, 2.0).tolist() == [6.0, 10.0, 14.0]


def test_vmap_refuses_branches_on_examples_and_shared_writes() -> None:
    with pytest.raises(RuntimeError, match="vmap: It looks like you're attempting"):
        func.vmap(lambda r: r if r.sum() > 0 else -r)(torch.ones(2, 3))

    def fill(row: Any) -> Any:
        box = torch.zeros(2)
        box.copy_(row)
        return box

    with pytest.raises(RuntimeError, match="vmap: inplace arithmetic"):
        func.vmap(fill)(torch.ones(3, 2))


def test_dual_numbers_carry_tangents_through_operators() -> None:
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.5]))
        primal, tangent = forward_ad.unpack_dual((dual * dual).exp())
    assert tangent is not None
    expected = primal * 2 * point() * torch.tensor([1.0, 0.5])
    assert torch.allclose(tangent, expected)


def test_gradcheck_passes_right_formulas_and_shows_both_matrices_of_wrong_ones() -> None:
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            (x,) = ctx.saved_tensors
            return 3 * x * grad

    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    assert gradcheck(torch.sin, (x,))
    assert gradgradcheck(torch.sin, (x,))
    assert not gradcheck(Wrong.apply, (x,), raise_exception=False)
    with pytest.raises(GradcheckError, match="Jacobian mismatch for output 0 with respect to input 0"):
        gradcheck(Wrong.apply, (x,))


@pytest.mark.parametrize("use_reentrant", [True, False])
def test_a_checkpoint_runs_its_function_again_and_gives_the_same_gradient(use_reentrant: bool) -> None:
    calls = []

    def square(x: Any) -> Any:
        calls.append(1)
        return x * x

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    checkpoint(square, x, use_reentrant=use_reentrant).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]
    assert len(calls) == 2
