"""The node of the backward graph.

A `Node` remembers how one result was computed: where each argument's gradient must go (``edges``), and what its
derivative needs (``saved``). Forward creates nodes; ``engine.autograd.engine`` runs them, highest ``sequence_nr`` first.
One subclass exists per operator (`node_type`), because PyTorch's names are class names: ``type(t.grad_fn).__name__ ==
"MulBackward0"``, and ``grad_fn._saved_other`` is there when the operator saves ``other``. The sink at every leaf
(`engine.autograd.accumulate_grad`) and the nodes of custom functions are subclasses too.

Instances hold only what differs from the class; an unset attribute costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engine.autograd.currency import unwrapped, wrapped
from engine.autograd.handles import RemovableHandle, add_hook
from engine.autograd.modes import state
from engine.autograd.saved import open_saved
from engine.autograd.saved_hooks import raw_saved
from engine.dtype import BY_ARRAY
from engine.placement import CPU
from engine.shared_keys import share_keys

Edge = tuple["Node | None", int]
"""(receiving node, number of its forward output), as in ``next_functions``."""

NO_EDGE: Edge = (None, 0)
LAST = 2**64 - 1
"""AccumulateGrad's sequence number: it runs as soon as it is ready."""

SCALAR: Sequence[tuple[int, ...]] = ((),)
FLOAT32: Sequence[Any] = (np.dtype(np.float32),)
"""Shape and dtype of the commonest output, one float32 number: nodes that say nothing else have these."""

SHOWN = (
    *dir(object()), "__call__", "_input_metadata", "_register_hook_dict", "_sequence_nr", "_set_sequence_nr", "metadata", "name",
    "next_functions", "register_hook", "register_prehook", "requires_grad",
)  # fmt: skip
"""What ``dir`` says of every node, beside what it saved."""


class Node:
    """One backward step; subclass and implement `apply`."""

    __module__ = "torch.autograd.graph"

    edges: tuple[Edge, ...] = ()
    sequence_nr: int = 0
    shapes: Sequence[tuple[int, ...]] = SCALAR
    """Shape of each forward output, so that an arriving gradient can be checked and broadcasting undone."""
    dtypes: Sequence[Any] = FLOAT32
    """Numpy dtype of each forward output."""
    saved: Any = ()
    """What the derivatives need, in the order of ``saved_names`` (see `engine.autograd.saved`)."""
    saved_names: tuple[str, ...] = ()
    operator: Any = None
    requires_grad = True
    """Always: a node stands only where gradients flow."""

    tensor_hooks: dict[int, dict[int, Callable[..., Any]]] | None = None
    """Hooks of output tensors, by output number: ``t.register_hook``."""
    retained: dict[int, Any] | None = None
    """Weak references to output tensors that asked to keep their gradient."""
    pre_hooks: dict[int, Callable[..., Any]] | None = None
    post_hooks: dict[int, Callable[..., Any]] | None = None
    hooked: bool = False
    """Whether any of the four above is set; the engine asks only this."""
    _metadata: dict[str, Any] | None = None
    _raw_handles: Any = None
    """Weak references to the objects that ``_raw_saved_…`` gave out."""
    is_sink: bool = False
    """Whether it is a leaf's `AccumulateGrad`."""
    stands_in: bool = False
    """Whether it only tells a transform's argument apart from the tensor that was given (`engine.transforms.aliases.alias`)."""

    def apply(self, gradients: list[Any]) -> Sequence[Any]:
        """Maps one gradient (or None) per output to one gradient (or None) per edge."""
        raise NotImplementedError(type(self).__name__)

    def apply_bare(self, gradients: list[Any]) -> Sequence[Any]:
        """`apply` on arrays instead of tensors (`engine.autograd.bare`)."""
        return unwrapped(self.apply(wrapped(gradients)))

    def held(self) -> Sequence[str]:
        """Names of the saved tensors it still has."""
        return ()

    def release(self) -> None:
        """Drops saved tensors."""

    # what PyTorch's users see

    def name(self) -> str:
        """The C++ name, which for built-in operators is the class name."""
        return type(self).__name__

    @property
    def next_functions(self) -> tuple[Edge, ...]:
        """Where gradients go: (node, output number of that node), (None, 0) where none is needed."""
        if any(receiver is not None and receiver.stands_in for receiver, _ in self.edges):
            return tuple(map(through, self.edges))
        return self.edges

    @property
    def metadata(self) -> dict[str, Any]:
        """A dictionary for the person's own notes."""
        if self._metadata is None:
            self._metadata = {}
        return self._metadata

    def misfit(self, slot: int, got: Sequence[int]) -> str:
        """PyTorch's words for a gradient whose shape is not the receiver's."""
        receiver, input_nr = self.edges[slot]
        assert receiver is not None
        return (
            f"Function {self.name()} returned an invalid gradient at index {slot} - got {list(got)} but expected shape "
            f"compatible with {list(receiver.shapes[input_nr])}"
        )

    def _sequence_nr(self) -> int:
        return self.sequence_nr

    def _set_sequence_nr(self, number: int) -> None:
        self.sequence_nr = number

    @property
    def _input_metadata(self) -> tuple[InputMetadata, ...]:
        """Shape and dtype of each forward output."""
        return tuple(InputMetadata(list(s), d) for s, d in zip(self.shapes, self.dtypes, strict=True))

    def __call__(self, *gradients: Any) -> Any:
        """Runs this node by hand: ``grad_fn(grad)``.

        Raises:
            TypeError: not one gradient per forward output, or one that is no tensor.
        """
        if len(gradients) != len(self.shapes):
            raise TypeError(f"expected {len(self.shapes)} arguments, got {len(gradients)} instead")
        for place, gradient in enumerate(gradients):
            if gradient is not None and not hasattr(gradient, "_array"):
                raise TypeError(f"argument {place} is not a Variable")
        messages = self.apply(list(gradients))
        return messages[0] if len(messages) == 1 else tuple(messages)

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Runs ``hook(grad_inputs, grad_outputs)`` after this node."""
        if self.post_hooks is None:
            self.post_hooks = {}
        self.hooked = True
        return add_hook(self.post_hooks, hook)

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Runs ``hook(grad_outputs)`` before this node."""
        if self.pre_hooks is None:
            self.pre_hooks = {}
        self.hooked = True
        return add_hook(self.pre_hooks, hook)

    def _register_hook_dict(self, tensor: Any) -> None:
        """Runs the hooks in ``tensor._backward_hooks`` on the gradient of the output that has the tensor's number."""
        hooks = tensor._backward_hooks
        if hooks is not None:
            self.tensor_hooks = {**(self.tensor_hooks or {}), tensor._output_nr: hooks}
            self.hooked = True

    def __dir__(self) -> list[str]:
        """What PyTorch's nodes have; what the engine keeps on them is nobody's business."""
        return [*SHOWN, *(name for name in super().__dir__() if name.startswith(("_saved_", "_raw_saved_")))]

    def short_name(self) -> str:
        """How PyTorch's error messages call it: ``Sum`` for ``SumBackward0``, ``Sum1`` for ``SumBackward1``."""
        return re.sub("Backward0?$|Backward(?=[0-9]+$)", "", self.name())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"


def through(edge: Edge) -> Edge:
    """The edge as PyTorch has it, where no node stands for a transform's argument."""
    receiver, _ = edge
    while receiver is not None and receiver.stands_in:
        (edge,) = receiver.edges
        receiver, _ = edge
    return edge


class InputMetadata:
    """What a node knows of one forward output: the gradient that comes in must be like it."""

    is_nested_tensor = is_cpp_nested_tensor = False

    def __init__(self, shape: list[int], array_dtype: Any) -> None:
        self.shape, self.dtype, self.device = shape, None if array_dtype is None else BY_ARRAY[array_dtype], CPU


InputMetadata.__module__ = "torch._C._autograd"
InputMetadata.__name__ = InputMetadata.__qualname__ = "_InputMetadata"


def next_sequence_nr() -> int:
    """Hands out the next node's number."""
    number = state.sequence_nr
    state.sequence_nr = number + 1
    return number


SCALARS = frozenset(
    {"alpha", "beta", "correction", "exponent", "lambd", "max", "max_val", "maxnorm", "min", "min_val", "negative_slope", "ord",
     "other", "p", "self", "threshold", "value"}
)  # fmt: skip
"""Saved numbers that keep their sign; all other whole numbers (dims, indices) are shown as PyTorch does, unsigned."""


def _saved_property(index: int, name: str) -> property:
    whole = name not in SCALARS

    def read(self: Node) -> Any:
        value = open_saved(self, index)
        shown = getattr(self.saved[index], "shown", None)
        if shown is not None:
            return shown()
        if whole and type(value) is int and value < 0:
            return value + 2**64
        if whole and type(value) is tuple and any(type(v) is int and v < 0 for v in value):
            return tuple(v + 2**64 if type(v) is int and v < 0 else v for v in value)
        return value

    def refuse(self: Node, value: Any) -> None:
        raise AttributeError(f"attribute '_saved_{name}' of '{type(self).__name__}' objects is not writable")

    return property(read, refuse, doc=f"What the derivative needs of ``{name}``; raises after it was freed.")


def _raw_saved_property(index: int, name: str) -> property:
    return property(lambda self: raw_saved(self, index), doc=f"The entry that keeps ``{name}``, to register hooks on.")


def node_type(name: str, saved_names: Sequence[str], base: type[Node] = Node, **attributes: Any) -> type[Node]:
    """A Node class of this name with a ``_saved_<name>`` property for each exposed saved name.

    Names that begin with an underscore are kept but not shown.
    """
    body: dict[str, Any] = {"saved_names": tuple(saved_names), "__module__": "builtins", **attributes}
    for index, saved in enumerate(saved_names):
        if not saved.startswith("_"):
            body[f"_saved_{saved}"] = _saved_property(index, saved)
            body[f"_raw_saved_{saved}"] = _raw_saved_property(index, saved)
    made = type(name, (base,), body)
    share_keys(made, "sequence_nr edges saved shapes dtypes")
    return made
