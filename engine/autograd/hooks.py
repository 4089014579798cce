"""Running hooks around a node, in PyTorch's order.

Before a gradient is captured or used: hooks of the output tensors, then retain_grad. Before the node runs: its
pre-hooks. After it ran: its post-hooks. A leaf's tensor hooks live on the leaf itself, since its AccumulateGrad comes
and goes with the graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from engine.autograd.currency import currency
from engine.autograd.handles import Hooks, is_ours
from engine.dtype_names import options_type
from engine.observe import state as observing

if TYPE_CHECKING:
    from engine.autograd.node import Node


def before_capture(node: Any, gradients: list[Any]) -> list[Any]:
    """Tensor hooks (they may replace a gradient), then retain_grad."""
    if node.is_sink:
        if node.variable._hooks:
            gradients = [_run_tensor_hooks(node.variable._hooks, gradients[0], node.variable, node)]
        return gradients
    gradients = list(gradients)
    for output_nr, tensor_hooks in (node.tensor_hooks or {}).items():
        gradients[output_nr] = _run_tensor_hooks(tensor_hooks, gradients[output_nr], None, node)
    for output_nr, reference in (node.retained or {}).items():
        tensor = reference()
        if tensor is not None and gradients[output_nr] is not None:
            tensor._retain(gradients[output_nr], node)
    return gradients


def _run_tensor_hooks(tensor_hooks: Hooks, gradient: Any, tensor: Any, node: Node) -> Any:
    for hook in list(tensor_hooks.values()):
        given, version = as_given(gradient)
        replaced = hook(gradient)
        check_single(hook, gradient, replaced)
        if observing.listener is not None:
            written = gradient is not None and gradient._version != version
            observing.listener.hook_fired(
                "tensor", hook, tensor, node, given, gradient if replaced is None and written else replaced
            )
        if replaced is not None:
            gradient = replaced
    return gradient


def as_given(gradient: Any) -> tuple[Any, int]:
    """What a hook is given, for a listener to be told of it afterwards, and its version: the hook may write into it."""
    if observing.listener is None or gradient is None:
        return gradient, 0
    return currency.wrap(gradient._array.copy()), gradient._version


def check_single(hook: Any, original: Any, replaced: Any) -> None:
    """What a hook may return in place of one gradient: nothing, or a tensor of the same type and size.

    Raises:
        RuntimeError, TypeError: in PyTorch's words.
    """
    if replaced is None:
        return
    if original is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not hasattr(replaced, "_array"):
        raise TypeError(f"expected Variable, but hook returned '{type(replaced).__name__}'")
    check_replacement(hook, original, replaced)


def check_several(hook: Any, originals: Sequence[Any], replaced: Any) -> None:
    """The same for all gradients of a node.

    Raises:
        RuntimeError, TypeError: in PyTorch's words.
    """
    if not isinstance(replaced, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(replaced).__name__}'")
    if len(replaced) != len(originals):
        raise RuntimeError(
            f"hook '{hook_name(hook)}' has returned an incorrect number of values (got {len(replaced)}, but expected "
            f"{len(originals)})"
        )
    for original, one in zip(originals, replaced, strict=True):
        check_single(hook, original, one)


def hook_name(hook: Any) -> str:
    """What error messages call it."""
    return str(getattr(hook, "__name__", type(hook).__name__))


def check_replacement(hook: Any, original: Any, replaced: Any) -> None:
    """A hook may change the gradient's values, not what it is.

    Raises:
        RuntimeError: in PyTorch's words, for another dtype or shape.
    """
    name = hook_name(hook)
    if original._array.dtype != replaced._array.dtype or original._strided != replaced._strided:
        was, now = (
            options_type(each._array).replace("torch.", "torch." if each._strided else "torch.sparse.")
            for each in (original, replaced)
        )
        raise RuntimeError(f"hook '{name}' has changed the type of value (was {was} got {now})")
    if original._array.shape != replaced._array.shape:
        raise RuntimeError(f"hook '{name}' has changed the size of value")


def before_run(node: Node, gradients: list[Any]) -> list[Any]:
    """Node pre-hooks: ``grad_fn.register_prehook(lambda grad_outputs: …)``."""
    for hook in list((node.pre_hooks or {}).values()):
        replaced = hook(tuple(gradients))
        if replaced is not None:
            check_several(hook, gradients, replaced)
        report_change("node_pre", hook, node, gradients, replaced)
        if replaced is not None:
            gradients = list(replaced)
    return gradients


def after_run(node: Node, messages: Sequence[Any], gradients: Sequence[Any]) -> Sequence[Any]:
    """Node hooks: ``grad_fn.register_hook(lambda grad_inputs, grad_outputs: …)``."""
    for hook in list((node.post_hooks or {}).values()):
        replaced = hook(tuple(messages), tuple(gradients))
        if replaced is not None:
            check_several(hook, messages, replaced)
        report_change("node", hook, node, messages, replaced)
        if replaced is not None:
            messages = replaced
    return messages


def report_change(kind: str, hook: Any, node: Node, gradients: Sequence[Any], replaced: Any) -> None:
    """Tells the listener of the first gradient that the hook changed (or of the first one, unchanged)."""
    if observing.listener is None or is_ours(hook):
        return
    for before, after in zip(gradients, replaced or (), strict=False):
        if after is not before:
            observing.listener.hook_fired(kind, hook, None, node, before, after)
            return
    observing.listener.hook_fired(kind, hook, None, node, gradients[0] if gradients else None, None)


def report_module_hook(kind: str, module: Any, hook: Any, before: Any, after: Any) -> None:
    """Tells the listener that a module's hook ran, with the first tensor it was given and what it made of that."""
    if observing.listener is not None and not is_ours(hook):
        observing.listener.hook_fired(kind, hook, None, None, first_tensor(before), first_tensor(after), module)


def first_tensor(value: Any) -> Any:
    """The value, or the first of several."""
    while isinstance(value, tuple | list) and value:
        value = value[0]
    return value if hasattr(value, "_array") else None


def after_accumulation(variable: Any, node: Node) -> None:
    """Hooks of a leaf after its ``.grad`` was stored or added to.

    Each is given what the one before it returned, and only after the last PyTorch finds that something was returned: the
    hooks have all run by then, and a lambda that ends in an in-place call such as ``p.grad.mul_(2)`` has done its work.

    Raises:
        RuntimeError: a hook returned another tensor than the leaf.
        TypeError: a hook returned something else.
    """
    handed = variable
    for hook in list((variable._post_accumulate or {}).values()):
        before, _ = as_given(variable._grad)
        replaced = hook(handed)
        check_single(hook, variable, replaced)
        if observing.listener is not None:
            observing.listener.hook_fired("post_accumulate", hook, variable, node, before, None)
        if replaced is not None:
            handed = replaced
    if handed is not variable:
        raise RuntimeError("Tensor post accumulate grad hooks should return None.")
