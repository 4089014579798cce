"""An operator: one kernel on arrays, its derivatives, and what a call does.

A call (`Operator.call`) puts its arguments into signature order and runs: `compute` (tensors to arrays, promotion, the kernel),
`record` (a node, if anything differentiable requires grad), and a report to the listener. On the way back, `pull_back` asks the
derivatives.

What a derivative needs is read off its parameter names at declaration (`engine.ops.core.plan`), so recording only runs the
plan. Derivatives are written in differentiable operators; second derivatives come free.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from inspect import cleandoc
from typing import Any, ClassVar

import numpy as np

from engine.autograd.anomaly import remember
from engine.autograd.modes import state as modes
from engine.autograd.node import NO_EDGE, Edge, Node
from engine.observe import state as observing
from engine.ops.core.arrangement import Order
from engine.ops.core.batching import mark
from engine.ops.core.methods import BUILT_IN, shown_as
from engine.ops.core.misuse import SURPRISED, diagnosed, plain_numbers, require_flags, require_tensor, taken_out
from engine.ops.core.operator_node import TENSOR_ENTRIES, OperatorNode
from engine.ops.core.outputs import write_out
from engine.ops.core.parameters import flat, parameters_of
from engine.ops.core.promotion import Promotion
from engine.ops.core.refused_dtypes import refuse_whole_result
from engine.ops.core.results import result_type
from engine.ops.core.signature import Signature
from engine.ops.core.spelled_call import SUSPICIOUS, require_fit, require_room_for_out, settled
from engine.ops.core.usual import Usual
from engine.ops.core.view_links import link_views, remember_call
from engine.storage import mark_inference
from engine.tensor import Tensor, new, wrap

Kernel = Callable[..., Any]
NUMBERS = frozenset({bool, int, float, complex})
TRACKABLE = frozenset("fcV")
"""Kinds of numpy dtypes that can have a gradient (V is bfloat16)."""


class MadeLater:
    """An attribute that is made when a call is first recorded.

    A program uses a few of the catalogue's operators, and importing declares them all.
    """

    def __set_name__(self, owner: type[Operator], name: str) -> None:
        self.name = name

    def __get__(self, operator: Operator, owner: type[Operator]) -> Any:
        Operator.make_recording(operator)
        return operator.__dict__[self.name]


@shown_as(BUILT_IN)
class Operator:
    """One entry of the catalogue; calling it is calling ``torch.<name>``.

    Attributes:
        name: PyTorch's name of the function.
        signature: parameter names and defaults, for binding.
        differentiable: positions of the parameters that have a derivative, in edge order.
        derivatives: one runner ``(gradient, values, node) -> gradient`` per such parameter.
        plan: ``(arguments, results, needs) -> entries``, one entry per saved name.
        without_tensors: ``entries -> entries``, when a node lets go of them.
        node_type: the Node subclass with PyTorch's class name.
        promotion: how argument dtypes are brought together before the kernel, or None.
        outputs: field names of a structured result, or ().
        is_view: results share storage with the first argument.
        sequential: the kernel takes as many turns as the first argument is long.
        holomorphic: derivatives are written as in complex analysis (see `engine.ops.core.declare.operator`).
        formula, explanation, family, sources: what people are shown; ``sources`` are the derivatives by parameter
            (``joint`` for one function that yields all).
    """

    dispatched: ClassVar[Callable[..., tuple[Any, list[Tensor]]]]
    """`compute` while somebody else may (`engine.ops.core.dispatch`, `engine.ops.sparse.kernels`; both stand above this file)."""
    make_recording: ClassVar[Callable[[Operator], None]]
    """Fills in what follows (`engine.ops.core.plan`, which stands above this file)."""
    derivatives = MadeLater()
    joint = MadeLater()
    plan = MadeLater()
    without_tensors = MadeLater()
    node_type = MadeLater()
    arithmetic = MadeLater()
    """All derivatives at once on arrays, if they use nothing but operators on their parameters."""

    def __init__(self, name: str, definition: Kernel, signature: Signature) -> None:
        self.name = name
        self.definition = definition
        """The kernel as it was written, with its own parameters."""
        self.signature = signature
        self.usual = Usual(parameters_of(definition))
        self.differentiable: tuple[int, ...] = ()
        self.promotion: Promotion | None = None
        self.outputs: tuple[str, ...] = ()
        self.nondifferentiable: frozenset[int] = frozenset()
        self.is_view = False
        self.link: Callable[[Tensor, list[Tensor], bool], None] = link_views
        """Tells views what they look at (`engine.ops.core.view_links`)."""
        self.order: Order | None = None
        """In which order the elements of a new result are put, if its kernel leaves that open."""
        self.holomorphic = False
        self.sequential = False
        self.undefined_gradients = False
        self.tensors: tuple[int, ...] = ()
        """Positions of the arguments for which no number may stand."""
        self.has_number_overload = False
        """Whether PyTorch has the function in a second form that takes a number."""
        self.short: Callable[..., Any] = self.call
        """The short way (`engine.ops.core.short`), set once everything is declared."""
        self.number_twin: Operator | None = None
        """What PyTorch's own derivatives use for a tensor and a number: ``MulBackward1``, where people get ``MulBackward0``."""
        self.keeps_tensors = False
        """Whether its nodes keep tensors, which have to be looked at before a derivative gets them."""
        self.keeps_lists = False
        """Whether they keep lists of tensors."""
        self.spreads = False
        """Whether one derivative feeds several edges (a joint derivative, or an argument that is a list)."""
        self.formula = ""
        self.family = ""
        self.grad_fn = ""
        """PyTorch's name of its nodes, where it does not follow from ``name``."""
        self.sources: dict[str, Callable[..., Any]] = {}
        self.recorded: dict[str, Callable[..., Any]] = {}
        """Derivatives that stand in for those in `sources` while they are recorded (`engine.ops.core.recorded`)."""
        self.bare: dict[str, Callable[..., Any]] = {}
        """Derivatives on arrays, where those in `sources` cannot be run on them or would round otherwise."""
        self.sums_in_any_dtype = False
        """Whether ``dtype=`` can ask a tensor that requires grad for whole numbers, which PyTorch refuses to record."""
        self.derives_in_float = False
        """Whether PyTorch's derivative is one kernel, which takes halves to float32 and rounds once."""
        self.rounds_steps = False
        """Whether `bare` gives what PyTorch's kernel gives for halves as well, which it then rounds at each step."""
        self.recorded_derivatives: tuple[Callable[..., Any], ...] = ()
        self.turns: tuple[int, ...] = ()
        """In which order the derivatives are computed while they are recorded, by place; empty for the order of the edges."""
        self.recorded_joint: Callable[..., Any] | None = None
        """One function of that kind for all arguments."""
        self.shown: tuple[str, ...] = ()
        """What PyTorch exposes as ``_saved_…`` though no derivative asks for it."""
        self.__name__ = name
        self.__doc__ = definition.__doc__

    @cached_property
    def class_name(self) -> str:
        """Of its nodes, as PyTorch calls them."""
        return self.grad_fn or f"{camel(self.name)}Backward0"

    @cached_property
    def kernel(self) -> Kernel:
        """Forward on numpy arrays, its arguments by position however it was written."""
        from engine.ops.core.kernel_dtypes import refusing  # here, since importing torch should be quick

        return refusing(self.name, flat(self.definition))

    @cached_property
    def result_type(self) -> Any:
        """The constructor of a structured result; None for a plain tuple or a single tensor."""
        return result_type(self.name, self.outputs)

    @cached_property
    def explanation(self) -> str:
        """The kernel's docstring."""
        return cleandoc(self.__doc__ or "")

    def __repr__(self) -> str:
        return f"<built-in method {self.name} of type object at {id(type(self)):#x}>"

    def __dir__(self) -> list[str]:
        """What a built-in function shows."""
        return dir(len)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the operator on tensors and Python values, with PyTorch's argument names."""
        return self.short(*args, **kwargs)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """The general way: any argument, any mode, anybody listening."""
        try:
            if not self.usual.holds(args, kwargs):
                require_fit(self.usual, self, args, kwargs)
            out, named = None, kwargs
            if "out" in kwargs:
                require_room_for_out(self, args, kwargs)
                named = dict(kwargs)  # what is said of a call that fails tells all that was given
                out = taken_out(self.name, named)
            arguments = self.signature.bind(self.name, args, named)
            if self.tensors:
                require_tensor(self.name, self.signature, self.tensors, arguments, args, self.has_number_overload)
            if self.signature.numbers:
                arguments = plain_numbers(self.name, self.signature, arguments, len(args))
            if self.signature.flags:
                require_flags(self.name, self.signature, arguments)
            result = self.run(arguments)
            return result if out is None else write_out(result, out, self, arguments)
        except SUSPICIOUS as error:
            return settled(error, self, args, kwargs)

    def run(self, arguments: tuple[Any, ...]) -> Any:
        """A call with arguments already in signature order."""
        if modes.deriving and self.number_twin is not None and type(arguments[1]) in NUMBERS:
            return self.number_twin.run(arguments[:2])
        if modes.intercepting:
            value, tensors = self.dispatched(arguments)
        else:
            value = self.compute(arguments)
            tensors = [wrap(v) for v in value] if type(value) in (tuple, list) else [wrap(value)]
        node = None
        if self.is_view:
            self.link(arguments[0], tensors, type(value) is tuple)
            if modes.view_replay:
                remember_call(self, arguments, tensors)
        elif modes.inference:
            for tensor in tensors:
                mark_inference(tensor)
        if modes.grad_enabled and self.differentiable and not modes.inference:
            node = self.record(arguments, tensors)
        if modes.layers:
            mark(self.name, arguments, tensors)
        if modes.forward_level:
            self.push_forward(arguments, tensors)
        if observing.listener is not None:
            observing.listener.operation(self, arguments, tensors, node)
        if type(value) not in (tuple, list):
            return tensors[0]
        return tuple(tensors) if self.result_type is None else self.result_type(tensors)

    def compute(self, arguments: tuple[Any, ...]) -> Any:
        """The kernel's value: an array or scalar, or a tuple of them."""
        if self.is_view:
            arguments[0]._array = np.asarray(arguments[0]._array)
        arrays = [array_of(a) for a in arguments]
        try:
            if self.promotion is not None:
                for position in self.promotion.positions:
                    # A number to PyTorch, not a tensor of no dimensions.
                    if isinstance(arguments[position], np.generic):
                        arrays[position] = arguments[position].item()
                self.promotion.apply(arrays)
            value = self.kernel(*arrays)
        except SURPRISED as error:
            operands = self.differentiable if self.promotion is None else self.promotion.positions
            raise diagnosed(self.name, self.signature, operands, arguments, error) from None
        if self.order is None:
            return value
        if type(value) is tuple:
            return tuple([v if v.ndim < 2 else self.order(v, arrays) for v in value])
        return value if type(value) is not np.ndarray or value.ndim < 2 else self.order(value, arrays)

    def record(self, arguments: tuple[Any, ...], results: list[Tensor]) -> Node | None:
        """Makes the node that will carry gradients from the results to the arguments, if any argument requires grad."""
        alone = results[0] if len(results) == 1 else None
        if alone is not None and (self.nondifferentiable or alone._array.dtype.kind not in TRACKABLE):
            if self.sums_in_any_dtype:
                refuse_whole_result(arguments[0], alone)
            return None  # before a leaf gets an AccumulateGrad that nothing would lead to
        edges: list[Edge] = []
        needs: list[bool] = []
        tracked_input = False
        for position in self.differentiable:
            argument = arguments[position]
            if isinstance(argument, Tensor):
                if argument._requires_grad or (argument._base is not None and argument.requires_grad):
                    tracked_input, edge = True, argument._gradient_edge()
                    edges.append(edge)
                    # A view may require grad through its base and yet have no node to send to.
                    needs.append(edge[0] is not None)
                else:
                    edges.append(NO_EDGE)
                    needs.append(False)
            elif type(argument) in (list, tuple):
                self.spreads = True
                part = [t._gradient_edge() if isinstance(t, Tensor) and t.requires_grad else NO_EDGE for t in argument]
                edges += part
                needs.append(any(e[0] is not None for e in part))
                tracked_input = tracked_input or needs[-1]
            else:
                edges.append(NO_EDGE)
                needs.append(False)
        if not tracked_input or (modes.inference_met and self.sees_only_inference(arguments)):
            return None
        node: OperatorNode = new(self.node_type)
        if alone is not None:
            array = alone._array
            node.shapes, node.dtypes = (array.shape,), (array.dtype,)
            alone._node, alone._requires_grad = node, True
        elif not self._attach(node, results):
            return None
        node.sequence_nr = modes.sequence_nr
        modes.sequence_nr += 1
        node.edges = tuple(edges)
        node.saved = self.plan(arguments, results, needs)
        if modes.anomaly:
            remember(node)
        return node

    def sees_only_inference(self, arguments: tuple[Any, ...]) -> bool:
        """Whether all operands are inference tensors, even such as require grad: then nothing is recorded."""
        operands = () if self.promotion is None else [arguments[place] for place in self.promotion.positions]
        tensors = [t for a in arguments for t in (a if type(a) in (list, tuple) else (a,)) if isinstance(t, Tensor)]
        numbers = any(type(operand) in NUMBERS for operand in operands)
        return not numbers and self.name != "clone" and all(t._inference for t in tensors)

    def _attach(self, node: OperatorNode, results: list[Tensor]) -> bool:
        """Makes ``node`` the grad_fn of those of several results that can have a gradient; False if none can."""
        tracked = [
            (i, r)
            for i, r in enumerate(results)
            if i not in self.nondifferentiable and r._array.dtype.kind in TRACKABLE
        ]
        if not tracked:
            return False
        # Outputs are counted from the first one that can have a gradient (L is output 0 of P, L, U).
        first, last = tracked[0][0], tracked[-1][0]
        node.shapes = [r._array.shape for r in results[first : last + 1]]
        node.dtypes = [r._array.dtype for r in results[first : last + 1]]
        if last + 1 < len(results):
            node.trailing = len(results) - last - 1
        for i, result in tracked:
            result._node, result._output_nr, result._requires_grad = node, i - first, True
        return True

    def pull_back(self, node: OperatorNode, gradient: Any, values: list[Any]) -> Sequence[Any]:
        """One gradient (or None) per edge, where derivatives and edges do not pair up one to one."""
        if self.keeps_lists:
            values = [
                [e._unpack(node) if type(e) in TENSOR_ENTRIES else e for e in v] if type(v) is list else v
                for v in values
            ]
        if self.joint is not None:
            joint = self.recorded_joint if modes.deriving and self.recorded_joint is not None else self.joint
            return self.spread(node, joint(gradient, values, node))
        derivatives = self.recorded_derivatives if modes.deriving and self.recorded_derivatives else self.derivatives
        if len(derivatives) == len(node.edges):
            return [
                None if edge[0] is None else only(derive(gradient, values, node))
                for edge, derive in zip(node.edges, derivatives, strict=True)
            ]
        return self.spread(node, [derive(gradient, values, node) for derive in derivatives])

    @staticmethod
    def spread(node: Node, gradients: Sequence[Any]) -> Sequence[Any]:
        """Flattens the gradients of list arguments, and drops those nobody needs."""
        flat: list[Any] = []
        for gradient in gradients:
            if isinstance(gradient, list | tuple):
                flat += gradient
            else:
                flat.append(gradient)
        if len(flat) < len(node.edges):
            flat += [None] * (len(node.edges) - len(flat))
        return [None if edge[0] is None else g for edge, g in zip(node.edges, flat, strict=True)]

    def push_forward(self, arguments: tuple[Any, ...], results: list[Tensor]) -> None:
        """Forward-mode derivative; `engine.transforms.forward` fills this in for every operator."""


def camel(name: str) -> str:
    """``log_softmax`` → ``LogSoftmax``, ``conv2d`` → ``Conv2D``: capitals begin words and follow digits."""
    return re.sub(r"(?:^|_+|(?<=\d))([a-z])", lambda found: found[1].upper(), name).replace("_", "")


def only(gradient: Any) -> Any:
    """The gradient of an argument with one edge: a list of one tensor has a list of one gradient."""
    return gradient[0] if isinstance(gradient, list | tuple) else gradient


def array_of(argument: Any) -> Any:
    """A tensor's array; a list of tensors as a list of arrays; anything else as it is."""
    if isinstance(argument, Tensor):
        return argument._array
    if type(argument) in (list, tuple) and any(isinstance(a, Tensor) for a in argument):
        return [a._array if isinstance(a, Tensor) else a for a in argument]
    return argument
