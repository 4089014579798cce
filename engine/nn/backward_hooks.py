"""Full backward hooks: an identity node around a module's inputs, and one around its outputs.

The two nodes (PyTorch calls both ``BackwardHookFunctionBackward``) are where the gradients with respect to outputs and
inputs can be seen complete: the outer one first, then, when the module's own nodes have run, the inner one.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engine.autograd.currency import currency
from engine.autograd.hooks import report_module_hook
from engine.autograd.modes import state as modes
from engine.autograd.node import NO_EDGE, Node, next_sequence_nr
from engine.storage import materialise, shared_counter
from engine.tensor import Tensor, new


class BackwardHookFunctionBackward(Node):
    """Hands every gradient through unchanged, and zeros where none arrived: also to what did not ask for one, whom a hook sees."""

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{type(self).__name__} object at {id(self):#x}>"

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        self.edges = tuple(t._gradient_edge() if t.requires_grad else NO_EDGE for t in tensors)
        self.shapes = [t._array.shape for t in tensors]
        self.dtypes = [t._array.dtype for t in tensors]
        self.sequence_nr = next_sequence_nr()

    def apply(self, gradients: list[Any]) -> list[Any]:
        """The identity, but for the zeros."""
        return [
            currency.wrap(np.zeros(shape, dtype)) if gradient is None else gradient
            for gradient, shape, dtype in zip(gradients, self.shapes, self.dtypes, strict=True)
        ]


class BackwardHook:
    """The hooks of one module call.

    Args:
        module: whose call it is.
        hooks: ``hook(module, grad_input, grad_output)``.
        pre_hooks: ``hook(module, grad_output)``.
    """

    def __init__(self, module: Any, hooks: list[Callable[..., Any]], pre_hooks: list[Callable[..., Any]]) -> None:
        self.module = module
        self.hooks = hooks
        self.pre_hooks = pre_hooks
        self.grad_outputs: tuple[Any, ...] | None = None
        self.inputs_watched = False
        self.input_places: list[int] = []
        self.input_count = 0
        self.output_places: list[int] = []
        self.output_count = 0

    def watch_inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, with tensors led through a node whose gradients are ``grad_input``."""
        watched, node, self.input_places = through_identity(args)
        self.input_count = len(args)
        if node is not None:
            self.inputs_watched = True

            def hook(grad_inputs: tuple[Any, ...], grad_outputs: Any) -> tuple[Any, ...] | None:
                return self._after_inputs(grad_inputs, grad_outputs)

            node.register_hook(hook)  # PyTorch's errors about what it returns call it so
        return watched

    def watch_outputs(self, result: Any) -> Any:
        """The result, with tensors led through a node whose gradients are ``grad_output``."""
        alone = isinstance(result, Tensor)
        if not alone and not isinstance(result, tuple):
            return result
        watched, node, self.output_places = through_identity((result,) if alone else result)
        self.output_count = len(watched)
        if node is not None:

            def hook(gradients: tuple[Any, ...]) -> tuple[Any, ...] | None:
                return self._before_outputs(gradients)

            node.register_prehook(hook)  # PyTorch's errors about what it returns call it so
        return watched[0] if alone else watched

    def _before_outputs(self, gradients: tuple[Any, ...]) -> tuple[Any, ...] | None:
        self.grad_outputs = spread(gradients, self.output_places, self.output_count)
        replaced = False
        for hook in self.pre_hooks:
            answer = hook(self.module, self.grad_outputs)
            report_module_hook("module_backward", self.module, hook, self.grad_outputs, answer)
            if answer is not None:
                check_count("pre hook", "grad_output", answer, self.grad_outputs)
                self.grad_outputs, replaced = answer, True
        if not self.inputs_watched:
            warnings.warn(
                "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs require "
                "gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module."
                "register_full_backward_hook for more details.",
                UserWarning,
                stacklevel=9,
            )
            for hook in self.hooks:
                answer = hook(self.module, spread((), [], self.input_count), self.grad_outputs)
                report_module_hook("module_backward", self.module, hook, self.grad_outputs, answer)
                if answer is not None and not (isinstance(answer, tuple) and all(g is None for g in answer)):
                    raise RuntimeError(
                        "Backward hook for Modules where no input requires gradient should always return None or "
                        "None for all gradients."
                    )
            gradients_out, self.grad_outputs = self.grad_outputs, None
        else:
            gradients_out = self.grad_outputs
        return tuple(gradients_out[i] for i in self.output_places) if replaced else None

    def _after_inputs(self, grad_inputs: tuple[Any, ...], _: Any) -> tuple[Any, ...] | None:
        if self.grad_outputs is None:
            return None
        seen = spread(grad_inputs, self.input_places, self.input_count)
        replaced = False
        for hook in self.hooks:
            answer = hook(self.module, seen, self.grad_outputs)
            report_module_hook("module_backward", self.module, hook, seen, answer)
            if answer is not None:
                check_count("hook", "grad_input", answer, seen)
                seen, replaced = answer, True
        self.grad_outputs = None
        return tuple(seen[i] for i in self.input_places) if replaced else None

    @staticmethod
    def watch_last_node(module: Any, args: tuple[Any, ...], result: Any, hooks: list[Callable[..., Any]]) -> None:
        """The old kind of backward hook: on the node that made the (first) result."""
        tensor = result
        while not isinstance(tensor, Tensor):
            tensor = next(iter(tensor.values())) if isinstance(tensor, dict) else tensor[0]
        if tensor.grad_fn is None:
            return
        for hook in hooks:
            tensor.grad_fn.register_hook(lambda inputs, outputs, hook=hook: hook(module, inputs, outputs))
        missing = what_last_node_misses(args, result, tensor.grad_fn)
        if missing is not None:
            case, gradients = missing
            warnings.warn(
                f"Using {case} is deprecated and will be removed in future versions. This hook will be missing some {gradients}. "
                "Please use register_full_backward_hook to get the documented behavior.",
                FutureWarning,
                stacklevel=4,
            )


def what_last_node_misses(args: tuple[Any, ...], result: Any, node: Node) -> tuple[str, str] | None:
    """Why a hook on a result's node is no hook of the module, and which gradients it misses; None where it is one."""
    results = (result,) if isinstance(result, Tensor) else result
    if not only_tensors(results):
        return (
            "non-full backward hooks on a Module that does not return a single Tensor or a tuple of Tensors",
            "grad_output",
        )
    if not only_tensors(args):
        case = "non-full backward hooks on a Module that does not take as input a single Tensor or a tuple of Tensors"
        return case, "grad_input"
    nodes = {tensor.grad_fn for tensor in results} - {None}
    if node not in nodes and len(nodes) < 2:
        return "a non-full backward hook when outputs are nested in python data structure", "grad_output"
    if len(nodes) > 1:
        return "a non-full backward hook when outputs are generated by different autograd Nodes", "grad_output"
    if {tensor.grad_fn for tensor in args} - {None} != {receiver for receiver, _ in node.next_functions}:
        return "a non-full backward hook when the forward contains multiple autograd Nodes", "grad_input"
    return None


def only_tensors(values: Any) -> bool:
    """Whether they are a tuple of tensors."""
    return isinstance(values, tuple) and all(isinstance(value, Tensor) for value in values)


def check_count(kind: str, gradients: str, answer: Any, seen: Any) -> None:
    """A tensor in place of a tuple is taken for one: its rows are counted, and go on as the gradients.

    Raises:
        RuntimeError: a hook returned more or fewer gradients than it was shown.
    """
    if len(answer) != len(seen):
        raise RuntimeError(
            f"Backward {kind} returned an invalid number of {gradients}, got {len(answer)}, but expected {len(seen)}"
        )


def through_identity(values: tuple[Any, ...]) -> tuple[tuple[Any, ...], Node | None, list[int]]:
    """The values with all tensors replaced by outputs of one identity node, the node, and the places of the tensors.

    Without anything that requires grad, the values come back as they are, with no node.
    """
    places = [i for i, value in enumerate(values) if isinstance(value, Tensor)]
    if not modes.grad_enabled or not any(values[i].requires_grad for i in places):
        return values, None, places
    node = BackwardHookFunctionBackward([values[i] for i in places])
    replaced = list(values)
    for number, place in enumerate(places):
        source = values[place]
        if source._array.dtype.kind not in "fcV":
            continue
        twin: Tensor = new(Tensor)
        twin._array, twin._counter = materialise(source), shared_counter(source)
        twin._base = source if source._base is None else source._base
        twin._view_version, twin._creation = twin._counter.value, "custom"
        if source.requires_grad:  # else the twin is outside the graph, as what it stands for
            twin._node, twin._output_nr, twin._requires_grad = node, number, True
        replaced[place] = twin
    return tuple(replaced), node, places


def spread(gradients: tuple[Any, ...], places: list[int], count: int) -> tuple[Any, ...]:
    """Gradients of tensors, back among the arguments: None where there was no tensor."""
    full: list[Any] = [None] * count
    for gradient, place in zip(gradients, places, strict=True):
        full[place] = gradient
    return tuple(full)
