"""How a module's parameters change when it is converted: ``torch.__future__``'s two switches.

By default ``parameter.data`` is replaced, so that who holds the parameter sees the change.
"""

from __future__ import annotations

from engine.ops.tensors.swapping import swap_tensors
from engine.tensor import Parameter, Tensor


class Conversion:
    """What is on."""

    __slots__ = ("overwrites", "swaps")

    def __init__(self) -> None:
        self.overwrites = False
        """Whether modules get new parameters."""
        self.swaps = False
        """Whether parameters are swapped with new ones."""


conversion = Conversion()


def converted(parameter: Parameter, changed: Tensor, module: str, name: str) -> Parameter:
    """The parameter that a module has once ``changed`` is its value: itself, or a new one.

    Raises:
        RuntimeError: they cannot be swapped.
    """
    if changed is parameter:
        return parameter
    if conversion.swaps:
        swapped(parameter, Parameter(changed, parameter.requires_grad), f"_apply(): Couldn't swap {module}.{name}")
        return parameter
    if conversion.overwrites or changed.device is not parameter.device:
        return Parameter(changed, parameter.requires_grad)
    parameter.data = changed
    return parameter


def swapped(parameter: Parameter, other: Parameter, complaint: str) -> None:
    """The parameter takes the place of the other one.

    Raises:
        RuntimeError: the complaint, if they cannot be swapped.
    """
    gradient, parameter._grad = parameter._grad, None
    try:
        swap_tensors(parameter, other)
    except RuntimeError as error:
        raise RuntimeError(complaint) from error
    finally:
        parameter._grad = gradient


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Whether ``module.to(…)`` and its kin make new parameters."""
    conversion.overwrites = value


def get_overwrite_module_params_on_conversion() -> bool:
    """Whether ``module.to(…)`` and its kin make new parameters."""
    return conversion.overwrites


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Whether ``module.to(…)``, its kin and ``load_state_dict`` swap parameters with new ones."""
    conversion.swaps = value


def get_swap_module_params_on_conversion() -> bool:
    """Whether ``module.to(…)``, its kin and ``load_state_dict`` swap parameters with new ones."""
    return conversion.swaps
