"""Custom Functions: what ``ctx`` keeps, what ``backward`` may return, and PyTorch's refusals."""

from __future__ import annotations

from typing import Any

import pytest

from engine import torch
from engine.torch.autograd import Function
from engine.torch.autograd.function import once_differentiable


class Scale(Function):
    @staticmethod
    def forward(ctx: Any, x: Any, factor: float) -> Any:
        ctx.save_for_backward(x)
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * ctx.factor, None


def point() -> Any:
    return torch.tensor([1.0, 2.0], requires_grad=True)


def test_the_output_carries_a_node_named_after_the_function() -> None:
    y = Scale.apply(point(), 3.0)
    assert type(y.grad_fn).__name__ == "ScaleBackward"
    assert repr(y) == "tensor([3., 6.], grad_fn=<ScaleBackward>)"


def test_backward_runs_and_its_gradient_arrives() -> None:
    x = point()
    Scale.apply(x, 3.0).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_saved_tensors_are_gone_after_backward() -> None:
    y = Scale.apply(point(), 3.0)
    node = y.grad_fn
    y.sum().backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        node.saved_tensors  # noqa: B018 (asking raises)


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (lambda g: g, r"returned an incorrect number of gradients \(expected 2, got 1\)"),
        (lambda g: (g, g), "returned a gradient different than None at position 2"),
        (lambda g: (3, None), r"expected Variable or None \(got int\)"),
        (
            lambda g: (g.sum(), None),
            r"returned an invalid gradient at index 0 - got \[\] but expected shape compatible with \[2\]",
        ),
    ],
)
def test_a_wrong_return_is_refused_in_pytorchs_words(returned: Any, message: str) -> None:
    class Wrong(Scale):
        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return returned(grad)

    with pytest.raises(RuntimeError, match=message):
        Wrong.apply(point(), 2.0).sum().backward()


def test_surplus_nones_are_forgiven() -> None:
    class Surplus(Scale):
        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad, None, None, None

    x = point()
    Surplus.apply(x, 2.0).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_a_returned_input_is_a_view_that_may_not_be_written_to() -> None:
    class Same(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad

    x = point()
    y = Same.apply(x)
    assert y is not x
    with pytest.raises(RuntimeError, match="Output 0 of Same is a view and is being modified inplace"):
        y.add_(1)


def test_a_dirty_input_is_returned_itself() -> None:
    class AddOne(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            x.add_(1)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad

    z = point() * 1
    assert AddOne.apply(z) is z
    assert type(z.grad_fn).__name__ == "AddOneBackward"


def test_setup_context_is_called_with_inputs_and_output() -> None:
    class Product(Function):
        @staticmethod
        def forward(x: Any, y: Any) -> Any:
            return x * y

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            _, y = ctx.saved_tensors
            assert ctx.needs_input_grad == (True, False)
            return grad * y, None

    x = point()
    Product.apply(x, torch.tensor([3.0, 4.0])).sum().backward()
    assert x.grad.tolist() == [3.0, 4.0]


def test_missing_gradients_come_as_none_if_asked() -> None:
    seen = []

    class Two(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x * 1, x * 2

        @staticmethod
        def backward(ctx: Any, one: Any, two: Any) -> Any:
            seen.append((one is None, two is None))
            return one

    Two.apply(point())[0].sum().backward()
    assert seen == [(False, True)]


def test_once_differentiable_refuses_a_second_derivative() -> None:
    class Square(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @once_differentiable
        def backward(ctx: Any, grad: Any) -> Any:
            (x,) = ctx.saved_tensors
            return 2 * x * grad

    x, v = point(), torch.ones(2, requires_grad=True)
    (slope,) = torch.autograd.grad(Square.apply(x), x, v, create_graph=True)
    with pytest.raises(
        RuntimeError, match="trying to differentiate twice a function that was marked with @once_differentiable"
    ):
        slope.sum().backward()


def test_a_saved_output_that_is_written_to_is_noticed() -> None:
    class Doubled(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = x * 2
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            ctx.saved_tensors  # noqa: B018 (asking raises)
            return grad

    y = Doubled.apply(point())
    y.add_(1)
    with pytest.raises(RuntimeError, match="which is output 0 of Doubled, is at version 1; expected version 0 instead"):
        y.sum().backward()
