"""What resizing saves is told by the names of its parameters: the kernels and derivatives of ``upsample_…`` by number of dimensions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Resizing:
    """An ``upsample_…`` operator's two kernels and their derivatives, in the words of one number of dimensions.

    A derivative saves its parameters by their names, so each is written out. ``True`` stands for modes with aligned corners.
    """

    forward: Callable[..., Any]
    backward: Callable[..., Any]
    slope: dict[bool, Callable[..., Any]]
    again: dict[bool, Callable[..., Any]]
    """The derivative of the backward kernel, which is linear: the forward kernel."""


def line(explained: Any, spread: Any, back: Any, resize: Any) -> Resizing:
    """In one dimension."""

    def forward(self: Any, output_size: Any, align_corners: bool, scales: Any) -> Any:
        """Resizes, each output a weighted sum of near inputs; its gradient goes back by the same weights."""
        return explained(self, output_size, align_corners, scales)

    def backward(grad_output: Any, shape: Any, output_size: Any, align_corners: bool, scales: Any) -> Any:
        """The derivative of the function that its name begins with, as an operation of its own."""
        return spread(grad_output, shape, output_size, align_corners, scales)

    return Resizing(
        forward,
        backward,
        {
            True: lambda grad, self_sym_sizes, output_size, align_corners, scales: back(
                grad, tuple(self_sym_sizes), output_size, align_corners, scales
            ),
            False: lambda grad, self_sym_sizes, output_size, scales: back(
                grad, tuple(self_sym_sizes), output_size, False, scales
            ),
        },
        {
            True: lambda grad, output_size, align_corners, scales: resize(grad, output_size, align_corners, scales),
            False: lambda grad, output_size, scales: resize(grad, output_size, False, scales),
        },
    )


def plane(explained: Any, spread: Any, back: Any, resize: Any) -> Resizing:
    """In two dimensions."""

    def forward(self: Any, output_size: Any, align_corners: bool, scales_h: Any, scales_w: Any) -> Any:
        """Resizes, each output a weighted sum of near inputs; its gradient goes back by the same weights."""
        return explained(self, output_size, align_corners, scales_h, scales_w)

    def backward(
        grad_output: Any, shape: Any, output_size: Any, align_corners: bool, scales_h: Any, scales_w: Any
    ) -> Any:
        """The derivative of the function that its name begins with, as an operation of its own."""
        return spread(grad_output, shape, output_size, align_corners, scales_h, scales_w)

    return Resizing(
        forward,
        backward,
        {
            True: lambda grad, self_sym_sizes, output_size, align_corners, scales_h, scales_w: back(
                grad, tuple(self_sym_sizes), output_size, align_corners, scales_h, scales_w
            ),
            False: lambda grad, self_sym_sizes, output_size, scales_h, scales_w: back(
                grad, tuple(self_sym_sizes), output_size, False, scales_h, scales_w
            ),
        },
        {
            True: lambda grad, output_size, align_corners, scales_h, scales_w: resize(
                grad, output_size, align_corners, scales_h, scales_w
            ),
            False: lambda grad, output_size, scales_h, scales_w: resize(grad, output_size, False, scales_h, scales_w),
        },
    )


def volume(explained: Any, spread: Any, back: Any, resize: Any) -> Resizing:
    """In three dimensions."""

    def forward(self: Any, output_size: Any, align_corners: bool, scales_d: Any, scales_h: Any, scales_w: Any) -> Any:
        """Resizes, each output a weighted sum of near inputs; its gradient goes back by the same weights."""
        return explained(self, output_size, align_corners, scales_d, scales_h, scales_w)

    def backward(
        grad_output: Any, shape: Any, output_size: Any, align_corners: bool, scales_d: Any, scales_h: Any, scales_w: Any
    ) -> Any:
        """The derivative of the function that its name begins with, as an operation of its own."""
        return spread(grad_output, shape, output_size, align_corners, scales_d, scales_h, scales_w)

    return Resizing(
        forward,
        backward,
        {
            True: lambda grad, self_sym_sizes, output_size, align_corners, scales_d, scales_h, scales_w: back(
                grad, tuple(self_sym_sizes), output_size, align_corners, scales_d, scales_h, scales_w
            ),
            False: lambda grad, self_sym_sizes, output_size, scales_d, scales_h, scales_w: back(
                grad, tuple(self_sym_sizes), output_size, False, scales_d, scales_h, scales_w
            ),
        },
        {
            True: lambda grad, output_size, align_corners, scales_d, scales_h, scales_w: resize(
                grad, output_size, align_corners, scales_d, scales_h, scales_w
            ),
            False: lambda grad, output_size, scales_d, scales_h, scales_w: resize(
                grad, output_size, False, scales_d, scales_h, scales_w
            ),
        },
    )


SPELLED = {1: line, 2: plane, 3: volume}
"""By the number of dimensions."""
