"""The short-time Fourier transform: the frequencies of a signal as they change, window after window."""

from __future__ import annotations

import warnings
from typing import Any

from engine.dtype_names import scalar_type
from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite
from engine.ops.fourier.kernels import NONE, ROOT, WHOLE, fft_c2c, fft_c2r, fft_r2c
from engine.ops.pointwise.complex import real_pairs, view_as_complex
from engine.tensor import Tensor

NO_WINDOW = (
    "A window was not provided. A rectangular window will be applied,which is known to cause spectral leakage. Other "
    "windows such as torch.hann_window or torch.hamming_window are recommended to reduce spectral leakage.To suppress "
    "this warning and use a rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`."
)


class Call:
    """The arguments of a transform, as its error messages repeat them."""

    def __init__(self, name: str, signal: Tensor, window: Tensor | None, **settings: Any) -> None:
        self.name, self.signal, self.settings = name, signal, settings
        shown = "None" if window is None else f"torch.{scalar_type(window._array)}Tensor{{{list(window.shape)}}}"
        self.settings = {n: (shown if n == "window" else v) for n, v in {**settings, "window": None}.items()}

    def refused(self, words: str) -> RuntimeError:
        """The call spelled out, and what is wrong with it."""
        word = scalar_type(self.signal._array)
        kind = f"torch.{word}Tensor" if self.name == "stft" else f"CPU{word}Type"
        order = ["n_fft", "hop_length", "win_length", "window", *(n for n in self.settings if n not in FIRST)]
        shown = ", ".join(
            f"{n}={int(v) if isinstance(v, bool) else v}" for n, v in ((n, self.settings[n]) for n in order)
        )
        return RuntimeError(f"{self.name}({kind}{list(self.signal.shape)}, {shown}) {words}")


FIRST = ("n_fft", "hop_length", "win_length", "window")


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
        pad_mode: how (see ``functional.pad``).
        normalized: divide by √n_fft.
        onesided: leave out the frequencies that mirror others; by default for real signals.
        return_complex: if not, real and imaginary parts become a last dimension.
        align_to_window: start with the window's first sample (for ``center=False``).

    Raises:
        RuntimeError: lengths that do not fit, or a signal that is none.
    """
    if center and align_to_window is not None:
        raise RuntimeError("stft only supports align_to_window for center = False.")
    if window is None:
        warnings.warn(NO_WINDOW, stacklevel=3)
    if center:
        self = centred(self, n_fft, pad_mode)
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    if return_complex is None:
        return_complex = must_be_complex(self, window)
    call = Call(
        "stft", self, window, n_fft=n_fft, hop_length=hop, win_length=length, normalized=normalized, onesided=onesided,
        return_complex=return_complex, align_to_window=align_to_window,
    )  # fmt: skip
    check_stft(call, self, n_fft, hop, length, window)
    signal = self.unsqueeze(0) if self.ndim == 1 else self
    if not center and align_to_window:
        signal = TABLES["functional"]["pad"](signal, ((n_fft - length) // 2,) * 2)
    windows = windowed(signal, n_fft, hop, widened(window, length, n_fft))
    spectrum = spectrum_of(windows, ROOT if normalized else NONE, onesided).transpose_(1, 2)
    if self.ndim == 1:
        spectrum = spectrum.squeeze_(0)
    return spectrum if return_complex else real_pairs(spectrum)


def must_be_complex(signal: Tensor, window: Tensor | None) -> bool:
    """True: of a complex signal or window the spectrum is complex, whether that was asked for or not.

    Raises:
        RuntimeError: both are real, so that the caller has to say.
    """
    if signal.dtype.is_complex or (window is not None and window.dtype.is_complex):
        return True
    raise RuntimeError(
        "stft requires the return_complex parameter be given for real inputs, and will further require that "
        "return_complex=True in a future PyTorch release."
    )


def spectrum_of(windows: Tensor, scale: int, onesided: bool | None) -> Tensor:
    """The transform of each window, (batch, pieces, frequencies).

    Raises:
        RuntimeError: frequencies that mirror others are to be left out, and none do.
    """
    if not windows.dtype.is_complex:
        return fft_r2c(windows, (2,), scale, True if onesided is None else onesided)
    if onesided:
        raise RuntimeError("Cannot have onesided output if window or input is complex")
    return fft_c2c(windows, (2,), scale, True)


def centred(signal: Tensor, n_fft: int, mode: str) -> Tensor:
    """The signal padded by half a window on both sides."""
    ndim = signal.ndim
    wide = signal.view([1] * (3 - ndim) + list(signal.shape))
    padded = TABLES["functional"]["pad"](wide, (n_fft // 2, n_fft // 2), mode)
    return padded.view(padded.shape[-ndim:])


def widened(window: Tensor | None, length: int, n_fft: int) -> Tensor | None:
    """The window in the middle of ``n_fft`` zeros."""
    if window is None or length == n_fft:
        return window
    full = window.new_zeros(n_fft)
    full.narrow(0, (n_fft - length) // 2, length).copy_(window)
    return full


def windowed(signal: Tensor, n_fft: int, hop: int, window: Tensor | None) -> Tensor:
    """Overlapping pieces of the signal (a view, unless they are weighted): (batch, pieces, n_fft)."""
    pieces = 1 + (signal.shape[1] - n_fft) // hop
    step = signal.stride(1)
    view = signal.as_strided((signal.shape[0], pieces, n_fft), (signal.stride(0), hop * step, step))
    return view if window is None else view * window


def check_stft(call: Call, signal: Tensor, n_fft: int, hop: int, length: int, window: Tensor | None) -> None:
    """Raises RuntimeError: lengths that do not fit, or a signal that is none."""
    if signal._array.dtype.kind not in "fcV":
        raise call.refused(": expected a tensor of floating point or complex values")
    if signal.ndim not in (1, 2):
        raise call.refused(": expected a 1D or 2D tensor")
    samples = signal.shape[-1]
    if not 0 < n_fft <= samples:
        raise call.refused(f": expected 0 < n_fft < {samples}, but got n_fft={n_fft}")
    if hop <= 0:
        raise call.refused(f": expected hop_length > 0, but got hop_length={hop}")
    if not 0 < length <= n_fft:
        raise call.refused(f": expected 0 < win_length <= n_fft, but got win_length={length}")
    if window is not None and tuple(window.shape) != (length,):
        raise call.refused(
            f": expected a 1D window tensor of size equal to win_length={length}, but got window with size "
            f"{list(window.shape)}"
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
    half = not (window is not None and window.dtype.is_complex) if onesided is None else onesided
    call = Call(
        "istft", self, window, n_fft=n_fft, hop_length=hop, win_length=width, center=center, normalized=normalized,
        onesided=onesided, length=length, return_complex=return_complex,
    )  # fmt: skip
    check_istft(call, self, n_fft, hop, width, window, half)
    batched = self.ndim == 3
    spectrum = real_pairs(self)
    spectrum = view_as_complex((spectrum if batched else spectrum.unsqueeze(0)).transpose(1, 2))
    shape = TABLES["torch"]["ones"](width, dtype=self.dtype.to_real()) if window is None else window
    scale = ROOT if normalized else WHOLE
    if return_complex:
        frames = fft_c2c(mirrored(spectrum, n_fft) if half else spectrum, (2,), scale, False)
    else:
        frames = fft_c2r(spectrum if half else spectrum.narrow(-1, 0, n_fft // 2 + 1), (2,), scale, n_fft)
    weights = widened(shape, width, n_fft)
    assert weights is not None
    return overlapped(call, frames, weights, hop, center, length, batched)


def check_istft(
    call: Call, spectrum: Tensor, n_fft: int, hop: int, width: int, window: Tensor | None, half: bool
) -> None:
    """Raises RuntimeError: shapes and lengths that do not fit."""
    if not spectrum._array.size:
        raise call.refused(": input tensor cannot be empty.")
    if spectrum.ndim not in (2, 3):
        # PyTorch counts the dimension of real and imaginary parts too.
        raise call.refused(f": expected a tensor with 3 or 4 dimensions, but got {spectrum.ndim + 1}")
    bins = n_fft // 2 + 1 if half else n_fft
    if spectrum.shape[-2] != bins:
        what = "n_fft / 2 + 1 when onesided=True" if half else "n_fft when onesided=False"
        raise call.refused(
            ": expected the frequency dimension (3rd to the last) of the input tensor to match "
            f"{what}, but got {spectrum.shape[-2]}"
        )
    if not 0 < hop <= width:
        raise call.refused(": expected 0 < hop_length <= win_length")
    if not 0 < width <= n_fft:
        raise call.refused(": expected 0 < win_length <= n_fft")
    if window is not None and tuple(window.shape) != (width,):
        raise call.refused(": Invalid window shape. window has to be 1D and length of `win_length`")


def mirrored(spectrum: Tensor, n_fft: int) -> Tensor:
    """A half spectrum with its mirror image."""
    rest = spectrum.narrow(2, 1, n_fft - spectrum.shape[2]).flip([2]).conj()
    return TABLES["torch"]["cat"]([spectrum, rest], 2)


def overlapped(
    call: Call, frames: Tensor, window: Tensor, hop: int, center: bool, length: int | None, batched: bool
) -> Tensor:
    """Windowed frames added where they overlap, divided by what the windows add up to.

    Raises:
        RuntimeError: the windows leave gaps.
    """
    n_fft = window.shape[0]
    weighted = frames * window.view(1, 1, n_fft)
    count = frames.shape[1]
    samples = n_fft + hop * (count - 1)
    added = TABLES["internal"]["unfold_backward"]
    signal = added(weighted, (weighted.shape[0], samples), 1, n_fft, hop)
    envelope = added(window.pow(2).expand(1, count, n_fft), (1, samples), 1, n_fft, hop)
    start = n_fft // 2 if center else 0
    stop = min(start + length, samples) if length is not None else -(n_fft // 2) if center else samples
    signal, envelope = signal[:, start:stop], envelope[:, start:stop]
    if not bool((envelope.abs() > 1e-11).all().item()):
        raise call.refused("window overlap add min: 1")
    result = signal / envelope
    if not batched:
        result = result.squeeze(0)
    if length is not None and length > result.shape[-1]:
        warnings.warn(
            "The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail.",
            stacklevel=4,
        )
        result = TABLES["functional"]["pad"](result, (0, length - result.shape[-1]))
    return result
