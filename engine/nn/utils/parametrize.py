"""Parametrizations: a parameter that is computed from another one each time it is read."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from engine.autograd.modes import no_grad
from engine.nn.containers import ModuleDict
from engine.nn.module import Module
from engine.nn.utils.parametrization_list import ParametrizationList
from engine.tensor import Parameter, Tensor


class Cache:
    """Values computed inside `cached`."""

    def __init__(self) -> None:
        self.depth = 0
        self.values: dict[tuple[int, str], Any] = {}


cache = Cache()


@contextmanager
def cached() -> Iterator[None]:
    """Inside, every parametrized tensor is computed once."""
    cache.depth += 1
    try:
        yield
    finally:
        cache.depth -= 1
        if not cache.depth:
            cache.values = {}


def parametrized_class(module: Module) -> None:
    """Gives this one module a class of its own, to which properties can be added."""
    kind = module.__class__

    def deep_copy(self: Any, memo: dict[int, Any]) -> Any:
        twin = memo.get(id(self))
        if twin is None:
            twin = self.__new__(self.__class__)
            memo[id(self)] = twin
            twin.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return twin

    def refuse_pickling(self: Any) -> Any:
        raise RuntimeError(
            "Serialization of parametrized modules is only supported through state_dict(): the class of this one is made while "
            "the program runs, so nothing could find it again."
        )

    members = {"__deepcopy__": deep_copy, "__getstate__": refuse_pickling, "__module__": "torch.nn.utils.parametrize"}
    module.__class__ = type(f"Parametrized{kind.__name__}", (kind,), members)


def add_property(module: Module, name: str) -> None:
    """Reading the attribute computes it, assigning runs the parametrization backwards."""

    def read(self: Any) -> Any:
        if cache.depth:
            key = (id(self), name)
            if key not in cache.values:
                cache.values[key] = self.parametrizations[name]()
            return cache.values[key]
        return self.parametrizations[name]()

    def write(self: Any, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(module.__class__, name, property(read, write))


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Makes ``module.<tensor_name>`` the output of ``parametrization`` applied to the original tensor.

    Raises:
        ValueError: there is no such parameter or buffer, or the result has another shape or dtype.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        held = module.parametrizations[tensor_name]
        if not unsafe:
            check_another(parametrization, module, tensor_name)
        held.append(parametrization)
        held.unsafe |= unsafe
        return module
    if tensor_name not in module._parameters and tensor_name not in module._buffers:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    held = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        parametrized_class(module)
        module.parametrizations = ModuleDict()
    add_property(module, tensor_name)
    module.parametrizations[tensor_name] = held
    return module


def check_another(parametrization: Module, module: Module, name: str) -> None:
    """Raises ValueError: one more parametrization that gives, forwards or backwards, another dtype or shape than it is given."""
    given = getattr(module, name)
    result: Any = parametrization(given)
    if not isinstance(result, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(result).__name__}.")
    for what, before, now in described(given, result):
        if now != before:
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless the `unsafe` flag is enabled.\n"
                f"module.{name}.{what}: {before}\n"
                f"parametrization(module.{name}).{what}: {now}"
            )
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        back: Any = parametrization.right_inverse(result)
    except NotImplementedError:
        return
    if not isinstance(back, Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}")
    for what, before, now in described(given, back):
        if now != before:
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {what} as module.{name}, unless the "
                f"`unsafe` flag is enabled.\nmodule.{name}.{what}: {before}\nreturned {what}: {now}"
            )


def described(before: Tensor, after: Tensor) -> tuple[tuple[str, Any, Any], ...]:
    """(what, before, after) of what a parametrization has to keep."""
    return ("dtype", before.dtype, after.dtype), ("shape", before.shape, after.shape)


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Parametrizes ``to_module`` like ``from_module`` (one tensor or all), sharing modules and originals; returns ``to_module``."""
    if not is_parametrized(from_module):
        return to_module
    for name in [*from_module.parametrizations] if tensor_name is None else [tensor_name]:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        given = from_module.parametrizations[name]
        for parametrization in given:
            register_parametrization(to_module, name, parametrization)
        taken = to_module.parametrizations[name]
        for original in ("original",) if given.is_tensor else [f"original{index}" for index in range(given.ntensors)]:
            setattr(taken, original, getattr(given, original))
    return to_module


def is_parametrized(module: Any, tensor_name: str | None = None) -> bool:
    """Whether the module (or that tensor of it) is parametrized."""
    held = module._modules.get("parametrizations")
    if not isinstance(held, ModuleDict):
        return False
    return len(held) > 0 if tensor_name is None else tensor_name in held


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Puts a plain tensor back: the computed one, or the original.

    Raises:
        ValueError: it is not parametrized.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    held = module.parametrizations[tensor_name]
    if leave_parametrized:
        with no_grad():
            computed = getattr(module, tensor_name).detach()
            value = held.original.set_(computed) if held.is_tensor else None
        if value is None:
            value = Parameter(computed) if held.original0.requires_grad else computed
    elif held.is_tensor:
        value = held.original
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    delattr(module.__class__, tensor_name)
    del module.parametrizations[tensor_name]
    if isinstance(value, Parameter):
        module.register_parameter(tensor_name, value)
    else:
        module.register_buffer(tensor_name, value)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = module.__class__.__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """The module's class without parametrizations."""
    return module.__class__.__bases__[0] if is_parametrized(module) else type(module)
