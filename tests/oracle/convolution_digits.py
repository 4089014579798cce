"""Convolutions whose every bit is PyTorch's: sizes, and what is computed of them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple


class Case(NamedTuple):
    """Samples, channels in and out, the sides of input and filter, and how the filter moves; of one or two dimensions."""

    dims: int
    samples: int
    channels: int
    filters: int
    side: int
    kernel: int
    padding: int = 0
    stride: int = 1


CASES = [
    Case(2, 2, 1, 3, 5, 3),
    Case(2, 2, 2, 3, 5, 3, padding=1),
    Case(2, 1, 2, 3, 7, 4),
    Case(2, 2, 10, 4, 4, 2),
    Case(2, 3, 4, 9, 4, 3, padding=1),
    Case(2, 16, 3, 2, 3, 1),
    Case(2, 2, 2, 3, 6, 3, padding=1, stride=2),
    Case(1, 2, 3, 4, 9, 3, padding=1),
    Case(1, 4, 9, 2, 8, 5),
]


def numbers(count: int, start: int) -> list[float]:
    """So many numbers between −2 and 2, none of them round."""
    return [2 * math.sin(start + 12.9898 * place) for place in range(count)]


def answers(torch: Any, case: Case) -> dict[str, list[int]]:
    """The bits of the result; of the input's gradient where the filter goes step by step, of the weight's if it has several places."""
    spatial, window = (case.side,) * case.dims, (case.kernel,) * case.dims
    shapes = (case.samples, case.channels, *spatial), (case.filters, case.channels, *window), (case.filters,)
    given = [
        torch.tensor(numbers(math.prod(shape), start), dtype=torch.float32).reshape(shape).requires_grad_()
        for start, shape in enumerate(shapes)
    ]
    convolve = torch.nn.functional.conv2d if case.dims == 2 else torch.nn.functional.conv1d
    result = convolve(*given, padding=case.padding, stride=case.stride)
    slopes = torch.tensor(numbers(result.numel(), 4), dtype=torch.float32).reshape(result.shape)
    of_input, of_weight = torch.autograd.grad(result, given[:2], slopes)
    told = {"result": result}
    if case.stride == 1:
        told["input"] = of_input
    if case.kernel > 1:
        told["weight"] = of_weight
    return {what: tensor.detach().flatten().view(torch.int32).tolist() for what, tensor in told.items()}
