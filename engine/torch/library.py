"""``torch.library``: operators of a program's own."""

from __future__ import annotations

from engine.torch.missing import module_getattr
from engine.transforms.custom_operators import (
    CustomOpDef,
    custom_op,
    register_autograd,
    register_fake,
    register_kernel,
)
from engine.transforms.custom_schema import infer_schema

__all__ = ["CustomOpDef", "custom_op", "infer_schema", "register_autograd", "register_fake", "register_kernel"]

__getattr__ = module_getattr("torch.library", globals())
