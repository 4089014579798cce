"""Derivatives as PyTorch's own backward kernels compute and show them, beside the formulas that operators declare."""

from engine.ops.backward import kernels, rounded
