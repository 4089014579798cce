"""What is printed inside a transform shows PyTorch's wrappers, once per call: values from PyTorch 2.13."""

from __future__ import annotations

import re
from typing import Any

import pytest

import engine.torch as torch
from engine.torch.func import grad, hessian, jacfwd, jvp, vjp, vmap


def printed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What was printed since, a line each, without indentation."""
    return [line.strip() for line in capsys.readouterr().out.splitlines()]


def showing(*more: Any) -> Any:
    """The sum of cubes, which prints its argument and what else is computed from it."""

    def f(x: Any) -> Any:
        print(x)
        for compute in more:
            print(compute(x))
        return (x**3).sum()

    return f


def test_everything_computed_inside_grad_is_wrapped(capsys: pytest.CaptureFixture[str]) -> None:
    outside = torch.tensor([3.0, 4.0], requires_grad=True)
    inside = [lambda x: x.detach(), lambda x: x > 1, torch.zeros_like, lambda x: x * outside, lambda _: torch.ones(1)]
    grad(showing(*inside, lambda _: outside))(torch.tensor([1.0, 2.0]))
    texts = ["tensor([1., 2.])", "tensor([1., 2.])", "tensor([False,  True])", "tensor([0., 0.])"]
    texts += ["tensor([3., 8.], grad_fn=<MulBackward0>)", "tensor([1.])"]
    expected = [line for text in texts for line in ("GradTrackingTensor(lvl=1, value=", text, ")")]
    assert printed(capsys) == [*expected, "tensor([3., 4.], requires_grad=True)"]


def test_an_argument_that_is_tracked_outside_says_so_inside_its_wrapper(capsys: pytest.CaptureFixture[str]) -> None:
    grad(showing(lambda x: x * 2))(torch.tensor([1.0], requires_grad=True))
    assert printed(capsys)[1::3] == ["tensor([1.], requires_grad=True)", "tensor([2.], grad_fn=<MulBackward0>)"]


def test_levels_are_counted_as_pytorch_stacks_them(capsys: pytest.CaptureFixture[str]) -> None:
    x = torch.tensor([1.0])
    grad(lambda x: grad(showing())(x).sum())(x)
    assert printed(capsys)[:2] == ["GradTrackingTensor(lvl=2, value=", "GradTrackingTensor(lvl=1, value="]
    hessian(showing())(x)
    assert printed(capsys)[:2] == ["GradTrackingTensor(lvl=3, value=", "GradTrackingTensor(lvl=2, value="]
    jacfwd(showing())(x)
    assert printed(capsys)[:2] == ["GradTrackingTensor(lvl=2, value=", "tensor([1.])"]
    jvp(showing(), (x,), (x,))
    assert printed(capsys)[:2] == ["GradTrackingTensor(lvl=1, value=", "tensor([1.])"]


def test_vmap_prints_once_and_the_whole_batch(capsys: pytest.CaptureFixture[str]) -> None:
    shared = torch.ones(2)
    vmap(showing(lambda x: x + 1, lambda x: x.shape, lambda _: shared), in_dims=1)(torch.arange(4.0).view(2, 2))
    assert capsys.readouterr().out == (
        "BatchedTensor(lvl=1, bdim=1, value=\n    tensor([[0., 1.],\n            [2., 3.]])\n)\n"
        "BatchedTensor(lvl=1, bdim=0, value=\n    tensor([[1., 3.],\n            [2., 4.]])\n)\n"
        "torch.Size([2])\ntensor([1., 1.])\n"
    )


@pytest.mark.parametrize(
    ("transformed", "wrappers"),
    [
        (vmap(grad(showing())), ["GradTrackingTensor(lvl=2", "BatchedTensor(lvl=1, bdim=0"]),
        (vmap(vmap(showing())), ["BatchedTensor(lvl=2, bdim=0", "BatchedTensor(lvl=1, bdim=0"]),
        (grad(lambda x: vmap(showing())(x).sum()), ["BatchedTensor(lvl=2, bdim=0", "GradTrackingTensor(lvl=1"]),
    ],
)
def test_nested_transforms_wrap_inside_out(
    transformed: Any, wrappers: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    transformed(torch.tensor([[0.0, 1.0], [2.0, 3.0]]))
    *opened, first, second, _, _ = printed(capsys)
    assert opened == [f"{wrapper}, value=" for wrapper in wrappers]
    assert (first, second) == ("tensor([[0., 1.],", "[2., 3.]])")


def test_a_transformed_function_keeps_its_name() -> None:
    assert [transform(showing()).__name__ for transform in (grad, vmap, hessian, jacfwd)] == ["f"] * 4


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda row: row.nonzero(), "operators that can output dynamic shape. Attempted to vmap over aten::nonzero."),
        (lambda row: torch.where(row > 0)[0], "can output dynamic shape. Attempted to vmap over aten::where."),
        (lambda row: row.unique(), "can output dynamic shape. Attempted to vmap over aten::_unique2."),
        (lambda row: row[row > 0], "can support dynamic shape. Attempting to batch over indexing with a boolean mask."),
        (lambda row: row.masked_select(row > 0), "Attempted to vmap over `mask` in torch.masked_select(self, mask)"),
        (lambda row: row.tolist(), "Cannot access data pointer of Tensor that doesn't have storage"),
        (lambda row: row.numpy(), "Cannot access data pointer of Tensor that doesn't have storage"),
        (lambda row: torch.equal(row, row), "Batching rule not implemented for aten::equal"),
        (lambda row: torch.allclose(row, row), "vmap over torch.allclose isn't supported yet."),
        (lambda row: row.data, "accessing `data` under vmap transform is not allowed"),
        (lambda row: row.sum().backward(), "backward() called inside a functorch transform."),
        (lambda row: row.requires_grad_(), "You are attempting to call Tensor.requires_grad_() (or perhaps using"),
    ],
)
def test_vmap_refuses_what_needs_the_numbers_of_one_example(function: Any, words: str) -> None:
    with pytest.raises(RuntimeError) as caught:
        vmap(function)(torch.ones(2, 3))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: x.detach().numpy(), "Cannot access data pointer of Tensor that doesn't have storage"),
        (lambda x: (x * 2).retain_grad(), "You are attempting to call Tensor.retain_grad() inside of a function"),
        (lambda x: x.clone().requires_grad_(), "You are attempting to call Tensor.requires_grad_()"),
    ],
)
def test_grad_refuses_what_its_wrappers_cannot_do(function: Any, words: str) -> None:
    with pytest.raises(RuntimeError) as caught:
        grad(function)(torch.ones(2))
    assert words in str(caught.value)


def test_structures_that_do_not_fit_are_written_out() -> None:
    with pytest.raises(
        ValueError, match=re.escape("in_dims has structure TreeSpec(tuple, None, [*,\n  *]) but inputs")
    ):
        vmap(torch.sin, in_dims=(0, 0))(torch.ones(2))
    with pytest.raises(RuntimeError, match=re.escape("cotangents: *, primal output: (*, *)")):
        vjp(lambda x: (x, x), torch.ones(2))[1](torch.ones(2))
