"""What a parametrized tensor is computed from: the original, and the modules in the order that they are applied."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from engine.autograd.modes import no_grad
from engine.nn.containers import ModuleList
from engine.tensor import Parameter, Tensor


class ParametrizationList(ModuleList):
    """The original tensor (``original``, or ``original0`` …) and the modules that compute from it.

    Raises:
        ValueError: no modules, or what they compute, forwards or backwards, is no tensor, or one of another dtype or shape.
    """

    original: Tensor

    def __init__(self, modules: list[Any], original: Tensor, unsafe: bool = False) -> None:
        if not modules:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype  # before the original becomes what the modules start from
        value: Any = original
        with no_grad():
            for module in reversed(list(self)):
                with suppress(NotImplementedError):  # then it counts as doing nothing
                    value = module.right_inverse(value) if hasattr(module, "right_inverse") else value
        if not isinstance(value, Tensor | Sequence):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(value).__name__}"
            )
        self.is_tensor = isinstance(value, Tensor)
        self.ntensors = 1 if self.is_tensor else len(value)
        if isinstance(value, Tensor):
            self._keep_one(value, original)
        else:
            self._keep_several(value, original)
        if not unsafe:
            self._check(shape, dtype)

    def _keep_one(self, value: Tensor, original: Tensor) -> None:
        """The very object that the module had stays: an optimizer may hold it already."""
        if value.dtype != original.dtype:
            raise ValueError(
                "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                f"original.dtype: {original.dtype}\n"
                f"right_inverse(original).dtype: {value.dtype}"
            )
        with no_grad():
            original.set_(value)
        self._register("original", original)

    def _keep_several(self, parts: Sequence[Any], original: Tensor) -> None:
        for index, part in enumerate(parts):
            if not isinstance(part, Tensor):
                raise ValueError(
                    "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                    f"Got element {index} of the sequence with type {type(part).__name__}."
                )
            kept = Parameter(part, original.requires_grad) if isinstance(original, Parameter) else part
            self._register(f"original{index}", kept.requires_grad_(original.requires_grad))

    def _register(self, name: str, value: Tensor) -> None:
        if isinstance(value, Parameter):
            self.register_parameter(name, value)
        else:
            self.register_buffer(name, value)

    def _check(self, shape: Any, dtype: Any) -> None:
        """Raises ValueError: what is computed has not the shape and dtype that the tensor had."""
        value = self()
        if not isinstance(value, Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {type(value).__name__}.")
        for what, before, now in (("dtype", dtype, value.dtype), ("shape", shape, value.shape)):
            if now != before:
                raise ValueError(
                    f"Registering a parametrization may not change the {what} of the tensor, unless `unsafe` flag is "
                    f"enabled.\nunparametrized {what}: {before}\nparametrized {what}: {now}"
                )

    def right_inverse(self, value: Tensor) -> None:
        """Assigns: runs the modules backwards, and stores what they need.

        Raises:
            RuntimeError: a module that cannot be run backwards.
            ValueError: one that gives other than the originals: no tensors, fewer or more, or of another dtype.
        """
        with no_grad():
            held: Any = value
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                held = module.right_inverse(held)
            if self.is_tensor:
                self._assign_one(held)
            else:
                self._assign_several(held)

    def _assign_one(self, value: Any) -> None:
        if not isinstance(value, Tensor):
            raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
        if value.dtype != self.original.dtype:
            raise ValueError(
                f"The tensor returned by `right_inverse` has dtype {value.dtype} while `original` has dtype "
                f"{self.original.dtype}"
            )
        self.original.set_(value)

    def _assign_several(self, values: Any) -> None:
        if not isinstance(values, Sequence):
            raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(values).__name__}.")
        if len(values) != self.ntensors:
            raise ValueError(
                f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. Got a sequence of length "
                f"{len(values)}."
            )
        for index, value in enumerate(values):
            if not isinstance(value, Tensor):
                raise ValueError(
                    "'right_inverse' must return a sequence of tensors or reference-type opaques. "
                    f"Got element {index} of type {type(value).__name__}."
                )
            kept = getattr(self, f"original{index}")
            if value.dtype != kept.dtype:
                raise ValueError(
                    f"Tensor {index} returned by `right_inverse` has dtype {value.dtype} while `original{index}` has dtype "
                    f"{kept.dtype}"
                )
            kept.set_(value)

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
