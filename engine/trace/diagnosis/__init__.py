"""Diagnosis: why a tensor has no gradient, no grad_fn, this value or NaN, why an error came, and what to change.

`diagnose` reads a finished trace and fills in ``trace.reasons``; what should be said unasked also becomes the warning
of the step where it happens, and an error's advice names the guilty lines.
"""

from engine.trace.diagnosis.diagnose import diagnose

__all__ = ["diagnose"]
