"""``torch.nn.functional``: assembled from the catalogue; operators and compositions are in `engine.ops`."""

from __future__ import annotations

from types import FunctionType as _FunctionType

from engine import ops as _ops  # noqa: F401 (declares)
from engine.ops.core.catalogue import TABLES as _TABLES
from engine.ops.core.catalogue import table as _table

for _function in _table("functional").values():
    if type(_function) is _FunctionType:
        _function.__module__ = "torch.nn.functional"
globals().update(_TABLES["functional"])


def __getattr__(name: str) -> object:
    """What was declared after this module was loaded.

    Raises:
        AttributeError: there is no such function.
    """
    try:
        return _TABLES["functional"][name]
    except KeyError:
        raise AttributeError(f"module 'torch.nn.functional' has no attribute '{name}'") from None
