"""``torch._C._nn``: what PyTorch's tests of warnings reach for."""

from engine.ops.core.catalogue import TABLES as _TABLES

_test_warn_in_autograd = _TABLES["internal"]["_test_warn_in_autograd"]
