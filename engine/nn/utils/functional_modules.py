"""Modules whose parameters are arguments: what ``functorch`` offered before ``functional_call``."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Self

from engine.nn.module import Module
from engine.nn.utils.stateless import functional_call, stack_module_state

Tensors = tuple[Any, ...]


class FunctionalModuleWithBuffers(Module):
    """A module that is called with its parameters and buffers in front of its inputs."""

    def __init__(self, model: Module) -> None:
        super().__init__()
        self.stateless_model = copy.deepcopy(model)
        self.param_names = tuple(name for name, _ in model.named_parameters(remove_duplicate=False))
        self.buffer_names = tuple(name for name, _ in model.named_buffers(remove_duplicate=False))

    @classmethod
    def made_from(cls, model: Module, disable_autograd_tracking: bool = False) -> tuple[Self, Tensors, Tensors]:
        """The functional module, and copies of the model's parameters and buffers; tied ones are given once per name."""
        held = copy.deepcopy(model)
        if disable_autograd_tracking:
            held.requires_grad_(False)
        parameters = tuple(each for _, each in held.named_parameters(remove_duplicate=False))
        buffers = tuple(each for _, each in held.named_buffers(remove_duplicate=False))
        return cls(held), parameters, buffers

    def forward(  # type: ignore[override]  # as PyTorch has it: what comes first has a name
        self, params: Sequence[Any], buffers: Sequence[Any], *args: Any, **kwargs: Any
    ) -> Any:
        """The model's result with these parameters and buffers."""
        values = dict(zip((*self.param_names, *self.buffer_names), (*params, *buffers), strict=True))
        return functional_call(self.stateless_model, values, args, kwargs, tie_weights=False)


class FunctionalModule(FunctionalModuleWithBuffers):
    """The same of a model without buffers."""

    def forward(self, params: Sequence[Any], *args: Any, **kwargs: Any) -> Any:  # type: ignore[override]  # likewise
        """The model's result with these parameters."""
        return super().forward(params, (), *args, **kwargs)


def make_functional(model: Module, disable_autograd_tracking: bool = False) -> tuple[FunctionalModule, Tensors]:
    """``functorch.make_functional``: a function of parameters and inputs, and the parameters to begin with.

    Raises:
        RuntimeError: the model has buffers.
    """
    if any(True for _ in model.buffers()):
        raise RuntimeError(
            "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead."
        )
    function, parameters, _ = FunctionalModule.made_from(model, disable_autograd_tracking)
    return function, parameters


def make_functional_with_buffers(
    model: Module, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModuleWithBuffers, Tensors, Tensors]:
    """``functorch.make_functional_with_buffers``: a function of parameters, buffers and inputs, with both to begin with."""
    return FunctionalModuleWithBuffers.made_from(model, disable_autograd_tracking)


def combine_state_for_ensemble(
    models: Sequence[Module],
) -> tuple[FunctionalModuleWithBuffers, Tensors, Tensors]:
    """``functorch.combine_state_for_ensemble``: equal models as one, for ``vmap`` over their stacked state.

    Raises:
        RuntimeError: there is no model, or they differ in class or training mode.
    """
    try:
        parameters, buffers = stack_module_state(models)
    except RuntimeError as error:
        raise RuntimeError(str(error).replace("stack_module_state", "combine_state_for_ensemble")) from None
    stacked = tuple(parameter.detach() for parameter in parameters.values())
    return FunctionalModuleWithBuffers(models[0]), stacked, tuple(buffers.values())
