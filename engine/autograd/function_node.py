"""The context of a custom Function, which is its backward node."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from engine.autograd.currency import currency
from engine.autograd.function_outputs import is_tensor
from engine.autograd.modes import state
from engine.autograd.node import Node
from engine.autograd.running import at_work
from engine.autograd.saved import FREED, FREED_ERROR, open_saved
from engine.autograd.saved_hooks import raw_saved

ACCESSED_TWICE = (
    "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on the autograd.Function. Either access "
    "saved_tensors only once, or set clear_saved_tensors_on_access=False."
)


CONTEXT = (
    "__dict__", "__module__", "__weakref__", "_forward_cls", "_is_pure_view", "_materialize_non_diff_grads",
    "apply", "dirty_tensors", "mark_dirty", "mark_non_differentiable", "materialize_grads", "needs_input_grad", "non_differentiable",
    "save_for_backward", "save_for_forward", "saved_for_forward", "saved_tensors", "saved_variables", "set_materialize_grads",
    "to_save",
)  # fmt: skip
"""What ``dir`` says of a context, beside what it says of every node."""


class FunctionCtx:
    """What ``forward`` and ``setup_context`` may do with ``ctx``."""

    __module__ = "torch.autograd.function"

    to_save: Sequence[Any] | None = None
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


class BackwardCFunction(Node, FunctionCtx):
    """The node of a custom Function; ``_forward_cls`` is the Function."""

    __module__ = "torch.autograd.function"

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

    def __dir__(self) -> list[str]:
        """What PyTorch's contexts have, and what the person put on this one."""
        return [*super().__dir__(), *CONTEXT, *(name for name in vars(self) if not hasattr(type(self), name))]

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
            NotImplementedError: there is no ``backward``.
        """
        at_work(self)
        user = self._forward_cls._own_backward()
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
        zeros = currency.wrap(np.zeros(shape, self.dtypes[index]))
        if state.layers:
            zeros._layer = state.layers[-1].number  # made inside the transform, as every result of an operator there
        return zeros

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
