"""``torch.return_types``: the classes of structured results, such as what ``torch.max(x, 0)`` gives."""

from __future__ import annotations

from typing import Any

from engine.ops.core.catalogue import operators
from engine.ops.core.results import TYPES, result_type
from engine.torch.missing import missing


def __getattr__(name: str) -> Any:
    """The class of the results of the operator ``name``: it is made with the first result, or now.

    What a call with ``out=`` gives has a class of its own, such as ``max_out``.
    """
    if name.endswith("_out"):
        return result_type(name, __getattr__(name.removesuffix("_out")).__match_args__)
    for operator in operators():
        if operator.name == name and operator.result_type is not None:
            return operator.result_type
    if name in TYPES:
        return TYPES[name]
    raise missing("torch.return_types", name, TYPES)
