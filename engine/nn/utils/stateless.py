"""Calling a module with other parameters than its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from engine.nn.module import Module
from engine.ops.core.catalogue import TABLES
from engine.tensor import Tensor


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Calls ``module`` as if its parameters and buffers of the given dotted names were the given tensors.

    Raises:
        ValueError: two dictionaries name the same tensor.
        RuntimeError: ``strict`` and the names are not exactly the module's.
    """
    if isinstance(parameter_and_buffer_dicts, Mapping):
        values = dict(parameter_and_buffer_dicts)
    else:
        if not isinstance(parameter_and_buffer_dicts, list | tuple):
            raise ValueError(
                "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
                f"{type(parameter_and_buffer_dicts)}"
            )
        values = {}
        for part in parameter_and_buffer_dicts:
            repeated = [name for name in part if name in values]
            if repeated:
                raise ValueError(
                    f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous"
                )
            values.update(part)
    if strict:
        check_names(module, values)
    arguments = () if args is None else args if isinstance(args, tuple) else (args,)
    if tie_weights:
        refuse_two_for_one(module, values)
    with replaced(module, values, tie_weights):
        return module(*arguments, **(kwargs or {}))


def stack_module_state(models: Sequence[Module]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters and buffers of equal models, stacked along a new first dimension: an ensemble for ``vmap``.

    Raises:
        RuntimeError: there is no model, or they differ in class or training mode.
    """
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if any(model.training != models[0].training for model in models):
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if any(type(model) is not type(models[0]) for model in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")

    def stacked(tables: list[dict[str, Any]]) -> dict[str, Any]:
        stack = TABLES["torch"]["stack"]
        made = {}
        for name, first in tables[0].items():
            whole = stack([table[name].detach() for table in tables])
            made[name] = whole._tracked(first.requires_grad)
        return made

    return (
        stacked([dict(model.named_parameters()) for model in models]),
        stacked([dict(model.named_buffers()) for model in models]),
    )


def check_names(module: Module, values: Mapping[str, Any]) -> None:
    """Raises RuntimeError: missing or unknown names."""
    names = {name for name, _ in module.named_parameters(remove_duplicate=False)}
    names |= {name for name, _ in module.named_buffers(remove_duplicate=False)}
    missing, unexpected = sorted(names - values.keys()), sorted(values.keys() - names)
    problems = []
    if unexpected:
        problems.append("Unexpected key(s): " + ", ".join(map(repr, unexpected)) + ".")
    if missing:
        problems.append("Missing key(s): " + ", ".join(map(repr, missing)) + ".")
    if problems:
        raise RuntimeError(f"Error(s) in reparametrizing for {type(module).__name__}:\n\t" + "\n\t".join(problems))


def refuse_two_for_one(module: Module, values: Mapping[str, Any]) -> None:
    """One tensor that goes by several names cannot become two.

    Raises:
        ValueError: names of one tensor are given different values.
        KeyError: only some of its names are given. (PyTorch stumbles over the next one.)
    """
    names: dict[int, list[str]] = {}
    for named in (module.named_parameters(remove_duplicate=False), module.named_buffers(remove_duplicate=False)):
        for name, tensor in named:
            names.setdefault(id(tensor), []).append(name)
    for tied in names.values():
        if sum(name in values for name in tied) > 1 and len({id(values[name]) for name in tied}) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(tied)}, which are tied. Consider using tie_weights=False"
            )


@contextmanager
def replaced(module: Module, values: dict[str, Any], tie_weights: bool) -> Iterator[None]:
    """The module with other tensors in its tables, until the end of the block; tied weights change together.

    Raises:
        AttributeError: a name below a module that is not there.
        TypeError: something else than a tensor.
    """
    for name, value in values.items():
        module.get_submodule(name.rpartition(".")[0])
        if not isinstance(value, Tensor):
            raise TypeError(f"{value} is not an instance of torch.Tensor")
    places: dict[str, tuple[dict[str, Any], str]] = {}
    held: dict[int, Any] = {}
    for path, owner in module.named_modules(remove_duplicate=False):
        for table in (owner._parameters, owner._buffers):
            for name, tensor in table.items():
                if tensor is not None:
                    places[f"{path}.{name}" if path else name] = (table, name)
    if tie_weights:
        for name, value in values.items():
            if name in places:
                table, short = places[name]
                held[id(table[short])] = value
    before: list[tuple[dict[str, Any], str, Tensor]] = []
    try:
        for name, (table, short) in places.items():
            own = table[short]
            value = values.get(name, held.get(id(own)) if tie_weights else None)
            if value is not None and value is not own:
                before.append((table, short, own))
                table[short] = value
        yield
    finally:
        for table, short, own in reversed(before):
            table[short] = own
