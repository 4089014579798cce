"""Pooling layers."""

from __future__ import annotations

from typing import Any, ClassVar

from engine.nn import functional as F
from engine.nn.making import OwnNames, repeated
from engine.nn.module import Module


class _MaxPoolNd(OwnNames, Module):
    """Largest of each window."""

    _own = ("forward",)
    _dims: ClassVar[int]

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def forward(self, input: Any) -> Any:
        """(N, C, …) → (N, C, …)."""
        pool = (F.max_pool1d, F.max_pool2d, F.max_pool3d)[self._dims - 1]
        return pool(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )

    def extra_repr(self) -> str:
        """Settings."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, dilation={self.dilation}, "
            f"ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPoolNd):
    """Over (N, C, L)."""

    _dims = 1


class MaxPool2d(_MaxPoolNd):
    """Over (N, C, H, W)."""

    _dims = 2


class MaxPool3d(_MaxPoolNd):
    """Over (N, C, D, H, W)."""

    _dims = 3


class _MaxUnpoolNd(OwnNames, Module):
    """Puts values back where `_MaxPoolNd` found them."""

    _own = ("__init__", "forward")
    _dims: ClassVar[int]

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = repeated(kernel_size, self._dims)
        self.stride = repeated(kernel_size if stride is None else stride, self._dims)
        self.padding = repeated(padding, self._dims)

    def forward(self, input: Any, indices: Any, output_size: Any = None) -> Any:
        """(N, C, …) → (N, C, …)."""
        unpool = (F.max_unpool1d, F.max_unpool2d, F.max_unpool3d)[self._dims - 1]
        return unpool(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        """Settings."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """Over (N, C, L)."""

    _dims = 1


class MaxUnpool2d(_MaxUnpoolNd):
    """Over (N, C, H, W)."""

    _dims = 2


class MaxUnpool3d(_MaxUnpoolNd):
    """Over (N, C, D, H, W)."""

    _dims = 3


class _AvgPoolNd(OwnNames, Module):
    """The mean of each window."""

    _own = ("__init__", "forward")

    def extra_repr(self) -> str:
        """Settings."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPoolNd):
    """Over (N, C, L)."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = repeated(kernel_size, 1)
        self.stride = repeated(kernel_size if stride is None else stride, 1)
        self.padding = repeated(padding, 1)
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, input: Any) -> Any:
        """(N, C, L) → (N, C, L')."""
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)


class _AvgPoolWithDivisor(_AvgPoolNd):
    """The sum of each window, divided by its size or by ``divisor_override``."""

    _dims: ClassVar[int]

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding, ceil_mode
        self.count_include_pad, self.divisor_override = count_include_pad, divisor_override

    def forward(self, input: Any) -> Any:
        """(N, C, …) → (N, C, …)."""
        pool = F.avg_pool2d if self._dims == 2 else F.avg_pool3d
        return pool(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


class AvgPool2d(_AvgPoolWithDivisor):
    """Over (N, C, H, W)."""

    _dims = 2


class AvgPool3d(_AvgPoolWithDivisor):
    """Over (N, C, D, H, W)."""

    _dims = 3


class _LPPoolNd(OwnNames, Module):
    """p-norm of each window."""

    _own = ("forward",)
    _dims: ClassVar[int]

    def __init__(self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, ceil_mode

    def forward(self, input: Any) -> Any:
        """(N, C, …) → (N, C, …)."""
        pool = (F.lp_pool1d, F.lp_pool2d, F.lp_pool3d)[self._dims - 1]
        return pool(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self) -> str:
        """Settings."""
        window = f"kernel_size={self.kernel_size}, stride={self.stride}"
        return f"norm_type={self.norm_type}, {window}, ceil_mode={self.ceil_mode}"


class LPPool1d(_LPPoolNd):
    """Over (N, C, L)."""

    _dims = 1


class LPPool2d(_LPPoolNd):
    """Over (N, C, H, W)."""

    _dims = 2


class LPPool3d(_LPPoolNd):
    """Over (N, C, D, H, W)."""

    _dims = 3


class _AdaptivePool(OwnNames, Module):
    """As many regions as asked for."""

    _own = ("forward",)
    _dims: ClassVar[int]
    output_size: Any

    def extra_repr(self) -> str:
        """Settings."""
        return f"output_size={self.output_size}"


class _AdaptiveAvgPoolNd(_AdaptivePool):
    """Average of each region."""

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Any) -> Any:
        """(N, C, …) → (N, C, *output_size)."""
        pool = (F.adaptive_avg_pool1d, F.adaptive_avg_pool2d, F.adaptive_avg_pool3d)[self._dims - 1]
        return pool(input, self.output_size)


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """Over (N, C, L)."""

    _dims = 1


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """Over (N, C, H, W)."""

    _dims = 2


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """Over (N, C, D, H, W)."""

    _dims = 3


class _AdaptiveMaxPoolNd(_AdaptivePool):
    """Largest of each region."""

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size, self.return_indices = output_size, return_indices

    def forward(self, input: Any) -> Any:
        """(N, C, …) → (N, C, *output_size)."""
        pool = (F.adaptive_max_pool1d, F.adaptive_max_pool2d, F.adaptive_max_pool3d)[self._dims - 1]
        return pool(input, self.output_size, self.return_indices)


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """Over (N, C, L)."""

    _dims = 1


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """Over (N, C, H, W)."""

    _dims = 2


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """Over (N, C, D, H, W)."""

    _dims = 3


class _FractionalMaxPool(OwnNames, Module):
    """Largest of each of randomly placed windows (Graham 2014).

    Raises:
        ValueError: not exactly one of ``output_size`` and ``output_ratio``, or a ratio outside (0, 1).
    """

    _own = ("__init__", "forward")
    _dims: ClassVar[int]

    def __init__(
        self,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Any = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.kernel_size = repeated(kernel_size, self._dims)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else repeated(output_size, self._dims)
        self.output_ratio = None if output_ratio is None else repeated(output_ratio, self._dims)
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < ratio < 1 for ratio in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input: Any) -> Any:
        """(N, C, …) → (N, C, *output_size)."""
        pool = F.fractional_max_pool2d if self._dims == 2 else F.fractional_max_pool3d
        return pool(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            _random_samples=self._random_samples,
        )


class FractionalMaxPool2d(_FractionalMaxPool):
    """Over (N, C, H, W)."""

    _dims = 2


class FractionalMaxPool3d(_FractionalMaxPool):
    """Over (N, C, D, H, W)."""

    _dims = 3
