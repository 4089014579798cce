"""What a view remembers of the tensor it looks at.

Most views need to know their base only: strides and offset say which part they are. A view that takes numbers apart or puts them
together (``view_as_real``, ``view_as_complex``) is no window on its base; it, and what looks at it, remembers the steps that lead there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from engine.autograd.modes import state as modes
from engine.ops.core.geometry import address, strides_of
from engine.ops.core.tangents import link_tangents
from engine.storage import materialise, shared_counter
from engine.tensor import Tensor


class Step(NamedTuple):
    """One step from a base to its view: an operator, or (None) a window that begins so many bytes after the base."""

    operator: Any
    size: Sequence[int] = ()
    stride: Sequence[int] = ()
    start: int = 0
    arguments: Sequence[Any] = ()
    """What the operator got beside the tensor."""
    output: int = 0
    """Which of the operator's results it is, if there are several."""


def link_views(source: Tensor, views: list[Tensor], several: bool) -> None:
    """Notes whose storage the views share, and with what right they may be written to (``several``: one of a tuple).

    What looks at an inference tensor is one too, and no view: nothing keeps track of either.
    """
    if source._inference:
        for view in views:
            view._inference, view._counter = True, shared_counter(source)
        return
    base = source if source._base is None else source._base
    counter = shared_counter(base)
    if source._counter is not counter:
        source._counter = counter
    creation = "" if source._base is None else source._creation
    if modes.inference:
        creation = "inference"
    elif not modes.grad_enabled:
        creation = "no_grad"
    elif several and creation != "inference":
        creation = "multi_output"
    for view in views:
        view._base, view._counter, view._view_version = base, counter, counter.value
        if creation:
            view._creation = creation
        if source._special:
            link_special(source, view)


def link_special(source: Tensor, view: Tensor) -> None:
    """`link_views` for what looks at a tensor that is no plain window or has a tangent of its own."""
    view._special = True
    link_tangents(source, view)
    if source._view_steps:
        steps = source._view_steps
        view._view_steps = (*(steps if steps[-1].operator is not None else steps[:-1]), window_step(view))


def window_step(view: Tensor) -> Step:
    """The step that chooses what ``view`` shows of its base's memory."""
    start = address(materialise(view)) - address(materialise(view._base)) if view._base is not None else 0
    return Step(None, view._array.shape, strides_of(view), start)


def remember_call(operator: Any, arguments: Sequence[Any], views: list[Tensor]) -> None:
    """Notes the very call that made the views, for `_force_original_view_tracking`."""
    source = arguments[0]
    plain = () if source._base is None else (window_step(source),)
    for number, view in enumerate(views):
        step = Step(operator, arguments=arguments[1:], output=number)
        view._special, view._view_steps = True, (*(source._view_steps or plain), step)


def remembering(operator: Any) -> Any:
    """`link_views` for an operator whose views are no windows on their base."""

    def link(source: Tensor, views: list[Tensor], several: bool) -> None:
        link_views(source, views, several)
        plain = () if source._base is None else (window_step(source),)
        for view in views:
            view._special, view._view_steps = True, (*(source._view_steps or plain), Step(operator))

    return link
