"""Convolution layers."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from engine.nn import functional as F
from engine.nn import init
from engine.nn.making import OwnNames, add_parameter, empty_parameter, repeated
from engine.nn.module import Module


class _ConvNd(OwnNames, Module):
    """What all six convolutions share.

    Raises:
        ValueError: groups that do not divide the channels, or unknown padding.
    """

    _own = ("__init__", "forward")
    _dims: ClassVar[int]
    _transposed: ClassVar[bool] = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
        output_padding: Any = 0,
    ) -> None:
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {padding!r}, should be one of ['same', 'valid']")
            if padding == "same" and any(step != 1 for step in repeated(stride, self._dims)):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in ("zeros", "reflect", "replicate", "circular"):
            raise ValueError(
                "padding_mode must be one of ['zeros', 'reflect', 'replicate', 'circular'], but got "
                f"padding_mode='{padding_mode}'"
            )
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size = repeated(kernel_size, self._dims)
        self.stride = repeated(stride, self._dims)
        self.padding = padding if isinstance(padding, str) else repeated(padding, self._dims)
        self.dilation = repeated(dilation, self._dims)
        self.transposed = self._transposed
        self.output_padding = repeated(output_padding, self._dims)
        self.groups = groups
        self.padding_mode = padding_mode
        first, second = (in_channels, out_channels) if self._transposed else (out_channels, in_channels)
        self.weight = empty_parameter(first, second // groups, *self.kernel_size, dtype=dtype, device=device)
        add_parameter(self, "bias", (out_channels,) if bias else None, dtype, device)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws weight, then bias, uniformly within ±1/√(inputs per output)."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    @property
    def _reversed_padding_repeated_twice(self) -> list[int] | tuple[int, ...]:
        """The padding as `F.pad` wants it: last dimension first, both sides (a tuple where it was given in numbers)."""
        if self.padding == "valid":
            return [0] * 2 * self._dims
        if self.padding == "same":
            totals: list[int] = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size, strict=True)]
            return [side for total in reversed(totals) for side in (total // 2, total - total // 2)]
        return tuple(int(side) for side in reversed(self.padding) for _ in range(2))

    def _conv_forward(self, input: Any, weight: Any, bias: Any) -> Any:
        convolve = (F.conv1d, F.conv2d, F.conv3d)[self._dims - 1]
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return convolve(input, weight, bias, self.stride, 0, self.dilation, self.groups)
        return convolve(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)

    def forward(self, input: Any) -> Any:
        """(N, in_channels, …) → (N, out_channels, …)."""
        return self._conv_forward(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Settings that differ from the defaults."""
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        if self.padding != (0,) * self._dims:
            text += f", padding={self.padding}"
        if self.dilation != (1,) * self._dims:
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * self._dims:
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text


class Conv1d(_ConvNd):
    """Over (N, C, L)."""

    _dims = 1


class Conv2d(_ConvNd):
    """Over (N, C, H, W)."""

    _dims = 2


class Conv3d(_ConvNd):
    """Over (N, C, D, H, W)."""

    _dims = 3


class _ConvTransposeNd(_ConvNd):
    """What the three transposed convolutions share.

    Raises:
        ValueError: padding with anything but zeros, or what `_ConvNd` refuses.
    """

    _transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            device=device,
            dtype=dtype,
            output_padding=output_padding,
        )

    def _output_padding(self, input: Any, output_size: Any) -> Any:
        """What must be added for the asked-for output size.

        Raises:
            ValueError: that size cannot come out, or has a wrong number of elements.
        """
        if output_size is None:
            return self.output_padding
        others = 2 if input.dim() == self._dims + 2 else 1
        wanted = list(output_size)[others:] if len(output_size) == others + self._dims else list(output_size)
        if len(wanted) != self._dims:
            raise ValueError(
                f"ConvTranspose{self._dims}D: for {input.dim()}D input, output_size must have {self._dims} or "
                f"{others + self._dims} elements (got {len(wanted)})"
            )
        sizes = input.shape[-self._dims :]
        smallest = [
            (n - 1) * s - 2 * p + d * (k - 1) + 1
            for n, s, p, d, k in zip(sizes, self.stride, self.padding, self.dilation, self.kernel_size, strict=True)
        ]
        largest = [low + s - 1 for low, s in zip(smallest, self.stride, strict=True)]
        if any(not low <= n <= high for low, n, high in zip(smallest, wanted, largest, strict=True)):
            raise ValueError(
                f"requested an output size of {output_size}, but valid sizes range from {smallest} to {largest} (for "
                f"an input of {input.shape[2:]})"
            )
        return tuple(n - low for n, low in zip(wanted, smallest, strict=True))

    def forward(self, input: Any, output_size: Any = None) -> Any:
        """(N, in_channels, …) → (N, out_channels, …)."""
        convolve = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[self._dims - 1]
        extra = self._output_padding(input, output_size)
        return convolve(input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation)


class ConvTranspose1d(_ConvTransposeNd):
    """Over (N, C, L)."""

    _dims = 1


class ConvTranspose2d(_ConvTransposeNd):
    """Over (N, C, H, W)."""

    _dims = 2


class ConvTranspose3d(_ConvTransposeNd):
    """Over (N, C, D, H, W)."""

    _dims = 3
