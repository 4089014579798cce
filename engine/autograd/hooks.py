"""Running hooks around a node, in PyTorch's order.

Before a gradient is captured or used: hooks of the output tensors, then retain_grad. Before the node runs: its
pre-hooks. After it ran: its post-hooks. A leaf's tensor hooks live on the leaf itself, since its AccumulateGrad comes
and goes with the graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.autograd.handles import Hooks
from engine.autograd.node import AccumulateGrad, Node
from engine.observe import state as observing


def before_capture(node: Node, gradients: list[Any]) -> list[Any]:
    """Tensor hooks (they may replace a gradient), then retain_grad."""
    if isinstance(node, AccumulateGrad):
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
        replaced = hook(gradient)
        if replaced is not None and not hasattr(replaced, "_array"):
            raise TypeError(f"expected Variable, but hook returned '{type(replaced).__name__}'")
        if replaced is not None and gradient is not None:
            check_replacement(hook, gradient, replaced)
        if observing.listener is not None:
            observing.listener.hook_fired("tensor", hook, tensor, node, gradient, replaced)
        if replaced is not None:
            gradient = replaced
    return gradient


TYPE_NAMES = {"float16": "Half", "float32": "Float", "float64": "Double", "int64": "Long", "int32": "Int"}


def check_replacement(hook: Any, original: Any, replaced: Any) -> None:
    """A hook may change the gradient's values, not what it is.

    Raises:
        RuntimeError: in PyTorch's words, for another dtype or shape.
    """
    name = getattr(hook, "__name__", type(hook).__name__)
    was, now = str(original._array.dtype), str(replaced._array.dtype)
    if was != now:
        words = [f"torch.{TYPE_NAMES.get(dtype, dtype)}Tensor" for dtype in (was, now)]
        raise RuntimeError(f"hook '{name}' has changed the type of value (was {words[0]} got {words[1]})")
    if original._array.shape != replaced._array.shape:
        raise RuntimeError(f"hook '{name}' has changed the size of value")


def before_run(node: Node, gradients: list[Any]) -> list[Any]:
    """Node pre-hooks: ``grad_fn.register_prehook(lambda grad_outputs: …)``."""
    for hook in list((node.pre_hooks or {}).values()):
        replaced = hook(tuple(gradients))
        if observing.listener is not None:
            observing.listener.hook_fired("node_pre", hook, None, node, gradients[0], replaced and replaced[0])
        if replaced is not None:
            gradients = list(replaced)
    return gradients


def after_run(node: Node, messages: Sequence[Any], gradients: list[Any]) -> Sequence[Any]:
    """Node hooks: ``grad_fn.register_hook(lambda grad_inputs, grad_outputs: …)``."""
    for hook in list((node.post_hooks or {}).values()):
        replaced = hook(tuple(messages), tuple(gradients))
        if observing.listener is not None:
            observing.listener.hook_fired("node", hook, None, node, gradients[0], replaced and replaced[0])
        if replaced is not None:
            messages = replaced
    return messages
