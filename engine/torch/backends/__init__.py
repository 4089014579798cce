"""``torch.backends``: libraries that may speed PyTorch up. None is here; their switches can be set and read back."""

from __future__ import annotations

from engine.torch.backends import cuda, cudnn, mkl, mkldnn, mps, openmp
from engine.torch.missing import module_getattr

__all__ = ["cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp"]

__getattr__ = module_getattr("torch.backends", globals())
