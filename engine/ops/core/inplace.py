"""In-place operators: ``x.add_(y)`` computes ``x + y``, writes it into x's storage, and moves x in the graph.

Who may be written to is PyTorch's rule (`engine.ops.core.writable`); the version of the storage goes up with every write, so that
a node that saved the old value notices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from engine.autograd.modes import state as modes
from engine.autograd.node import NO_EDGE, Node, next_sequence_nr
from engine.autograd.saved import SavedResult
from engine.late import Late
from engine.observe import state as observing
from engine.ops.core.batching import is_captured, refuse_captured_write, refuse_shared_write
from engine.ops.core.methods import BUILT_IN, shown_as
from engine.ops.core.misuse import plain_numbers, require_tensor
from engine.ops.core.overlap import (
    WARN_OF_OVERLAP,
    WHOLLY_APART,
    check_memory,
    overlaps,
    warn_of_overlap,
    where_written,
)
from engine.ops.core.spelled_call import SUSPICIOUS, refuse, require_fit
from engine.ops.core.tangents import tangent_of, write_tangent
from engine.ops.core.writable import any_requires_grad, check_fits, check_writable
from engine.storage import materialise, shared_counter
from engine.tensor import Parameter, Tensor, new

if TYPE_CHECKING:
    from engine.ops.core import overloads
    from engine.ops.core.operator import Operator
else:
    overloads = Late("engine.ops.core.overloads")


@shown_as(BUILT_IN)
class InPlace:
    """The ``_`` twin of an operator."""

    dispatched: ClassVar[Any]
    """The value to write while somebody else may compute it (as `Operator.dispatched`)."""
    cloning: ClassVar[Operator]
    """``clone``, whose node a value from before the write gets (`engine.ops.layout.copies`, which stands above this file)."""

    def __init__(self, operator: Operator) -> None:
        self.operator = operator
        self.name = operator.name + "_"
        self.tensors = tuple(position for position in operator.tensors if position)
        """Positions of further arguments for which no number may stand."""
        self.__name__ = self.name
        self.__doc__ = f"Like ``{operator.name}``, writing the result into ``self``."

    def __repr__(self) -> str:
        return f"<built-in method {self.name} of type object at {id(type(self)):#x}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Writes into the first argument and returns it."""
        try:
            if not modes.grad_enabled and not modes.special:
                target = self.write_plainly(args, kwargs)
                if target is not None:
                    return target
            operator = self.operator
            if not operator.usual.holds(args, kwargs):
                require_fit(operator.usual, self, args, kwargs)
            arguments = operator.signature.bind(self.name, args, kwargs)
            if operator.signature.numbers:
                arguments = plain_numbers(self.name, operator.signature, arguments, len(args))
            if self.tensors:
                require_tensor(self.name, operator.signature, self.tensors, arguments, args, False)
            if modes.deriving and operator.number_twin is not None and type(arguments[1]) in (int, float):
                operator, arguments = operator.number_twin, arguments[:2]
            target = arguments[0]
            check_writable(target, arguments)
            try:
                value = self.dispatched(operator, arguments) if modes.intercepting else operator.compute(arguments)
            except RuntimeError:
                if self.name not in WHOLLY_APART:
                    check_memory(target, arguments, self.name)  # PyTorch looks at this before it looks at shapes
                raise
            if isinstance(value, tuple):
                value = value[0]
            return write(target, value, self.name, operator, arguments)
        except SUSPICIOUS as error:
            from engine.ops.core.older_overloads import in_todays_form  # here, since importing torch should be quick

            older = None if kwargs else in_todays_form(self.name, args)
            if older is not None:
                return self(*older[0], **older[1])
            refuse(error, self, args, kwargs)

    def write_plainly(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor | None:
        """The short way, for what optimizers do most: arrays of one dtype and shape, into storage nobody else sees.

        None where anything is unusual (nothing has been written then).
        """
        target = args[0]
        array = unshared_array(target)
        if array is None:
            return None
        operator = self.operator
        arguments = operator.signature.bind(self.name, args, kwargs)
        arrays = [a._array if type(a) in PLAIN else a for a in arguments]
        other = arrays[1] if len(arrays) > 1 else None
        if type(other) is np.ndarray:
            if other.dtype is not array.dtype or other.shape != array.shape or other.base is array:
                return None
        elif type(other) is not float or array.dtype.kind != "f":
            return None
        value = operator.kernel(*arrays)
        if type(value) is not np.ndarray or value.dtype is not array.dtype or value.shape != array.shape:
            return None
        array[...] = value
        counter = shared_counter(target)
        counter.value += 1
        report_written(target, self.name, counter.value - 1, None)
        return target


PLAIN = frozenset({Tensor, Parameter})


def unshared_array(target: Any) -> Any:
    """The array of a tensor that may be written to at once, into storage nobody else sees; None for any other."""
    array = target._array if type(target) in PLAIN else None
    if type(array) is not np.ndarray or target._base is not None or array.base is not None or target._inference:
        return None
    return array


def apply_in_place(operator: Operator, arguments: tuple[Any, ...]) -> Tensor:
    """An operator's result written into its first argument."""
    check_writable(arguments[0], arguments)
    return write(arguments[0], value_of(operator, arguments), f"{operator.name}_", operator, arguments)


def value_of(operator: Operator, arguments: tuple[Any, ...]) -> Any:
    """What to write, from whoever computes it for the layout or device of the arguments."""
    return (
        InPlace.dispatched(operator, arguments) if modes.sparse_met or modes.meta_met else operator.compute(arguments)
    )


def write(target: Tensor, value: Any, name: str, operator: Operator | None, arguments: tuple[Any, ...]) -> Tensor:
    """Stores ``value`` in ``target``'s storage and records the node of ``operator`` on it.

    Raises:
        RuntimeError: the value's shape does not fit, or its dtype cannot be cast to the target's; or a transform does not allow it.
    """
    if modes.layers:
        refuse_within_transforms(target, name, operator, arguments)  # PyTorch asks before it looks at shapes
    check_fits(target, value)
    return commit(target, value, name, operator, arguments)


def commit(target: Tensor, value: Any, name: str, operator: Operator | None, arguments: tuple[Any, ...]) -> Tensor:
    """`write` for a value that is known to fit."""
    if modes.grad_enabled:
        for argument in arguments[1:]:
            if isinstance(argument, Tensor) and argument._base is not None and argument is not target:
                argument.grad_fn  # noqa: B018 (made anew where it must be, or refused: PyTorch asks before it looks at memory)
    if name in WARN_OF_OVERLAP:
        warn_of_overlap(target._array, name)
        if overlaps(target._array):
            value = where_written(target._array, value)
    check_memory(target, arguments, name)
    if modes.layers:
        refuse_within_transforms(target, name, operator, arguments)
    node = kept = None
    recording = modes.grad_enabled and not modes.inference
    tracked = recording and operator is not None and operator.differentiable and any_requires_grad(arguments)
    if tracked:
        assert operator is not None
        placeholder = Tensor._output_again(target._array, target._counter, None, 0)
        if "self" in operator.node_type.saved_names and arguments[0] is target:
            kept = snapshot(target)
            arguments = (kept, *arguments[1:])
        node = operator.record(arguments, [placeholder])
        if node is not None and kept is not None and kept._node is not None:
            lead_past(kept, node)
    pushed = Tensor._output_again(value, None, None, 0) if modes.forward_level and operator is not None else None
    if pushed is not None and operator is not None:
        operator.push_forward(arguments, [pushed])
    before = put_values(target, value)
    if pushed is not None:
        write_tangent(target, tangent_of(pushed))
    if node is not None:
        repair_saved_result(node, target)
        node = target._rebase_history(node)
    report_written(target, name, before, node)
    if node is not None and target._base is not None:
        target._regenerate_grad_fn()
    return target


def refuse_within_transforms(target: Tensor, name: str, operator: Operator | None, arguments: tuple[Any, ...]) -> None:
    """Raises RuntimeError: the function of a transform may not write into this tensor."""
    if operator is not None and is_captured(target):
        refuse_captured_write(overloads.overload_of(operator, arguments, in_place=True).name())
    refuse_shared_write(name, target, arguments)


def snapshot(tensor: Tensor) -> Tensor:
    """A clone, for a derivative that needs the value before the write; its node is counted once the write's is."""
    array = tensor._array
    edge = tensor._gradient_edge() if tensor.requires_grad else NO_EDGE
    if edge[0] is None:
        return Tensor._output_again(array if isinstance(array, np.generic) else array.copy(), None, None, 0)
    node: Any = new(InPlace.cloning.node_type)
    node.edges, node.shapes, node.dtypes, node.saved = (edge,), (array.shape,), (array.dtype,), ()
    return Tensor._output_again(array if isinstance(array, np.generic) else array.copy(), None, node, 0)


def lead_past(kept: Tensor, node: Node) -> None:
    """The write's own edge goes to where the value came from; the clone only stands behind what was saved, if it was."""
    made = kept._node
    assert made is not None
    node.edges = tuple([made.edges[0] if edge[0] is made else edge for edge in node.edges])
    if any(entry is kept for entry in node.saved):
        made.sequence_nr = next_sequence_nr()


def store(target: Tensor, value: Any, name: str) -> None:
    """Writes without recording."""
    report_written(target, name, put_values(target, value), None)


def put_values(target: Tensor, value: Any) -> int:
    """Writes and raises the version; returns what it was before.

    Raises:
        RuntimeError: for an inference tensor, which has no version to raise. (As in PyTorch, it is written by then.)
    """
    if modes.before_write is not None:
        modes.before_write(target)
    array = materialise(target)
    array[...] = value.real if array.dtype.kind != "c" and getattr(value, "dtype", array.dtype).kind == "c" else value
    return raise_version(target)


def raise_version(target: Tensor) -> int:
    """Counts a write that just happened; returns what the version was before.

    Raises:
        RuntimeError: for an inference tensor, which has no version to raise.
    """
    if target._inference and not modes.inference:
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed."
            "You can make a clone to get a normal tensor before doing inplace update."
            "See https://github.com/pytorch/rfcs/pull/17 for more details."
        )
    counter = shared_counter(target)
    counter.value += 1
    return counter.value - 1


def report_written(target: Tensor, name: str, before: int, node: Any) -> None:
    """Tells the listener; ``node`` is the new grad_fn of the tensor, or of its base if it is a view."""
    if observing.listener is not None:
        observing.listener.written(target, name, before, before + 1, node)


def repair_saved_result(node: Any, target: Tensor) -> None:
    """A derivative that keeps the result must keep what now stands in the target, at its new version."""
    for entry in node.saved:
        if isinstance(entry, SavedResult):
            entry.array, entry.counter = target._array, target._counter
            entry.version = shared_counter(target).value
            entry.weak = lambda: None
