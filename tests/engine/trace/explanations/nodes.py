"""Laws of nodes that no operator makes: what their own words say, shown by a program each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine import torch
from engine.autograd.delayed_error import Error
from engine.autograd.node import Node
from engine.autograd.undefined_gradient import UndefinedGradBackward
from engine.nn.backward_hooks import BackwardHookFunctionBackward
from engine.ops.layout.view_writes import CopySlices
from engine.transforms.primal import CppFunction


def leaf(*numbers: float) -> Any:
    return torch.tensor(numbers, requires_grad=True)


def near(left: Any, right: list[float]) -> bool:
    return bool(np.allclose(left, right))


def a_write_into_a_view_splits_the_gradient() -> bool:
    base, source = leaf(1.0, 2.0, 3.0), leaf(5.0, 6.0)
    written = base * 1.0
    written[1:] = source * 2.0
    made = isinstance(written.grad_fn, CopySlices)
    written.backward(torch.tensor([7.0, 8.0, 9.0]))
    return made and near(base.grad, [7.0, 0.0, 0.0]) and near(source.grad, [16.0, 18.0])


def a_module_with_a_backward_hook_hands_on_what_arrives() -> bool:
    x = leaf(1.0, 2.0)
    module = torch.nn.Identity()
    module.register_full_backward_hook(lambda *_: None)
    out = module(x)
    made = isinstance(out.grad_fn, BackwardHookFunctionBackward)
    out.backward(torch.tensor([3.0, 4.0]))
    return made and near(x.grad, [3.0, 4.0])


def an_unpacked_dual_hands_on_what_arrives() -> bool:
    forward_ad = torch.autograd.forward_ad
    x = leaf(1.0, 2.0)
    with forward_ad.dual_level():
        primal, _ = forward_ad.unpack_dual(forward_ad.make_dual(x * 1.0, torch.ones(2)))
        made = isinstance(primal.grad_fn, CppFunction)
        primal.backward(torch.tensor([3.0, 4.0]))
    return made and near(x.grad, [3.0, 4.0])


def an_undefined_gradient_fills_nothing() -> bool:
    x = leaf(1.0, 2.0)
    out = torch._C._functions.UndefinedGrad()(x * 2.0)
    made = isinstance(out.grad_fn, UndefinedGradBackward)
    out.backward(torch.ones(2))
    return made and x.grad is None


def a_delayed_error_is_raised_with_its_message() -> bool:
    x = leaf(1.0)
    out = torch._C._functions.DelayedError("not again", 1)(x * 1.0)
    made = isinstance(out.grad_fn, Error)
    try:
        out.backward()
    except RuntimeError as error:
        return made and "not again" in str(error)
    return False


SHOWN: dict[type[Node], Callable[[], bool]] = {
    CopySlices: a_write_into_a_view_splits_the_gradient,
    BackwardHookFunctionBackward: a_module_with_a_backward_hook_hands_on_what_arrives,
    CppFunction: an_unpacked_dual_hands_on_what_arrives,
    UndefinedGradBackward: an_undefined_gradient_fills_nothing,
    Error: a_delayed_error_is_raised_with_its_message,
}
