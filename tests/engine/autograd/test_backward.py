"""The backward pass: what it accumulates, what it refuses, and that it neither recurses nor leaks."""

from __future__ import annotations

import gc

import pytest

from engine import torch
from engine.tensor import Tensor


def leaf(value: object) -> Tensor:
    made: Tensor = torch.tensor(value, requires_grad=True)
    return made


def gradient(tensor: Tensor) -> Tensor:
    assert tensor.grad is not None
    return tensor.grad


def test_two_paths_into_a_leaf_add_up() -> None:
    a, b = leaf(3.0), leaf(4.0)
    (a * b + a).backward()
    assert (gradient(a).item(), gradient(b).item()) == (5.0, 3.0)


def test_a_second_pass_through_a_freed_graph_is_refused_in_pytorchs_words() -> None:
    a = leaf(3.0)
    product = a * a
    product.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        product.backward()


def test_a_second_pass_works_where_nothing_was_saved() -> None:
    a = leaf([1.0, 2.0])
    total = (a + a).sum()
    total.backward()
    total.backward()
    assert gradient(a).tolist() == [4.0, 4.0]


def test_retain_graph_keeps_saved_tensors_for_another_pass() -> None:
    a = leaf(3.0)
    product = a * a
    product.backward(retain_graph=True)
    product.backward()
    assert gradient(a).item() == 12.0


def test_inputs_restricts_where_gradients_are_stored() -> None:
    a, b = leaf(3.0), leaf(4.0)
    (a * b).backward(inputs=[a])
    assert gradient(a).item() == 4.0
    assert b.grad is None


def test_grad_returns_without_storing() -> None:
    a = leaf(3.0)
    (slope,) = torch.autograd.grad(a * a, a)
    assert slope.item() == 6.0
    assert a.grad is None


def test_grad_tells_an_unused_input_from_a_zero_gradient() -> None:
    a, unused = leaf(3.0), leaf(1.0)
    with pytest.raises(RuntimeError, match="The differentiated Tensor at index 1 appears to not have been used"):
        torch.autograd.grad(a * a, [a, unused])
    assert torch.autograd.grad(a * a, [a, unused], allow_unused=True)[1] is None
    assert torch.autograd.grad(a * a, [a, unused], materialize_grads=True)[1].item() == 0.0


def test_batched_grad_outputs_give_one_product_per_row() -> None:
    a = leaf([1.0, 2.0])
    (rows,) = torch.autograd.grad(a * a, a, torch.eye(2), is_grads_batched=True)
    assert rows.tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_create_graph_lets_the_gradient_be_differentiated() -> None:
    a = leaf(2.0)
    (first,) = torch.autograd.grad(a * a * a, a, create_graph=True)
    (second,) = torch.autograd.grad(first, a, create_graph=True)
    (third,) = torch.autograd.grad(second, a)
    assert (first.item(), second.item(), third.item()) == (12.0, 12.0, 6.0)


def test_only_scalars_start_without_a_gradient() -> None:
    a = leaf([1.0, 2.0])
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        (a * 2).backward()
    (a * 2).backward(torch.tensor([1.0, 10.0]))
    assert gradient(a).tolist() == [2.0, 20.0]


def test_untracked_roots_are_refused() -> None:
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad and does not have a grad_fn"):
        torch.ones(()).backward()


def test_a_graph_of_100_000_nodes_is_built_run_and_dropped_without_recursion() -> None:
    a = leaf(1.0)
    deep = a
    for _ in range(100_000):
        deep = deep + a
    deep.backward()
    assert gradient(a).item() == 100_001.0
    del deep


def test_a_thousand_training_steps_leave_no_more_objects_than_ten() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    inputs = torch.ones(3, 2)

    def steps(count: int) -> int:
        for _ in range(count):
            optimizer.zero_grad()
            (net(inputs) ** 2).mean().backward()
            optimizer.step()
        gc.collect()
        return len(gc.get_objects())

    before = steps(10)
    assert steps(1000) - before < 50


def test_grad_identity_survives_accumulation_in_place() -> None:
    a = leaf([1.0])
    (a * 2).sum().backward()
    first = a.grad
    (a * 2).sum().backward()
    assert a.grad is first
    assert first is not None
    assert first.tolist() == [4.0]
    assert first._version == 1


def test_a_gradient_must_fit_its_tensor() -> None:
    a = leaf([1.0, 2.0])
    with pytest.raises(
        RuntimeError, match=r"attempting to assign a gradient of size '\[3\]' to a tensor of size '\[2\]'"
    ):
        a.grad = torch.ones(3)
    with pytest.raises(TypeError, match="assigned grad expected to be a Tensor or None but got grad of type int"):
        a.grad = 3  # type: ignore[assignment]


def test_a_view_that_requires_grad_through_its_base_alone_is_reached_by_nothing() -> None:
    base = torch.ones(3, 2)
    seen = base.transpose(0, 1)
    base.requires_grad_()
    x = leaf([1.0, 2.0])
    with pytest.raises(RuntimeError, match="The differentiated Tensor at index 0 appears to not have been used"):
        torch.autograd.grad(x.sum(), seen)
    assert torch.autograd.grad(x.sum(), seen, allow_unused=True) == (None,)
    x.sum().backward(inputs=[seen])
    assert x.grad is None
