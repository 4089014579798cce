"""``torch.testing``: comparing results."""

from __future__ import annotations

from engine.torch.missing import module_getattr as _module_getattr
from engine.transforms.comparison import assert_allclose as assert_allclose
from engine.transforms.comparison import assert_close as assert_close

__getattr__ = _module_getattr("torch.testing", globals())
