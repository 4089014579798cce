"""The short-time Fourier transform: the frequencies of a signal as they change, window after window."""

from __future__ import annotations

import warnings

from engine.ops.catalogue import TABLES
from engine.ops.declare import composite
from engine.ops.fourier.kernels import NONE, ROOT, WHOLE, fft_c2c, fft_c2r, fft_r2c
from engine.ops.linear_algebra.matrices import type_word
from engine.tensor import Tensor

NO_WINDOW = (
    "A window was not provided. A rectangular window will be applied,which is known to cause spectral leakage. "
    "Other windows such as "
    "torch.hann_window or torch.hamming_window are recommended to reduce spectral leakage.To suppress this "
    "warning and use a "
    "rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`."
)


def refuse(name: str, input: Tensor, words: str) -> RuntimeError:
    """A refusal that names the input."""
    return RuntimeError(f"{name}(torch.{type_word(input._array)}Tensor{list(input.shape)}) : {words}")


@composite()
def stft(
    self: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Tensor:
    """Frequencies (rows) over time (columns) of a signal: a Fourier transform of each window.

    Args:
        self: (length,) or (batch, length).
        n_fft: length of a transform.
        hop_length: from one window to the next, a quarter of ``n_fft`` by default.
        win_length: length of the window, padded to ``n_fft`` on both sides.
        window: by what the samples are multiplied.
        center: pad the signal so that windows are centred on their samples.

    Raises:
        RuntimeError: lengths that do not fit, or a signal that is none.
    """
    if center and align_to_window is not None:
        raise RuntimeError("stft only supports align_to_window for center = False.")
    if window is None:
        warnings.warn(NO_WINDOW, stacklevel=3)
    if center:
        ndim = self.ndim
        wide = self.view([1] * (3 - ndim) + list(self.shape))
        padded = TABLES["functional"]["pad"](wide, (n_fft // 2, n_fft // 2), pad_mode)
        self = padded.view(padded.shape[-ndim:])
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    if return_complex is None:
        return_complex = self.dtype.is_complex or (window is not None and window.dtype.is_complex)
        if not return_complex:
            raise RuntimeError(
                "stft requires the return_complex parameter be given for real inputs, and will further require that "
                "return_complex=True in a future PyTorch release."
            )
    check_stft(self, n_fft, hop, length, window)
    signal = self.unsqueeze(0) if self.ndim == 1 else self
    if not center and align_to_window:
        signal = TABLES["functional"]["pad"](signal, ((n_fft - length) // 2,) * 2)
    if window is not None and length < n_fft:
        left = (n_fft - length) // 2
        window = TABLES["functional"]["pad"](window, (left, n_fft - length - left))
    frames = 1 + (signal.shape[1] - n_fft) // hop
    step = signal.stride(1)
    windows = signal.as_strided((signal.shape[0], frames, n_fft), (signal.stride(0), hop * step, step))
    if window is not None:
        windows = windows * window
    half = not windows.dtype.is_complex if onesided is None else onesided
    scale = ROOT if normalized else NONE
    if windows.dtype.is_complex:
        if half:
            raise RuntimeError("Cannot have onesided output if window or input is complex")
        spectrum = fft_c2c(windows, (2,), scale, True)
    else:
        spectrum = fft_r2c(windows, (2,), scale, half)
    spectrum = spectrum.transpose_(1, 2)
    if self.ndim == 1:
        spectrum = spectrum.squeeze_(0)
    return spectrum if return_complex else spectrum.view_as_real()  # type: ignore[no-any-return]


def check_stft(input: Tensor, n_fft: int, hop: int, length: int, window: Tensor | None) -> None:
    """Raises:
    RuntimeError: lengths that do not fit, or a signal that is none.
    """
    array = input._array
    if array.dtype.kind not in "fcV":
        raise refuse("stft", input, "expected a tensor of floating point or complex values")
    if input.ndim not in (1, 2):
        raise refuse("stft", input, "expected a 1D or 2D tensor")
    samples = input.shape[-1]
    if not 0 < n_fft <= samples:
        raise refuse("stft", input, f"expected 0 < n_fft < {samples}, but got n_fft={n_fft}")
    if hop <= 0:
        raise refuse("stft", input, f"expected hop_length > 0, but got hop_length={hop}")
    if not 0 < length <= n_fft:
        raise refuse("stft", input, f"expected 0 < win_length <= n_fft, but got win_length={length}")
    if window is not None and tuple(window.shape) != (length,):
        raise refuse(
            "stft",
            input,
            f"expected a 1D window tensor of size equal to win_length={length}, but got window with size "
            f"{list(window.shape)}",
        )


@composite()
def istft(
    self: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    """The signal from its short-time transform: windows are transformed back, overlapped and added.

    Raises:
        RuntimeError: shapes and lengths that do not fit, or windows that leave gaps.
    """
    if not self.dtype.is_complex:
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
        )
    if window is None:
        warnings.warn(NO_WINDOW, stacklevel=3)
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    batched = self.ndim == 3
    if self.ndim not in (2, 3):
        raise refuse(
            "istft",
            self,
            f"expected a tensor with 2 or 3 dimensions (or with 3 or 4, viewed as real), but got {self.ndim}",
        )
    spectrum = self.view_as_real()
    spectrum = (spectrum if batched else spectrum.unsqueeze(0)).transpose(1, 2)
    half = not (window is not None and window.dtype.is_complex) if onesided is None else onesided
    bins = n_fft // 2 + 1 if half else n_fft
    if spectrum.shape[2] != bins:
        raise refuse(
            "istft",
            self,
            "expected the frequency dimension (3rd to the last) of the input tensor to match n_fft / 2 + 1 when "
            f"onesided=True, but got {spectrum.shape[2]}",
        )
    if not 0 < hop <= width or not 0 < width <= n_fft:
        raise refuse("istft", self, "expected 0 < hop_length <= win_length and 0 < win_length <= n_fft")
    ones = TABLES["torch"]["ones"]
    shape = ones(width, dtype=self.dtype.to_real()) if window is None else window
    if width != n_fft:
        left = (n_fft - width) // 2
        shape = TABLES["functional"]["pad"](shape, (left, n_fft - width - left))
    spectrum = spectrum.view_as_complex()
    scale = ROOT if normalized else WHOLE
    if return_complex:
        if half:
            spectrum = mirrored(spectrum, n_fft)
        frames = fft_c2c(spectrum, (2,), scale, False)
    else:
        if not half:
            spectrum = spectrum.narrow(-1, 0, n_fft // 2 + 1)
        frames = fft_c2r(spectrum, (2,), scale, n_fft)
    return overlapped(frames, shape, n_fft, hop, center, length, batched, self)


def mirrored(spectrum: Tensor, n_fft: int) -> Tensor:
    """A half spectrum with its mirror image."""
    rest = spectrum.narrow(2, 1, n_fft - spectrum.shape[2]).flip([2]).conj()
    return TABLES["torch"]["cat"]([spectrum, rest], 2)  # type: ignore[no-any-return]


def overlapped(
    frames: Tensor, window: Tensor, n_fft: int, hop: int, center: bool, length: int | None, batched: bool, given: Tensor
) -> Tensor:
    """Windowed frames added where they overlap, divided by what the windows add up to."""
    weighted = frames * window.view(1, 1, n_fft)
    count = frames.shape[1]
    samples = n_fft + hop * (count - 1)
    backward = TABLES["internal"]["unfold_backward"]
    signal = backward(weighted, (weighted.shape[0], samples), 1, n_fft, hop)
    power = window.pow(2).expand(1, count, n_fft)
    envelope = backward(power, (1, samples), 1, n_fft, hop)
    start = n_fft // 2 if center else 0
    if length is not None:
        end = min(start + length, samples) if center else min(length, samples)
        signal = signal[:, start:end]
        envelope = envelope[:, start:end]
    else:
        stop = -(n_fft // 2) if center else samples
        signal = signal[:, start:stop]
        envelope = envelope[:, start:stop]
    if not bool((envelope.abs() > 1e-11).all().item()):
        raise refuse("istft", given, "window overlap add min: 1")
    result = signal / envelope
    if not batched:
        result = result.squeeze(0)
    if length is not None and length > result.shape[-1]:
        warnings.warn(
            "The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail.",
            stacklevel=4,
        )
        result = TABLES["functional"]["pad"](result, (0, length - result.shape[-1]))
    return result  # type: ignore[no-any-return]
