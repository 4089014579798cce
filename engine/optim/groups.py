"""Parameter groups: parameters, and the settings of an algorithm that hold for them."""

from __future__ import annotations

import warnings
from typing import Any

from engine.nn.registry import typename
from engine.tensor import Tensor

Group = dict[str, Any]


class _Required:
    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()
"""Stands for a setting that every group has to give."""


def listed_groups(params: Any) -> list[Any]:
    """What an optimizer was given, as groups.

    Raises:
        TypeError: a single tensor.
        ValueError: nothing.
    """
    if isinstance(params, Tensor):
        raise TypeError(
            "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
            + typename(params)
        )
    groups = list(params)
    if not groups:
        raise ValueError("optimizer got an empty parameter list")
    return groups if isinstance(groups[0], dict) else [{"params": groups}]


def list_parameters(param_group: Group) -> list[Any]:
    """Makes a list of the group's ``params``, and one of their names (``param_names``) where they came as pairs.

    Raises:
        TypeError: the group is no dictionary, or its parameters are in no order.
        ValueError: some have names and some have none.
    """
    if not isinstance(param_group, dict):
        raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
    params = param_group["params"]
    if isinstance(params, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in "
            "sets will change between runs. Please use a list instead."
        )
    listed = [params] if isinstance(params, Tensor) else list(params)
    named = sum(isinstance(param, tuple) for param in listed)
    if named:
        if named != len(listed):
            raise ValueError("all optimizer params should be with/without names. Some param names are missing")
        param_group["param_names"] = [pair[0] for pair in listed]
        listed = [pair[1] for pair in listed]
    param_group["params"] = listed
    return listed


def require_optimizable(param: Any, defaults: Group) -> None:
    """Refuses what no step can move.

    Raises:
        TypeError: no tensor.
        ValueError: a computed one, unless the steps shall be derived.
    """
    if not isinstance(param, Tensor):
        raise TypeError("optimizer can only optimize Tensors, but one of the params is " + typename(param))
    if not defaults.get("differentiable") and not (param.is_leaf or param.retains_grad):
        raise ValueError("can't optimize a non-leaf Tensor")


def fill_in(param_group: Group, defaults: Group) -> None:
    """Gives a group the settings that it does not give itself.

    Raises:
        ValueError: it has to give one, and does not.
    """
    for name, default in defaults.items():
        if default is required and name not in param_group:
            raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
        param_group.setdefault(name, default)


def require_same_naming(param_group: Group, others: list[Group]) -> None:
    """Refuses a group with names beside groups without, and the other way round.

    Raises:
        ValueError: it is such a one.
    """
    named = "param_names" in param_group
    if others and named != ("param_names" in others[0]):
        raise ValueError(
            "all optimizer param groups should be with/without names. "
            f"cannot add param group {'with' if named else 'without'} names to the optimizer"
        )


def forbid_sharing(listed: list[Tensor], others: list[Group]) -> None:
    """Warns of a parameter that stands twice in a group, and refuses one that another group has.

    Raises:
        ValueError: another has it.
    """
    if len({id(param) for param in listed}) != len(listed):
        warnings.warn(
            "optimizer contains a parameter group with duplicate parameters; in future, this will cause an "
            "error; see github.com/pytorch/pytorch/issues/40967 for more information",
            stacklevel=4,
        )
    taken = {id(param) for group in others for param in group["params"]}
    if any(id(param) in taken for param in listed):
        raise ValueError("some parameters appear in more than one parameter group")
