"""The parameters of what a call was to run: of the snippet's own function, by its source; of PyTorch's, by its signature."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from engine import nn, optim
from engine.nn import functional
from engine.optim import lr_scheduler
from engine.trace.diagnosis.errors.python_calls.failing import method
from engine.trace.diagnosis.flow import Function
from engine.trace.diagnosis.history import History
from engine.utils import data

UNSAID = frozenset(
    "self device dtype size_average reduce _stacklevel padding_mode output_padding foreach maximize capturable differentiable fused "
    "decoupled_weight_decay worker_init_fn multiprocessing_context prefetch_factor persistent_workers pin_memory_device "
    "pin_memory timeout in_order".split()
)
"""Parameters that hardly anybody means: of machines, of older versions, and what layers of one family hand on."""
OPEN = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(frozen=True)
class Signature:
    """What a function takes, in order, without ``self``."""

    needed: list[str]
    optional: list[str]
    written: Function | None = None
    """The snippet's own function."""
    by_place: int = 0
    """How many may be given by their place."""

    @property
    def names(self) -> list[str]:
        """All parameters."""
        return [*self.needed, *self.optional]


def signature_of(history: History, qualified: str, name: str) -> Signature | None:
    """The signature of ``Net.forward`` or ``cross_entropy`` as an error names it, and as ``name`` the source calls it.

    None where it takes any arguments, or nobody knows it.
    """
    owner, _, last = qualified.rpartition(".")
    own = method(history, owner, last) if owner else next(iter(history.flow.functions.get(last, ())), None)
    if own is not None:
        return from_source(own, is_method=bool(owner))
    return from_engine(owner, last, name)


def from_source(function: Function, *, is_method: bool) -> Signature | None:
    """The parameters of a function as the snippet writes it."""
    args = function.args
    if args.vararg is not None or args.kwarg is not None:
        return None
    places = [arg.arg for arg in (*args.posonlyargs, *args.args)]
    needed = places[: len(places) - len(args.defaults)]
    optional = places[len(needed) :]
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        (needed if default is None else optional).append(arg.arg)
    own = is_method and needed[:1] in (["self"], ["ctx"], ["cls"])
    return Signature(needed[own:], optional, function, len(places) - own)


def from_engine(owner: str, last: str, name: str) -> Signature | None:
    """The parameters of a layer, an optimizer or a function of PyTorch's."""
    if owner and last == "__init__":
        classes = (getattr(place, kind, None) for kind in (name, owner) for place in (nn, optim, lr_scheduler, data))
        parameters = next(filter(None, map(closed, classes)), [])
        if name != owner and parameters and parameters[0].name == "mode":  # what LSTM tells RNNBase itself
            parameters = parameters[1:]
    elif owner:
        parameters = closed(getattr(getattr(nn, owner, None) or getattr(optim, owner, None), last, None))
    else:
        parameters = closed(getattr(functional, last, None))
    parameters = [parameter for parameter in parameters if parameter.name not in UNSAID]
    if not parameters:
        return None
    needed = [parameter.name for parameter in parameters if parameter.default is parameter.empty]
    optional = [parameter.name for parameter in parameters if parameter.default is not parameter.empty]
    places = sum(parameter.kind is not parameter.KEYWORD_ONLY for parameter in parameters)
    return Signature(needed, optional, None, places)


def closed(called: object) -> list[inspect.Parameter]:
    """The parameters of what takes no others; none of what takes any, or is not written in Python."""
    try:
        parameters = list(inspect.signature(called).parameters.values()) if callable(called) else []
    except ValueError:
        return []
    return [] if any(parameter.kind in OPEN for parameter in parameters) else parameters
