"""How many floating-point operations a product takes, from shapes: one multiplication and one addition per term.

Counted is what PyTorch counts: matrix products and convolutions, forward and backward. Everything else counts nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

Shape = Sequence[int]


def mm_flop(a_shape: Shape, b_shape: Shape, *args: Any, out_shape: Any = None, **kwargs: Any) -> int:
    """(m, k) · (k, n): ``2mkn``."""
    return 2 * math.prod(a_shape) * b_shape[1]


def addmm_flop(
    self_shape: Shape, a_shape: Shape, b_shape: Shape, *args: Any, out_shape: Any = None, **kwargs: Any
) -> int:
    """The same; what is added to the product is not counted."""
    return mm_flop(a_shape, b_shape)


def bmm_flop(a_shape: Shape, b_shape: Shape, *args: Any, out_shape: Any = None, **kwargs: Any) -> int:
    """(b, m, k) · (b, k, n): ``2bmkn``."""
    return 2 * math.prod(a_shape) * b_shape[2]


def baddbmm_flop(
    self_shape: Shape, a_shape: Shape, b_shape: Shape, *args: Any, out_shape: Any = None, **kwargs: Any
) -> int:
    """The same; what is added to the products is not counted."""
    return bmm_flop(a_shape, b_shape)


def conv_flop_count(x_shape: Shape, w_shape: Shape, out_shape: Shape, transposed: bool = False) -> int:
    """Every filter of (channels out, channels in, …) at every place of the output, or of the input if it is transposed."""
    places = (x_shape if transposed else out_shape)[2:]
    return 2 * x_shape[0] * math.prod(places) * math.prod(w_shape)


def conv_flop(
    x_shape: Shape, w_shape: Shape, _bias: Any, _stride: Any, _padding: Any, _dilation: Any, transposed: bool, *args: Any,
    out_shape: Any = None, **kwargs: Any,
) -> int:  # fmt: skip
    """A convolution of (n, c, …)."""
    return conv_flop_count(x_shape, w_shape, out_shape, transposed)


def conv_backward_flop(
    grad_out_shape: Shape, x_shape: Shape, w_shape: Shape, _bias: Any, _stride: Any, _padding: Any, _dilation: Any, transposed: bool,
    _output_padding: Any, _groups: Any, output_mask: Sequence[bool], *args: Any, out_shape: Any = None, **kwargs: Any,
) -> int:  # fmt: skip
    """Its gradients are convolutions too: the input's of the gradient with the filters, the filters' of the input with the gradient."""

    def swapped(shape: Shape) -> list[int]:
        return [shape[1], shape[0], *shape[2:]]

    count = 0
    if output_mask[0]:
        count += conv_flop_count(grad_out_shape, w_shape, out_shape[0], not transposed)
    if output_mask[1]:
        moving, still = (grad_out_shape, x_shape) if transposed else (x_shape, grad_out_shape)
        count += conv_flop_count(swapped(moving), swapped(still), swapped(out_shape[1]))
    return count


FORMULAS: dict[str, Callable[..., int]] = {
    "mm": mm_flop, "addmm": addmm_flop, "bmm": bmm_flop, "baddbmm": baddbmm_flop, "convolution": conv_flop,
    "_convolution": conv_flop, "convolution_backward": conv_backward_flop,
}  # fmt: skip
"""By the operator's name in ``torch.ops.aten``."""
