"""What a tensor does with its gradient: holds it in ``.grad``, adds to it, and tells its hooks.

A leaf's ``.grad`` is filled by its `AccumulateGrad`; a result keeps one only if ``retain_grad`` asked for it. `engine.tensor.Tensor`
is this and everything else.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable
from sys import getrefcount
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from engine import dtype as dtypes
from engine.autograd import backward as backward_pass
from engine.autograd.accumulate_grad import NOT_CHOSEN
from engine.autograd.currency import currency, plus
from engine.autograd.handles import RemovableHandle, add_hook
from engine.autograd.layout import copied_like
from engine.autograd.modes import state as modes
from engine.autograd.node import Node
from engine.autograd.stealing import ALONE, HELD, fits
from engine.dtype_names import SCALAR_TYPE, c_type
from engine.observe import state as observing

if TYPE_CHECKING:
    from engine.tensor import Tensor

NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
    "use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the "
    "leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)


class HoldsGradient:
    """The half of a tensor that looks backward."""

    _grad: Tensor | None = None
    _hooks: dict[int, Callable[..., Any]] | None = None
    """Tensor hooks of a leaf (those of a result live on its grad_fn)."""
    _result_hooks: dict[int, Callable[..., Any]] | None = None
    """Where a result's hooks live, once it has one."""
    _post_accumulate: dict[int, Callable[..., Any]] | None = None
    _grad_dtype: Any = NOT_CHOSEN
    _retains: bool = False

    if TYPE_CHECKING:
        _array: Any
        device: Any
        _accumulator: Any
        _node: Node | None
        detach_: Any
        _output_nr: int

        _strided: ClassVar[bool]
        dtype: Any
        grad_fn: Any
        requires_grad: Any

    # ── .grad ────────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def grad(self) -> Tensor | None:
        """The accumulated gradient; None until a backward pass reached this leaf."""
        if self._grad is None and self._node is not None and not self._retains:
            warnings.warn(NON_LEAF_GRAD, UserWarning, stacklevel=2)
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, HoldsGradient):
                raise TypeError(
                    f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}"
                )
            if value is self:
                raise RuntimeError("can't assign Variable as its own grad")
            if self._grad_dtype is not None and value._array.dtype != self._gradient_array_dtype:
                wanted = dtypes.BY_ARRAY[self._gradient_array_dtype]
                raise RuntimeError(
                    f"attempting to assign a gradient with dtype '{c_type(value)}' to a tensor with grad_dtype "
                    f"'{SCALAR_TYPE[wanted.name]}'. The gradient must match the tensor's grad_dtype (defaults to the tensor's dtype). You "
                    "can set the tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. Set grad_dtype with "
                    "caution. Diverging the dtypes of a tensor and its gradient may break downstream systems that assume they match."
                )
            if value._strided and not self._strided:
                raise RuntimeError(
                    "attempting to assign a gradient to a tensor that has data of a different type: the tensor is sparse, the "
                    "gradient must be so too"
                )
            if modes.meta_met and value.device != self.device:
                raise RuntimeError(
                    f"attempting to assign a gradient with device type '{value.device}' to a tensor with device type '{self.device}'. "
                    "Please ensure that the gradient and the tensor are on the same device"
                )
            if value._array.shape != self._array.shape:
                raise RuntimeError(
                    f"attempting to assign a gradient of size '{list(value._array.shape)}' to a tensor of size "
                    f"'{list(self._array.shape)}'. Please ensure that the gradient and the tensor are the same size"
                )
        elif self._grad is not None and observing.listener is not None:
            observing.listener.gradients_zeroed([self], to_none=True)
        before, self._grad = self._grad, value
        if value is not None and value is not before and observing.listener is not None:
            observing.listener.gradient_set(self, before, value)

    @grad.deleter
    def grad(self) -> None:
        self.grad = None

    @property
    def grad_dtype(self) -> dtypes.dtype | None:
        """The element type in which this leaf's gradient accumulates; its own, unless set. None leaves it open.

        Raises:
            RuntimeError: for a result, or for something that is no dtype.
        """
        if self.grad_fn is not None:
            raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
        chosen: dtypes.dtype | None = self.dtype if self._grad_dtype is NOT_CHOSEN else self._grad_dtype
        return chosen

    @grad_dtype.setter
    def grad_dtype(self, value: dtypes.dtype | None) -> None:
        if value is not None and not isinstance(value, dtypes.dtype):
            raise RuntimeError(f"grad_dtype must be a torch.dtype or None, but got {type(value).__name__}")
        if self.grad_fn is not None:
            raise RuntimeError("grad_dtype can only be set on leaf tensors.")
        if value is not None and self._grad is not None and self._grad.dtype != value:
            raise RuntimeError(
                f"Cannot set grad_dtype to '{value}' because there is already a gradient with dtype '{self._grad.dtype}'. Please "
                "clear the gradient (.grad = None) before changing grad_dtype."
            )
        self._grad_dtype = value
        node = self._accumulator() if self._accumulator is not None else None
        if node is not None:
            node.match()

    @property
    def _gradient_array_dtype(self) -> Any:
        """The numpy dtype in which its gradient arrives."""
        chosen = self._grad_dtype
        return self._array.dtype if chosen is None or chosen is NOT_CHOSEN else chosen.array

    @property
    def retains_grad(self) -> bool:
        """Whether ``retain_grad`` was called on this result."""
        return self._retains

    def retain_grad(self) -> None:
        """Asks that a result keep its gradient like a leaf. No effect on leaves.

        Raises:
            RuntimeError: for a tensor that does not require grad.
        """
        if not self.requires_grad:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        refuse_inside_transforms("retain_grad()", "retain_grad()")
        if self._node is None or self._retains:
            return
        node = self.grad_fn
        assert node is not None
        backward_pass.retain(node, self)
        self._retains = True
        if observing.listener is not None:
            observing.listener.retain_grad_asked(self)

    def _accumulate_bare(self, incoming: Any) -> None:
        """`_accumulate` of a bare array, when nobody listens, records or hooks in."""
        held = self._grad
        if held is None:
            alone = getrefcount(incoming) <= ALONE and fits(incoming, self._array)
            self._grad = currency.wrap(incoming if alone else copied_like(incoming, self._array))
        elif isinstance(held._array, np.generic):
            held._array = held._array + incoming
            if held._counter is not None:
                held._counter.value += 1
        else:
            self._add_in_place(held, currency.wrap(incoming))

    def _add_in_place(self, held: Tensor, incoming: Tensor) -> None:
        """``.grad`` grows where it lies; a sparse one becomes dense when something dense arrives."""
        if becomes_dense(held, incoming):
            self._grad = incoming + held
        else:
            held.add_(incoming)

    def _accumulate(self, incoming: Tensor, node: Node) -> None:
        """AccumulateGrad's work: ``.grad`` becomes ``incoming``, or is added to (in place unless recording)."""
        listener, observing.listener = observing.listener, None
        try:
            old = self._grad
            if old is None:
                alone = (
                    not modes.grad_enabled and getrefcount(incoming) <= ALONE and getrefcount(incoming._array) <= HELD
                )
                if alone and not incoming._strided:
                    alone = incoming._array.lies_in_order()
                else:
                    alone = alone and fits(incoming._array, self._array)
                stored = currency.wrap(incoming._array if alone else copied_like(incoming._array, self._array))
                if incoming._requires_grad:
                    stored = stored.copy_(incoming)
                elif modes.dispatching:
                    stored = incoming.detach() if alone else incoming.clone()
                before = None
            elif modes.grad_enabled:
                before, stored = old, incoming + old if becomes_dense(old, incoming) else old + incoming
            elif becomes_dense(old, incoming):
                before, stored = old, incoming + old
            else:
                before = copied(old) if listener is not None else None
                old.add_(incoming)
                stored = old
            self._grad = stored
        finally:
            observing.listener = listener
        if listener is not None:
            listener.gradient_stored(self, node, before, incoming, stored, retained=False)

    def _retain(self, gradient: Tensor, node: Node) -> None:
        """retain_grad's work, when the gradient of this result is complete."""
        old = self._grad
        self._grad = copied(gradient) if old is None else plus(old, gradient)
        if observing.listener is not None:
            observing.listener.gradient_stored(self, node, old, gradient, self._grad, retained=True)

    # ── hooks ────────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def _grad_fn(self) -> Node | None:
        """PyTorch's other name for ``grad_fn``, which can be set to None: that takes the tensor out of the graph.

        Raises:
            RuntimeError: it is set to anything else, or deleted.
        """
        node: Node | None = self.grad_fn
        return node

    @_grad_fn.setter
    def _grad_fn(self, value: None) -> None:
        if value is not None:
            raise RuntimeError("_grad_fn can be only set to None")
        self.detach_()

    @_grad_fn.deleter
    def _grad_fn(self) -> None:
        raise RuntimeError("Deletion of _grad_fn not allowed. Detach tensor instead!")

    @property
    def _post_accumulate_grad_hooks(self) -> dict[int, Callable[..., Any]] | None:
        """The hooks that run after accumulation, or None if it never had any."""
        return self._post_accumulate

    @property
    def _backward_hooks(self) -> dict[int, Callable[..., Any]] | None:
        """Its tensor hooks, or None if it never had any."""
        node = self._node
        return self._hooks if node is None or self._hooks else (node.tensor_hooks or {}).get(self._output_nr)

    @_backward_hooks.setter
    def _backward_hooks(self, hooks: dict[int, Callable[..., Any]] | None) -> None:
        self._hooks = hooks

    @_backward_hooks.deleter
    def _backward_hooks(self) -> None:
        raise RuntimeError("Deletion of _backwards_hooks not allowed!")

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Calls ``hook(gradient)`` whenever this tensor's gradient is complete; a returned tensor replaces it.

        Raises:
            RuntimeError: for a tensor that does not require grad.
        """
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self._result_hooks is not None:  # they stay with the grad_fn of the first, whatever was written since
            return add_hook(self._result_hooks, hook)
        try:
            node = self.grad_fn
        except RuntimeError:
            self._result_hooks = OrderedDict()  # as in PyTorch, the next one is taken, and never heard of
            raise
        if node is None:
            if self._hooks is None:
                self._hooks = OrderedDict()
            return add_hook(self._hooks, hook)
        if node.tensor_hooks is None:
            node.tensor_hooks = {}
        node.hooked = True
        self._result_hooks = node.tensor_hooks.setdefault(self._output_nr, OrderedDict())
        return add_hook(self._result_hooks, hook)

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Calls ``hook(leaf)`` after each accumulation into ``leaf.grad``.

        Raises:
            RuntimeError: for anything but a leaf that requires grad.
        """
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self.grad_fn is not None:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        if self._post_accumulate is None:
            self._post_accumulate = OrderedDict()
        return add_hook(self._post_accumulate, hook)


def becomes_dense(held: Tensor, incoming: Tensor) -> bool:
    """Whether something dense arrives where the gradient was sparse so far."""
    return incoming._strided and not held._strided


def copied(tensor: Tensor) -> Tensor:
    """An untracked copy that shares nothing."""
    array = tensor._array
    copy: Tensor = currency.wrap(array if isinstance(array, np.generic) else array.copy())
    return copy


def refuse_inside_transforms(spelled: str, method: str) -> None:
    """Raises RuntimeError: a transform is at work, whose wrappers cannot do what is asked.

    Args:
        spelled: what was called, as PyTorch's message begins.
        method: the same, as it ends.
    """
    if modes.layers:
        raise RuntimeError(
            f"You are attempting to call Tensor.{spelled} inside of a function being transformed by a functorch transform. This "
            "is unsupported, please attempt to use the functorch transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call "
            f"{method} outside of a function being transformed instead."
        )


HoldsGradient.__module__, HoldsGradient.__name__, HoldsGradient.__qualname__ = "torch._C", "TensorBase", "TensorBase"
"""As ``torch.Tensor.__mro__`` shows it."""

for _method in (HoldsGradient.register_hook, HoldsGradient.register_post_accumulate_grad_hook):
    _method.__qualname__ = f"Tensor.{_method.__name__}"  # Python's errors about arguments say it
