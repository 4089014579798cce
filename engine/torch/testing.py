"""``torch.testing``: comparing results."""

from __future__ import annotations

from engine.torch.missing import module_getattr as _module_getattr
from engine.transforms.testing.comparison import assert_allclose as assert_allclose
from engine.transforms.testing.comparison import assert_close as assert_close
from engine.transforms.testing.sample_tensors import make_tensor as make_tensor

__getattr__ = _module_getattr("torch.testing", globals())
