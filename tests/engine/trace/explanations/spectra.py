"""Laws of Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.engine.trace.explanations.calls import Call
from tests.engine.trace.explanations.laws import LAWS, gives, near, where


def scale(call: Call) -> float:
    """What a transform's sums are multiplied by: 1, 1/√n or 1/n."""
    size = np.prod([np.shape(call.x if call.operator.name != "_fft_c2r" else call.result)[d] for d in call["dim"]])
    return float([1.0, 1 / np.sqrt(size), 1 / size][int(call["normalization"])])


def spectrum(call: Call) -> Any:
    return np.fft.fftn(call.x, axes=call["dim"]) * scale(call)


def half(call: Call) -> Any:
    """The part of the spectrum that a real signal needs."""
    last = call["dim"][-1]
    kept = np.take(spectrum(call), range(np.shape(call.x)[last] // 2 + 1), axis=last)
    return kept if call["onesided"] else spectrum(call)


def size_of(call: Call) -> Any:
    return [np.shape(call.result)[d] for d in call["dim"]]


def real_signal(call: Call) -> Any:
    dims, length = call["dim"], np.shape(call.result)[call["dim"][-1]]
    partly = np.fft.ifftn(call.x, axes=dims[:-1]) if len(dims) > 1 else call.x
    signal = np.fft.irfft(partly, length, axis=dims[-1])
    return signal * np.prod(size_of(call)) * scale(call)


def is_adjoint(call: Call) -> bool:
    """⟨g, A·x⟩ = ⟨Aᴴ·g, x⟩, in real numbers."""
    return near(np.real(np.vdot(call.g, call.result)), np.real(np.vdot(call.d, call.x)))


def transformed(call: Call) -> Any:
    if call["forward"]:
        return np.fft.fftn(call.x, axes=call["dim"]) * scale(call)
    size = np.prod([np.shape(call.x)[d] for d in call["dim"]])
    return np.fft.ifftn(call.x, axes=call["dim"]) * size * scale(call)


LAWS.update(
    {
        "How much of each frequency is in a real signal": gives(half),
        "half of the spectrum tells all, the rest mirrors it": where(
            lambda c: c["onesided"] and len(c["dim"]) == 1,
            lambda c: near(np.fft.irfft(c.result, np.shape(c.x)[c["dim"][0]], axis=c["dim"][0]) / scale(c), c.x),
        ),
        "The real signal that has this half spectrum": gives(real_signal),
        "How much of each frequency is in a signal (or back)": gives(transformed),
        "the gradient takes the way back": is_adjoint,
    }
)
