"""What an optimizer is saved as, and how that is taken back: state and settings, with numbers for parameters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from engine.optim.groups import Group
from engine.tensor import Tensor


def packed(state: dict[Any, Any], groups: list[Group]) -> dict[str, Any]:
    """``{"state": …, "param_groups": …}`` with parameters replaced by their numbers, counted over all groups."""
    numbers: dict[int, int] = {}
    settings = []
    for group in groups:
        for param in group["params"]:
            numbers.setdefault(id(param), len(numbers))
        kept = {key: value for key, value in group.items() if key != "params"}
        kept["params"] = [numbers[id(param)] for param in group["params"]]
        settings.append(kept)
    numbered = {numbers[id(key)] if isinstance(key, Tensor) else key: value for key, value in state.items()}
    return {"state": numbered, "param_groups": settings}


def unpacked(state_dict: dict[str, Any], groups: list[Group]) -> tuple[defaultdict[Any, Any], list[Group]]:
    """State and settings out of what `packed` made, with the parameters of ``groups`` in place of their numbers.

    Raises:
        ValueError: other numbers of groups or of parameters.
    """
    saved = [dict(group) for group in state_dict["param_groups"]]
    if len(saved) != len(groups):
        raise ValueError("loaded state dict has a different number of parameter groups")
    if any(len(old["params"]) != len(group["params"]) for old, group in zip(saved, groups, strict=True)):
        raise ValueError(
            "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
        )
    params: dict[Any, Tensor] = {}
    for old, group in zip(saved, groups, strict=True):
        params.update(zip(old["params"], group["params"], strict=True))
        old["params"] = group["params"]
    state: defaultdict[Any, Any] = defaultdict(dict)
    for key, value in state_dict["state"].items():
        if key in params:
            state[params[key]] = converted(params[key], value, "")
        else:
            state[key] = value
    return state, saved


def converted(param: Tensor, value: Any, key: str) -> Any:
    """Loaded state in the parameter's dtype; the step count stays as it is."""
    if isinstance(value, Tensor):
        if key == "step":
            return value
        return value.to(param.dtype) if param.dtype.is_floating_point else value
    if isinstance(value, dict):
        return {name: converted(param, held, name) for name, held in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return type(value)(converted(param, held, key) for held in value)  # type: ignore[call-arg]  # list, tuple
    return value
