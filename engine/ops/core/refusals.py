"""What functions of ``torch.nn.functional`` say to a list, an array or None where a tensor must stand.

They are compositions, which would meet the wrong thing somewhere inside, or not at all: an array calculates like a tensor and
takes its gradient nowhere. PyTorch's words depend on who looks first: its argument parser names function, argument and position;
a function that is Python there stumbles over the first attribute it asks for.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from types import FunctionType
from typing import Any

from engine.ops.core.catalogue import TABLES, publish
from engine.ops.core.misuse import kind_of
from engine.ops.core.operator import Operator
from engine.ops.core.parameters import MISSING, parameters_of, standing_for
from engine.tensor import Tensor

PARSED_AS = {
    "cross_entropy": "cross_entropy_loss",
    "fold": "col2im",
    "grid_sample": "grid_sampler",
    "gumbel_softmax": "empty_like",
    "logsigmoid": "log_sigmoid",
    "multilabel_soft_margin_loss": "log_sigmoid",
    "nll_loss": "nll_loss_nd",
    "unfold": "im2col",
}
"""Functions whose arguments PyTorch parses under another name."""

NAMED = {"logsigmoid": "log_sigmoid"}
"""Functions whose ``__name__`` is another than the one that people write."""

PARSED_AT = {
    "embedding": {"input": ("indices", 2), "weight": ("weight", 1)},
    "gumbel_softmax": {"logits": ("input", 1)},
}
"""Arguments that PyTorch parses under another name or at another position."""

ASKED_FOR = {
    "adaptive_avg_pool2d": "size", "adaptive_avg_pool3d": "size", "adaptive_max_pool2d": "size", "adaptive_max_pool3d": "size",
    "affine_grid": "is_floating_point", "batch_norm": "size", "binary_cross_entropy": "size",
    "binary_cross_entropy_with_logits": "size", "dropout1d": "dim", "dropout2d": "dim", "dropout3d": "dim",
    "embedding_bag": "dim", "fractional_max_pool2d": "dim",
    "fractional_max_pool3d": "dim", "gaussian_nll_loss": "size", "glu": "dim", "group_norm": "dim", "huber_loss": "size",
    "instance_norm": "size", "interpolate": "dim", "l1_loss": "size", "local_response_norm": "dim", "log_softmax": "log_softmax",
    "lp_pool2d": "pow", "margin_ranking_loss": "dim", "max_unpool2d": "size", "max_unpool3d": "size", "mse_loss": "size",
    "normalize": "norm", "smooth_l1_loss": "size", "softmax": "softmax", "softsign": "abs", "tanhshrink": "tanh",
    "upsample": "dim", "upsample_bilinear": "dim", "upsample_nearest": "dim",
}  # fmt: skip
"""The attribute that PyTorch's function, written in Python, asks its arguments for before anything else."""
CHOOSING_A_DIMENSION = frozenset({"softmax", "softmin", "log_softmax"})
"""Functions that ask for ``dim()`` first where they are not told along which dimension."""


def declare_refusals() -> None:
    """Makes the functions of ``torch.nn.functional`` refuse what is no tensor; called once all are declared."""
    for name, function in list(TABLES["functional"].items()):
        if isinstance(function, FunctionType) and (leading := leading_tensors(function)):
            publish("functional", name, refusing(name, function, leading))
        elif isinstance(function, Operator) and name in ASKED_FOR:
            publish("functional", name, refusing(name, as_function(function), function.signature.names[:1]))


def as_function(operator: Operator) -> Callable[..., Any]:
    """The operator as the function that it is in ``torch.nn.functional``."""

    @standing_for(operator.definition)
    def call(*args: Any, **kwargs: Any) -> Any:
        return operator(*args, **kwargs)

    return call


def leading_tensors(function: Callable[..., Any]) -> tuple[str, ...]:
    """The first parameters, as long as they must be tensors."""
    parameters = parameters_of(function)
    return tuple(itertools.takewhile(lambda name: parameters.annotations.get(name) == "Tensor", parameters.names))


def refusing(name: str, function: Callable[..., Any], leading: tuple[str, ...]) -> Callable[..., Any]:
    """The function, which refuses a call in which one of its ``leading`` arguments is no tensor."""
    count = len(leading)

    @standing_for(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        for value in args[:count]:
            if not isinstance(value, Tensor):
                return refuse(name, function, leading, args, kwargs)
        if kwargs and any(p in kwargs and not isinstance(kwargs[p], Tensor) for p in leading):
            return refuse(name, function, leading, args, kwargs)
        return function(*args, **kwargs)

    call.__name__ = NAMED.get(name, call.__name__)
    return call


def refuse(
    name: str, function: Callable[..., Any], leading: tuple[str, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Raises PyTorch's TypeError or AttributeError about the first argument that should have been a tensor.

    Python itself speaks first, of a function that is Python in PyTorch too, if there are too few arguments or too many.
    """
    from engine.ops.core.argument_parser import complaint  # here, since importing torch should be quick

    told = complaint("functional", name, args, kwargs)
    if told is not None:
        raise TypeError(told)
    parameters = parameters_of(function)
    if len(args) > parameters.positional or any(
        default is MISSING and place >= len(args) and parameter not in kwargs
        for place, (parameter, default) in enumerate(zip(parameters.names, parameters.defaults, strict=True))
    ):
        return function(*args, **kwargs)
    raise refusal(name, leading, args, kwargs)


def refusal(
    name: str, leading: tuple[str, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> TypeError | AttributeError:
    """What a function that is Python in PyTorch comes to when it meets its first argument that should have been a tensor."""
    given = {**dict(zip(leading, args, strict=False)), **{p: kwargs[p] for p in leading if p in kwargs}}
    position, parameter = next((i, p) for i, p in enumerate(leading) if not isinstance(given.get(p), Tensor))
    value = given[parameter]
    if name in CHOOSING_A_DIMENSION and len(args) < 2 and kwargs.get("dim") is None:
        return without_attribute(value, "dim")
    if name in ASKED_FOR:
        return without_attribute(value, ASKED_FOR[name])
    spelled, number = PARSED_AT.get(name, {}).get(parameter, (parameter, position + 1))
    spelled = "input" if spelled == "self" else spelled
    words = f"{PARSED_AS.get(name, name)}(): argument '{spelled}' (position {number}) must be Tensor"
    return TypeError(f"{words}, not {kind_of(value)}")


def without_attribute(value: Any, attribute: str) -> TypeError | AttributeError:
    """What Python says when ``value.attribute(…)`` is called."""
    if hasattr(value, attribute):  # an array has a size, a number
        return TypeError(f"'{type(getattr(value, attribute)).__name__}' object is not callable")
    return AttributeError(f"'{kind_of(value)}' object has no attribute '{attribute}'")
