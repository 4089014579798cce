"""``torch.autograd.Function``: an operation whose forward and backward the person writes.

The context handed to ``forward`` **is** the backward node: what is saved on it is what ``backward`` finds, and the outputs' ``grad_fn`` is
that same object. One node class exists per Function, named ``<Function>Backward``, as in PyTorch.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, ClassVar

from engine.autograd.anomaly import remember
from engine.autograd.delayed_error import DelayedError
from engine.autograd.forward_switch import _set_fwd_grad_enabled
from engine.autograd.function_node import CONTEXT, BackwardCFunction
from engine.autograd.function_outputs import finish, is_tensor
from engine.autograd.modes import no_grad, state
from engine.autograd.node import NO_EDGE, SHOWN, next_sequence_nr

NO_BACKWARD = "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward mode AD."


class FunctionMeta(type):
    """Gives every Function its node class."""

    __module__ = "torch.autograd.function"

    def __init__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> None:
        super().__init__(name, bases, body)
        cls._backward_cls = type(f"{name}Backward", (BackwardCFunction,), {"_forward_cls": cls})
        cls._backward_cls.__module__ = "torch.autograd.function"
        cls._forward_cls = cls

    def __dir__(cls) -> list[str]:
        """What PyTorch's functions have, and what the person wrote; what the engine keeps on nodes is nobody's business."""
        hidden = set(dir(BackwardCFunction)).difference(SHOWN, CONTEXT)
        return [name for name in super().__dir__() if name.startswith("_") or name not in hidden]


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
        raise NotImplementedError(NO_BACKWARD)

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
    def _own_backward(cls) -> Callable[..., Any]:
        """The person's ``backward``, or ``vjp``, which is another name for it.

        Raises:
            RuntimeError: both are written.
            NotImplementedError: neither is.
        """
        own_backward, own_vjp = cls.backward is not Function.backward, cls.vjp is not Function.vjp
        if own_backward and own_vjp:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only implement one of "
                "them."
            )
        if not own_backward and not own_vjp:
            raise NotImplementedError(NO_BACKWARD)
        return cls.backward if own_backward else cls.vjp

    @classmethod
    def _check_transformable(cls, separate: bool) -> None:
        """Raises RuntimeError: a ``torch.func`` transform needs a method that the person did not write."""
        if not separate:
            raise RuntimeError(
                "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override "
                "the setup_context staticmethod. For more details, please see "
                "https://pytorch.org/docs/main/notes/extending.func.html"
            )
        if state.batch_level:
            cls._check_batchable()

    @classmethod
    def _check_batchable(cls) -> None:
        """Raises RuntimeError: there is no one way in which it runs on a batch."""
        own = cls.vmap is not Function.vmap
        if cls.generate_vmap_rule and own:
            raise RuntimeError(
                f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an overridden vmap staticmethod. "
                "Please set generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid ambiguity. For more "
                "details, please see https://pytorch.org/docs/main/notes/extending.func.html"
            )
        if not cls.generate_vmap_rule and not own:
            raise RuntimeError(
                f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please override and implement the vmap "
                "staticmethod or set generate_vmap_rule=True. For more details, please see "
                "https://pytorch.org/docs/main/notes/extending.func.html"
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

    __module__ = "torch.autograd.function"


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
        stand_ins = [g.detach()._tracked() if is_tensor(g) else None for g in many]
        return DelayedError(TWICE, len(many))(*stand_ins)

    return once
