"""Fourier transforms: ``torch.fft``, ``stft``, ``istft``, and the windows that go with them."""

from engine.ops.fourier import frequencies, older_windows, short_time, transforms, windows
