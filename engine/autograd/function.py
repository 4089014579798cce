"""``torch.autograd.Function``: an operation whose forward and backward the person writes.

The context handed to ``forward`` **is** the backward node: what is saved on it is what ``backward`` finds, and the outputs' ``grad_fn`` is
that same object. One node class exists per Function, named ``<Function>Backward``, as in PyTorch.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, ClassVar

import numpy as np

from engine.autograd.anomaly import remember
from engine.autograd.currency import currency
from engine.autograd.delayed_error import DelayedError
from engine.autograd.forward_switch import _set_fwd_grad_enabled
from engine.autograd.function_outputs import finish, is_tensor
from engine.autograd.modes import no_grad, state
from engine.autograd.node import NO_EDGE, Node, next_sequence_nr
from engine.autograd.running import at_work
from engine.autograd.saved import FREED, FREED_ERROR, open_saved
from engine.autograd.saved_hooks import raw_saved


class FunctionCtx:
    """What ``forward`` and ``setup_context`` may do with ``ctx``."""

    __module__ = "torch.autograd.function"

    to_save: Sequence[Any] = ()
    saved_for_forward: Sequence[Any] = ()
    dirty_tensors: Sequence[Any] = ()
    non_differentiable: Sequence[Any] = ()
    materialize_grads: bool = True
    _materialize_non_diff_grads: bool = True
    """Whether the same holds for outputs that were marked as not differentiable."""
    _is_pure_view: bool = False
    """Whether ``forward`` does nothing but make a view, so that autograd may follow writes to it by itself."""
    needs_input_grad: tuple[bool, ...] = ()

    def save_for_backward(self, *tensors: Any) -> None:
        """Keeps tensors for ``backward``, guarded against later in-place writes.

        Whether all are tensors or None is seen where they are kept, after ``forward``.
        """
        self.to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keeps tensors for ``jvp``."""
        self.saved_for_forward = tensors

    def mark_dirty(self, *tensors: Any) -> None:
        """Says which inputs ``forward`` wrote into."""
        self.dirty_tensors = tensors

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Says which outputs have no gradient."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether a gradient that did not arrive is given to ``backward`` as zeros (default) or as None.

        Raises:
            TypeError: the value is no bool.
        """
        if not isinstance(value, bool):
            raise TypeError(
                "set_materialize_grads received an invalid combination of arguments - expected (bool), but got "
                f"({type(value).__name__})"
            )
        self.materialize_grads = value


ACCESSED_TWICE = (
    "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on the autograd.Function. Either access "
    "saved_tensors only once, or set clear_saved_tensors_on_access=False."
)


class BackwardCFunction(Node, FunctionCtx):
    """The node of a custom Function; ``_forward_cls`` is the Function."""

    _forward_cls: ClassVar[Any]
    needs_input_grad: Any = None
    is_variable: tuple[bool, ...] = ()
    """Per argument of ``apply``: whether it was a tensor."""
    in_forward_mode: bool = False
    """While ``jvp`` runs, which sees what ``save_for_forward`` kept."""
    cleared: bool = False
    """Whether its saved tensors were handed out for good (``clear_saved_tensors_on_access``)."""
    output_shapes: Sequence[tuple[int, ...] | None] = ()
    constant_outputs: frozenset[int] = frozenset()
    """Numbers of the outputs marked as not differentiable."""

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{type(self).__name__} object at {id(self):#x}>"

    def __call__(self, *gradients: Any) -> Any:
        """Nodes written in Python cannot be run by hand.

        Raises:
            TypeError: always, in Python's words.
        """
        raise TypeError(f"'{type(self).__name__}' object is not callable")

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What ``save_for_backward`` kept.

        Raises:
            RuntimeError: after it was freed, or when it was written into; the second time, if the Function clears it on access.
        """
        if self.in_forward_mode:
            return tuple(self.saved_for_forward)
        if self.cleared:
            raise RuntimeError(ACCESSED_TWICE)
        if self.saved is FREED:
            raise RuntimeError(FREED_ERROR)
        opened = tuple(None if entry is None else open_saved(self, index) for index, entry in enumerate(self.saved))
        if self._forward_cls.clear_saved_tensors_on_access:
            self.saved, self.cleared = (), True
        return opened

    @property
    def _raw_saved_tensors(self) -> tuple[Any, ...]:
        """The entries themselves, to register hooks on.

        Raises:
            RuntimeError: after they were freed.
        """
        if self.saved is FREED:
            raise RuntimeError(FREED_ERROR)
        return tuple(raw_saved(self, index) for index in range(len(self.saved)))

    @property
    def saved_variables(self) -> tuple[Any, ...]:
        """Old name of ``saved_tensors``."""
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
        return self.saved_tensors

    def name(self) -> str:
        """The class name."""
        return type(self).__name__

    def apply(self, gradients: Sequence[Any]) -> Sequence[Any]:
        """Calls the person's ``backward`` and checks what it returns.

        Raises:
            RuntimeError: in PyTorch's words, for a wrong number of gradients or one where no tensor came in.
        """
        at_work(self)
        function = self._forward_cls
        own_backward, own_vjp = function.backward is not Function.backward, function.vjp is not Function.vjp
        if own_backward and own_vjp:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only implement one of "
                "them."
            )
        user = function.backward if own_backward else function.vjp
        if not own_backward and not own_vjp:
            raise NotImplementedError(
                "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
                "backward mode AD."
            )
        given = [self._completed(index, gradient) for index, gradient in enumerate(gradients)]
        returned = user(self, *given)
        return self._checked(returned if isinstance(returned, tuple) else (returned,))

    def _completed(self, index: int, gradient: Any) -> Any:
        """Zeros for a gradient that did not arrive, if they are asked for."""
        shape = self.output_shapes[index]
        if gradient is not None or shape is None or not self.materialize_grads:
            return gradient
        if index in self.constant_outputs and not self._materialize_non_diff_grads:
            return None
        return currency.wrap(np.zeros(shape, self.dtypes[index]))

    def _checked(self, returned: tuple[Any, ...]) -> list[Any]:
        expected = len(self.is_variable)
        if len(returned) > expected and all(g is None for g in returned[expected:]):
            returned = returned[:expected]
        if len(returned) != expected:
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected {expected}, got {len(returned)})"
            )
        messages = []
        for position, (gradient, variable) in enumerate(zip(returned, self.is_variable, strict=True)):
            if not variable:
                if gradient is not None:
                    raise RuntimeError(
                        f"function {self.name()} returned a gradient different than None at position {position + 1}, but the "
                        "corresponding forward input was not a Variable"
                    )
                continue
            if gradient is not None and not is_tensor(gradient):
                raise RuntimeError(f"expected Variable or None (got {type(gradient).__name__})")
            messages.append(gradient)
        return messages

    def held(self) -> Sequence[str]:
        """Names of what it still has."""
        return ["saved_tensors"] if self.saved is not FREED and self.saved else []

    def release(self) -> None:
        """Drops saved tensors."""
        self.saved = FREED


class FunctionMeta(type):
    """Gives every Function its node class."""

    def __init__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> None:
        super().__init__(name, bases, body)
        cls._backward_cls = type(f"{name}Backward", (BackwardCFunction,), {"_forward_cls": cls})
        cls._backward_cls.__module__ = "torch.autograd.function"
        cls._forward_cls = cls


class Function(BackwardCFunction, metaclass=FunctionMeta):
    """Subclass with static ``forward`` and ``backward``, then call ``apply``.

    An instance, which nobody needs, is a node that stands in no graph.
    """

    __module__ = "torch.autograd.function"

    _backward_cls: ClassVar[Any]
    generate_vmap_rule: ClassVar[bool] = False
    clear_saved_tensors_on_access: ClassVar[bool] = False
    """Whether ``ctx.saved_tensors`` gives the tensors away, so that ``backward`` may free them while it runs."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should invoke them "
            "on the class itself. Instantiating an autograd function will raise an error in a future version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )
        self.shapes = self.dtypes = ()
        self.sequence_nr = next_sequence_nr()

    __repr__ = object.__repr__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Raises RuntimeError: instances are not called; ``apply`` is."""
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function "
            "with static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Computes the result; the first argument is ``ctx`` unless ``setup_context`` is defined."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Saves what ``backward`` needs, apart from ``forward``."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """One gradient per argument of ``forward``, from one per output."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """One tangent per output, from one per argument."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Runs ``forward`` unrecorded, and records one node for it."""
        separate = cls.setup_context is not Function.setup_context
        if state.transforms or state.batch_level:
            cls._check_transformable(separate)
        if separate:
            args = with_defaults(cls.forward, args, kwargs)
        elif kwargs:
            args = in_places(cls.forward, args, kwargs)
        if state.batch_level:
            by_rule = cls._apply_by_rule(args)
            if by_rule is not NotImplemented:
                return by_rule
        return cls._applied(args, separate)

    @classmethod
    def _applied(cls, args: tuple[Any, ...], separate: bool, known: Any = NotImplemented) -> Any:
        """`apply` on arguments in order; the output may be ``known`` already."""
        node: Any = cls._backward_cls()
        node.is_variable = tuple(is_tensor(a) for a in args)
        tensors = [a for a in args if is_tensor(a)]
        tracked = state.grad_enabled and not state.inference and any(t.requires_grad for t in tensors)
        node.needs_input_grad = tuple(is_tensor(a) and a.requires_grad for a in args)
        node.sequence_nr = next_sequence_nr()
        if tracked:
            node.edges = tuple(t._gradient_edge() if t.requires_grad else NO_EDGE for t in tensors)
            if state.anomaly:
                remember(node)
        with no_grad(), _set_fwd_grad_enabled(False) if state.forward_level else nullcontext():
            if separate:
                output = cls.forward(*args) if known is NotImplemented else known
                cls.setup_context(node, args, output)
            else:
                output = cls.forward(node, *args)
        made = finish(cls, node, tensors, output, tracked, separate)
        if state.forward_level:
            cls._push_forward(node, args, made)
        node.dirty_tensors = node.non_differentiable = ()  # what stands behind the node must not be kept by it
        return made

    @classmethod
    def _check_transformable(cls, separate: bool) -> None:
        """Raises RuntimeError: a ``torch.func`` transform needs a method that the person did not write."""
        if not separate:
            raise RuntimeError(
                "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override "
                "the setup_context staticmethod, so that forward has no ctx."
            )
        own = cls.vmap is not Function.vmap
        if state.batch_level and cls.generate_vmap_rule and own:
            raise RuntimeError(
                f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an overridden vmap staticmethod. "
                "Please set generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid ambiguity."
            )
        if state.batch_level and not cls.generate_vmap_rule and not own:
            raise RuntimeError(
                f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please override and implement the vmap "
                "staticmethod or set generate_vmap_rule=True."
            )

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """A rule for batches: ``(output, out_dims)`` for arguments whose dimension ``in_dims`` is the batch.

        ``info`` has ``batch_size`` and ``randomness``.
        """
        raise NotImplementedError("vmap staticmethod is not implemented")

    @classmethod
    def _apply_by_rule(cls, args: tuple[Any, ...]) -> Any:
        """`apply` inside vmap; `engine.transforms.vmap_session` fills this in."""
        return NotImplemented

    @classmethod
    def _push_forward(cls, node: Any, args: tuple[Any, ...], outputs: Any) -> None:
        """Forward-mode derivative; `engine.transforms.forward` fills this in."""


Function.vjp = Function.backward


def with_defaults(forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """All arguments in the order of ``forward``'s parameters, which has no ``ctx``."""
    values = inspect.signature(forward).bind(*args, **kwargs)
    values.apply_defaults()
    return values.args


def in_places(forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The given arguments in the order of ``forward``'s parameters behind ``ctx``; ``forward`` itself fills in what follows them.

    Raises:
        TypeError: a keyword names no such parameter, or one that is given by place too, or leaves a gap.
    """
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [p.name for p in inspect.signature(forward).parameters.values() if p.kind in kinds][1:]
    for name in kwargs:
        if name not in names:
            raise TypeError(f"forward() got an unexpected keyword argument '{name}'")
        if names.index(name) < len(args):
            raise TypeError(f"forward() got multiple values for argument '{name}'")
    last = max(map(names.index, kwargs))
    for place, name in enumerate(names[len(args) : last + 1], len(args)):
        if name not in kwargs:
            raise TypeError(f"forward() missing required argument: '{name}' (position {place})")
    return (*args, *(kwargs[name] for name in names[len(args) : last + 1]))


class NestedIOFunction(Function):
    """Kept for its name."""


class InplaceFunction(Function):
    """Kept for its name."""

    __module__ = "torch.autograd.function"


TWICE = "trying to differentiate twice a function that was marked with @once_differentiable"


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a ``backward`` that must not be differentiated again; doing so raises."""

    @functools.wraps(backward)
    def once(ctx: Any, *gradients: Any) -> Any:
        with no_grad():
            returned = backward(ctx, *gradients)
        if not state.grad_enabled or not any(is_tensor(g) and g.requires_grad for g in gradients):
            return returned
        many = returned if isinstance(returned, tuple) else (returned,)
        stand_ins = [g.detach().requires_grad_() if is_tensor(g) else None for g in many]
        return DelayedError(TWICE, len(many))(*stand_ins)

    return once
