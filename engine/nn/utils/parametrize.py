"""Parametrizations: a parameter that is computed from another one each time it is read."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from engine.autograd.modes import no_grad
from engine.nn.containers import ModuleDict, ModuleList
from engine.nn.module import Module
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


class ParametrizationList(ModuleList):
    """The original tensor (``original``, or ``original0`` …) and the modules that compute from it.

    Raises:
        ValueError: no modules.
    """

    original: Tensor

    def __init__(self, modules: list[Any], original: Tensor, unsafe: bool = False) -> None:
        if not modules:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        value: Any = original
        with no_grad(), suppress(NotImplementedError):  # then the original stays as it is, as in PyTorch
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    value = module.right_inverse(value)
        self.is_tensor = isinstance(value, Tensor)
        self.ntensors = 1 if self.is_tensor else len(value)
        if self.is_tensor:
            self._keep("original", value, original)
        else:
            for index, part in enumerate(value):
                self._keep(f"original{index}", part, original)

    def _keep(self, name: str, value: Tensor, model: Tensor) -> None:
        if isinstance(model, Parameter):
            kept = model if value is model else Parameter(value, model.requires_grad)
            self.register_parameter(name, kept)
        else:
            self.register_buffer(name, value)

    def right_inverse(self, value: Tensor) -> None:
        """Assigns: runs the modules backwards, and stores what they need.

        Raises:
            RuntimeError: a module that cannot be run backwards.
        """
        with no_grad():
            held: Any = value
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                held = module.right_inverse(held)
            if self.is_tensor:
                self.original.copy_(held)
            else:
                for index, part in enumerate(held):
                    getattr(self, f"original{index}").copy_(part)

    def forward(self) -> Any:
        """The computed tensor."""
        modules = iter(self)
        if self.is_tensor:
            value = next(modules)(self.original)
        else:
            value = next(modules)(*(getattr(self, f"original{index}") for index in range(self.ntensors)))
        for module in modules:
            value = module(value)
        return value


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
        if not unsafe:
            check_result(parametrization(getattr(module, tensor_name)), getattr(module, tensor_name), parametrization)
        module.parametrizations[tensor_name].append(parametrization)
        return module
    if tensor_name not in module._parameters and tensor_name not in module._buffers:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    original = getattr(module, tensor_name)
    held = ParametrizationList([parametrization], original, unsafe=unsafe)
    if not unsafe:
        with no_grad():
            check_result(held(), original, parametrization)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        parametrized_class(module)
        module.parametrizations = ModuleDict()
    add_property(module, tensor_name)
    module.parametrizations[tensor_name] = held
    return module


def check_result(result: Any, original: Tensor, parametrization: Any) -> None:
    """Raises ValueError: a result of another shape or dtype."""
    if not isinstance(result, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(result).__name__}.")
    for what, got, wanted in (("dtype", result.dtype, original.dtype), ("shape", result.shape, original.shape)):
        if got != wanted:
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless `unsafe` flag is "
                f"enabled.\n{type(parametrization).__name__}: {wanted} became {got}"
            )


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
    value = held.original if held.is_tensor else None
    if leave_parametrized:
        with no_grad():
            computed = getattr(module, tensor_name)
        if held.is_tensor and isinstance(value, Parameter):
            value.data = computed.detach()
        else:
            value = Parameter(computed.detach())
    elif value is None:
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
