"""Fourier transforms: ``torch.fft``, ``stft`` and ``istft``."""

from engine.ops.fourier import frequencies, short_time, transforms
