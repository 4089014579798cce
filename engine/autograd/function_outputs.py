"""What ``forward`` of a custom Function returned becomes outputs of its node; what it asked to save becomes guarded entries."""

from __future__ import annotations

import warnings
from typing import Any

from engine.autograd.modes import no_grad, state
from engine.autograd.saved import save_input, save_result
from engine.observe import state as observing


def is_tensor(value: Any) -> bool:
    """Whether it is a tensor (whose class autograd must not import)."""
    return hasattr(type(value), "_gradient_edge")


def finish(function: Any, node: Any, inputs: list[Any], output: Any, tracked: bool, separate: bool) -> Any:
    """Attaches the outputs to the node, keeps what was saved, and reports.

    Args:
        tracked: whether the call is recorded.
        separate: whether the context was filled by ``setup_context``.

    Raises:
        RuntimeError: the marks on ``ctx`` do not fit what was returned, in PyTorch's words.
    """
    outputs = list(output) if isinstance(output, tuple) else [output]
    check_marks(node)
    places = [number for number, value in enumerate(outputs) if is_tensor(value)]
    node.shapes = [o._array.shape if is_tensor(o) else () for o in outputs]
    node.dtypes = [o._array.dtype if is_tensor(o) else None for o in outputs]
    node.output_shapes = [o._array.shape if is_tensor(o) else None for o in outputs]
    dirty, given = {id(t) for t in node.dirty_tensors}, {id(t) for t in inputs}
    constant = {id(t) for t in node.non_differentiable}
    if constant:
        node.constant_outputs = frozenset(number for number in places if id(outputs[number]) in constant)
    check_returned(node, dirty - {id(outputs[number]) for number in places}, len(inputs), len(outputs))
    results = list(outputs)
    differentiable = 0
    for number in places:
        value = outputs[number]
        own = tracked and id(value) not in constant and value._array.dtype.kind in "fcV"
        differentiable += own
        is_input, is_dirty = id(value) in given, id(value) in dirty
        results[number] = made = attached(node, value, number, own, is_input, is_dirty, len(outputs))
        if made._base is not None and state.grad_enabled and not (is_input and is_dirty):
            made._creation = "" if node._is_pure_view else "custom"
    if differentiable > 1:
        for result in (results[number] for number in places if results[number]._base is not None):
            result._creation = "multi_output"
    if tracked or state.forward_level:
        keep_saved(node, outputs, results, given if separate else set())
    else:
        node.to_save = None
    if observing.listener is not None:
        observing.listener.operation(function, inputs, [results[n] for n in places], node if tracked else None)
    return tuple(results) if isinstance(output, tuple) else results[0]


def check_returned(node: Any, missing: set[int], inputs: int, outputs: int) -> None:
    """Raises RuntimeError: something marked dirty was not returned, or a pure view is not one output of one input."""
    if missing:
        raise RuntimeError(
            "Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified "
            "inplace must all be outputs of the Function."
        )
    if node._is_pure_view and (inputs, outputs) != (1, 1):
        raise RuntimeError(
            "Pure view custom Function can only have one input Tensor and one output Tensor. Open an issue if you need to support "
            "more."
        )


def check_marks(node: Any) -> None:
    """Raises RuntimeError: something marked dirty or not differentiable is no tensor."""
    for index, tensor in enumerate(node.dirty_tensors):
        if not is_tensor(tensor):
            raise RuntimeError(
                f"mark_dirty can only accept variables, but argument {index} is of type {type(tensor).__name__}"
            )
    for tensor in node.non_differentiable:
        if not is_tensor(tensor):
            raise RuntimeError(
                f"mark_non_differentiable only accepts variable arguments, but got {type(tensor).__name__}"
            )


def attached(
    node: Any, value: Any, number: int, differentiable: bool, is_input: bool, is_dirty: bool, count: int
) -> Any:
    """One output as the caller gets it."""
    if is_dirty:
        value._touch()
        if observing.listener is not None:
            after = value._counter.value
            observing.listener.written(value, "mark_dirty", after - 1, after, node if differentiable else None)
    if not differentiable:
        return untracked(value, is_input, is_dirty)
    if is_dirty:
        return written(node, value, number, is_input, count)
    if is_input:
        value = alias(value)
    value._node, value._output_nr, value._requires_grad = node, number, True
    if value._base is not None:
        value._view_version = value._counter.value
    return value


def untracked(value: Any, is_input: bool, is_dirty: bool) -> Any:
    """An output without gradient: it loses the history it may have got inside ``forward``, an input lends its values only."""
    if is_input:
        return value.detach() if value.requires_grad else value if is_dirty else alias(value)
    if value._base is None and value.requires_grad:
        value.detach_()
    return value


def alias(value: Any) -> Any:
    """A view of all of an input that was returned as it is."""
    with no_grad():
        return value._alias()


def written(node: Any, value: Any, number: int, is_input: bool, count: int) -> Any:
    """An output that ``forward`` wrote into: it stays itself, with a new history.

    Raises:
        RuntimeError: a leaf that requires grad; a view, when there are several outputs, it is no input, or it cannot be followed
            to what it looks at.
    """
    if value._base is None and value._node is None and value._requires_grad:
        raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
    if not is_input and value._base is not None:
        raise RuntimeError(
            "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be passed to "
            "ctx.mark_dirty()."
        )
    if not is_input:
        warnings.warn(
            "Only input Tensors should be given to ctx.mark_dirty(). If a Tensor is not an input, there is no need to pass it "
            "to mark_dirty().",
            UserWarning,
            stacklevel=5,
        )
    if value._base is None:
        value._node, value._output_nr, value._requires_grad = node, number, True
        return value
    if count > 1:
        raise RuntimeError(
            "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more than "
            "one Tensor. This is not supported by the current autograd engine. You should either make sure the input is not a "
            "view (using .clone() for example) or make your Function only return one Tensor."
        )
    value._check_view_writable()
    value._rebase_history(node)
    value._regenerate_grad_fn()
    return value


def keep_saved(node: Any, outputs: list[Any], results: list[Any], given: set[int]) -> None:
    """Turns ``to_save`` into guarded entries; an output must not keep its own node alive.

    Raises:
        TypeError: something saved is neither a tensor nor None.
        RuntimeError: an input (``given``) that is also an output is saved in ``setup_context``.
    """
    places = {id(o): n for n, o in enumerate(outputs) if is_tensor(o)}
    dirty = {id(t) for t in node.dirty_tensors}
    entries: list[Any] = []
    # Not on the node while its outputs are made entries of: a checkpoint may stop here, and a node must not hold its output.
    to_save, node.to_save = node.to_save or (), None
    for index, tensor in enumerate(to_save):
        if tensor is None:
            entries.append(None)
        elif not is_tensor(tensor):
            raise TypeError(
                f"save_for_backward can only save variables, but argument {index} is of type {type(tensor).__name__}"
            )
        elif id(tensor) in places:
            if id(tensor) in given and id(tensor) not in dirty:
                raise RuntimeError(
                    "A input that has been returned as-is as output is being saved for backward. This is not supported if you "
                    "override setup_context. You should return and save a view of the input instead, e.g. with x.view_as(x) or "
                    "setup ctx inside the forward function itself."
                )
            number = places[id(tensor)]
            mine = results[number] is tensor and (tensor._node is node or id(tensor) in dirty)
            entries.append(save_result(tensor, number) if mine else save_input(tensor))
        else:
            entries.append(save_input(tensor))
    node.saved = tuple(entries)
