"""Sizes of pooling windows: how many fit, what is padded, and what PyTorch refuses."""

from __future__ import annotations

from typing import Any

from engine.ops.neural.whole_sizes import whole_sizes
from engine.ops.neural.windows import Sizes

PLACES = {"kernel_size": 2, "stride": 3, "output_size": 3, "padding": 4, "dilation": 5}
"""Where each stands in a call."""
COUNTS = {1: "one int", 2: "two ints", 3: "three ints"}


def pool_sizes(value: Any, dims: int, function: str, name: str) -> Sizes:
    """``2`` as ``(2, 2)``.

    Raises:
        RuntimeError: another number of values.
        TypeError: something that is no whole number and no sequence of them.
    """
    values = whole_sizes(value, dims, function, name, PLACES[name])
    if len(values) == 1:
        return values * dims
    if len(values) != dims:
        raise RuntimeError(wrong_count(function, name, dims, len(values)))
    return values


def wrong_count(function: str, name: str, dims: int, count: int) -> str:
    """What is said of ``count`` values for so many dimensions; every pooling has words of its own."""
    if function == "avg_pool1d":
        return f"avg_pool1d() argument '{name}' should contain one int (got {count})"
    if function == "max_pool1d":
        none, comma = ("None, ", ",") if name == "stride" else ("", "," if name == "padding" else "")
        return f"max_pool1d() {name} must be {none}an int, list of ints{comma} or tuple of ints of size 1 but got size {count}"
    if function.startswith("fractional"):
        return f"{function}: {name} must either be a single Int or tuple of {'three ' if dims == 3 else ''}Ints"
    either = "be" if function == "avg_pool3d" else "be either" if name == "dilation" else "either be"
    return f"{function}: {name} must {either} {'omitted, ' if name == 'stride' else ''}a single int, or a tuple of {COUNTS[dims]}"


def is_given(stride: Any) -> bool:
    """Whether a stride is set: None and an empty one stand for the kernel's size."""
    return stride is not None and not (isinstance(stride, list | tuple) and not stride)


UNLIKE_IMAGES = "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:"
"""What two-dimensional pooling says before it shows the shape."""


def unlike_rows(function: str, dims: int) -> str:
    """What one-dimensional pooling says to an input of another number of dimensions."""
    return (
        f"Expected 2 to 3 dimensions, but got {dims}-dimensional tensor for argument #1 'self' "
        f"(while checking arguments for {function})"
    )


class Pool:
    """The geometry of one pooling call.

    Args:
        function: PyTorch's name of the function, for messages.
        shape: the input's shape, spatial dimensions last.
        kernel, stride, padding, dilation: as given (``stride`` None or empty: the kernel's).
        ceil_mode: a last window may hang over the edge.

    Raises:
        RuntimeError: sizes that do not go together.
    """

    def __init__(
        self,
        function: str,
        shape: Sizes,
        dims: int,
        kernel: Any,
        stride: Any,
        padding: Any,
        dilation: Any,
        ceil_mode: bool,
    ) -> None:
        self.dims = dims
        self.kernel = pool_sizes(kernel, dims, function, "kernel_size")
        self.stride = pool_sizes(stride, dims, function, "stride") if is_given(stride) else self.kernel
        self.padding = pool_sizes(padding, dims, function, "padding")
        self.dilation = pool_sizes(dilation, dims, function, "dilation")
        self.ceil_mode = ceil_mode
        self.spatial = shape[len(shape) - dims :]
        self._check(function, shape)
        self.out = tuple(
            windows_that_fit(*sizes, ceil_mode)
            for sizes in zip(self.spatial, self.kernel, self.stride, self.padding, self.dilation, strict=True)
        )
        if min(self.out) < 1:
            raise RuntimeError(self._too_small(function, shape))

    def _too_small(self, function: str, shape: Sizes) -> str:
        """Why not even one window fits."""
        if function == "max_pool1d":
            (size,), (kernel,), (stride,), (pad,), (step,) = (
                self.spatial,
                self.kernel,
                self.stride,
                self.padding,
                self.dilation,
            )
            return f"max_pool1d() Invalid computed output size: {windows_that_fit(size, kernel, stride, pad, step, self.ceil_mode)}"
        if function == "avg_pool3d":
            have, want = (
                " ".join(f"{prefix}{axis}: {n}" for axis, n in zip("THW", sizes, strict=True))
                for prefix, sizes in (("", self.spatial), ("k", self.kernel))
            )
            return f"input image ({have}) smaller than kernel size ({want})"
        channels = shape[-self.dims - 1] if len(shape) > self.dims else 1
        before, after = (
            f"({'x'.join(map(str, (channels, *s)))})" for s in (self.spatial, [max(o, 0) for o in self.out])
        )
        return f"Given input size: {before}. Calculated output size: {after}. Output size is too small"

    def _check(self, function: str, shape: Sizes) -> None:
        """Raises RuntimeError, IndexError: an input of other dimensions, or windows that make no sense."""
        dims = self.dims
        fits = len(shape) in (dims + 1, dims + 2)
        if function == "max_pool1d":
            self._check_row(shape)
            return
        if function == "avg_pool2d" and not fits:
            if len(shape) < 3:
                raise IndexError(
                    f"Dimension out of range (expected to be in range of [-{len(shape)}, {len(shape) - 1}], but got -3)"
                )
            raise RuntimeError(f"{UNLIKE_IMAGES}{list(shape)}")
        if not fits:
            if dims == 1:
                raise RuntimeError(unlike_rows(function, len(shape)))
            names = {2: "3D or 4D", 3: "4D or 5D"}[dims]
            raise RuntimeError(f"non-empty {names} (batch mode) tensor expected for input")
        self._check_windows()
        if dims == 2 and not (all(shape[-3:]) and (len(shape) == 4 or shape[0])):
            raise RuntimeError(f"{UNLIKE_IMAGES}{list(shape)}")
        if not all(shape[-dims - 1 :]):
            who = "max_pool3d_with_indices_out_cpu_template" if function == "max_pool3d" else function
            raise RuntimeError(
                f"{who}(): Expected input's non-batch dimensions to have positive length, but input has a shape of "
                f"{list(shape)} and non-batch dimension 0 has length zero!"
            )

    def _check_windows(self) -> None:
        """Raises RuntimeError: a size, step or margin that no window can have."""
        if min(self.kernel) <= 0:
            raise RuntimeError(
                "kernel size should be greater than zero" if min(self.stride) > 0 else "stride should not be zero"
            )
        if min(self.stride) <= 0:
            raise RuntimeError("stride should not be zero")
        if min(self.dilation) <= 0:
            given = " ".join(f"dilation{axis}: {n}" for axis, n in zip("THW"[-self.dims :], self.dilation, strict=True))
            raise RuntimeError(f"dilation should be greater than zero, but got {given}")
        for pad, kernel, step in zip(self.padding, self.kernel, self.dilation, strict=True):
            if pad < 0:
                raise RuntimeError(f"pad must be non-negative, but got pad: {pad}")
            if pad > ((kernel - 1) * step + 1) // 2:
                raise RuntimeError(
                    f"pad should be at most half of effective kernel size, but got pad={pad}, kernel_size={kernel} "
                    f"and dilation={step}"
                )

    def _check_row(self, shape: Sizes) -> None:
        """Raises RuntimeError: the same of ``max_pool1d``, which PyTorch words in its own way."""
        if len(shape) not in (2, 3) or not all(shape[-2:]):
            raise RuntimeError(
                "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, "
                f"but got:{list(shape)}"
            )
        (kernel,), (stride,), (pad,), (step,) = self.kernel, self.stride, self.padding, self.dilation
        for name, value in (("kernel_size", kernel), ("stride", stride)):
            if value <= 0:
                raise RuntimeError(f"max_pool1d() {name} must be greater than zero, but got {value}")
        if pad < 0:
            raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {pad}")
        if pad > kernel // 2:
            raise RuntimeError(
                f"max_pool1d() padding should be at most half of kernel size, but got padding={pad} and kernel_size={kernel}"
            )
        if step <= 0:
            raise RuntimeError(f"max_pool1d() dilation must be greater than zero, but got {step}")

    def margins(self) -> list[tuple[int, int]]:
        """Padding left and right, so that every window lies inside."""
        margins = []
        for n, k, s, p, d, o in zip(
            self.spatial, self.kernel, self.stride, self.padding, self.dilation, self.out, strict=True
        ):
            reach = (o - 1) * s + (k - 1) * d + 1
            margins.append((p, max(reach - n - p, 0)))
        return margins


def windows_that_fit(size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> int:
    """How many windows; in ceil mode the last must still begin inside the input or its left padding."""
    room = size + 2 * padding - dilation * (kernel - 1) - 1 + (stride - 1 if ceil_mode else 0)
    count = room // stride + 1
    return count - 1 if ceil_mode and (count - 1) * stride >= size + padding else count


def saved_sizes(
    dims: int, function: str, kernel_size: Any, stride: Any, padding: Any, dilation: Any
) -> tuple[Any, ...]:
    """Arguments as PyTorch's node shows them: tuples, and an empty stride where none was given."""
    return (
        pool_sizes(kernel_size, dims, function, "kernel_size"),
        pool_sizes(stride, dims, function, "stride") if is_given(stride) else (),
        pool_sizes(padding, dims, function, "padding"),
        pool_sizes(dilation, dims, function, "dilation"),
    )


def pooled_shapes(dims: int, out: str = "") -> str:
    """``(N, C, H, W) → (N, C, H', W')``, for so many spatial dimensions."""
    spatial = {1: ("L",), 2: ("H", "W"), 3: ("D", "H", "W")}[dims]
    after = out or ", ".join(f"{letter}'" for letter in spatial)
    return f"(N, C, {', '.join(spatial)}) → (N, C, {after})"
