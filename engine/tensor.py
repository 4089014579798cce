"""The tensor: an array, and its place in the backward graph.

A `Tensor` holds a numpy array (``_array``) and what autograd knows about it. A **leaf** was made by the person; it may
require grad, and ``.grad`` is filled by its `AccumulateGrad`. A **result** has a ``grad_fn``, the node that will carry
its gradient on, and ``_output_nr``, which of that node's outputs it is. A **view** shares storage with ``_base``; all
tensors of one storage share a version counter, which every in-place write raises and saved tensors check.

``_array`` of a 0-d tensor may be an (immutable) numpy scalar, which computes several times faster than a 0-d array; whoever
needs storage (views, in-place writes, ``numpy()``) calls `materialise` first.

Nothing here computes: operators are declared in `engine.ops`, and attached to this class as methods by
`engine.ops.core.catalogue`. Attributes that most tensors never set are class attributes, so an instance costs only what differs.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Sequence
from sys import getrefcount
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from engine import dtype as dtypes
from engine.autograd import backward as backward_pass
from engine.autograd.currency import currency
from engine.autograd.handles import RemovableHandle, add_hook
from engine.autograd.layout import copied_like
from engine.autograd.modes import state as modes
from engine.autograd.node import NO_EDGE, AccumulateGrad, Edge, Node, accumulator
from engine.autograd.saved import DETACHED_ERROR, modified_error, tell_saved_memory, tell_saved_result
from engine.autograd.stealing import ALONE, HELD, fits
from engine.dtype_names import SCALAR_TYPE, c_type
from engine.errors import require_bool
from engine.observe import state as observing
from engine.size import Size

new = object.__new__


class Counter:
    """The version of one storage, shared by every tensor that looks at it."""

    __slots__ = ("value",)

    def __init__(self, value: int = 0) -> None:
        self.value = value


NOT_CHOSEN = object()
CUT: Any = object()
"""Stands in ``_tangent_source`` of a view that has nothing to do with the tangent of what it looks at."""


class Tensor:
    """``torch.Tensor``."""

    _array: Any
    _requires_grad: bool = False
    _grad_fn: Node | None = None
    _output_nr: int = 0
    _grad: Tensor | None = None
    _counter: Counter | None = None
    _base: Tensor | None = None
    _view_version: int = 0
    """For a view: the version of the storage when its grad_fn was last made."""
    _creation: str = ""
    """For a view: how it was made, if in-place writes to it are restricted: no_grad, multi_output, inference, custom."""
    _accumulator: Any = None
    _hooks: dict[int, Callable[..., Any]] | None = None
    """Tensor hooks of a leaf (those of a result live on its grad_fn)."""
    _result_hooks: dict[int, Callable[..., Any]] | None = None
    """Where a result's hooks live, once it has one."""
    _post_accumulate: dict[int, Callable[..., Any]] | None = None
    _grad_dtype: Any = NOT_CHOSEN
    _retains: bool = False
    _detached: bool = False
    """Whether ``detach_`` took it out of the graph: nodes that saved it before cannot use it any more."""
    _inference: bool = False
    _tangent: Any = None
    """Forward-mode derivative, while a dual level is on."""
    _tangent_source: Tensor | None = None
    """For a view: the tensor whose tangent its own is a part of, if that is not simply its base; CUT if there is none."""
    _view_steps: Any = ()
    """For a view that is no window on its base: the steps that lead to it (`engine.ops.core.view_links`)."""
    _special: bool = False
    """Whether it has either of the two above: what looks at it must know."""
    _batched: bool = False
    """Inside vmap: whether it differs per example."""
    _is_parameter: ClassVar[bool] = False
    _saves_itself: ClassVar[bool] = True
    """Whether a node may keep the bare tensor (`engine.autograd.saved`)."""
    __array_priority__: ClassVar[int] = 1000

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...
        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __rpow__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __getitem__(self, index: Any) -> Tensor: ...
        def __setitem__(self, index: Any, value: Any) -> None: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __invert__(self) -> Tensor: ...
        def __and__(self, other: Any) -> Tensor: ...
        def __or__(self, other: Any) -> Tensor: ...
        def __xor__(self, other: Any) -> Tensor: ...
        def __lshift__(self, other: Any) -> Tensor: ...
        def __rshift__(self, other: Any) -> Tensor: ...
        def __floordiv__(self, other: Any) -> Tensor: ...
        def __mod__(self, other: Any) -> Tensor: ...
        def __pos__(self) -> Tensor: ...
        def __contains__(self, other: Any) -> bool: ...
        def __eq__(self, other: object) -> Tensor: ...  # type: ignore[override]
        def __ne__(self, other: object) -> Tensor: ...  # type: ignore[override]
        def __hash__(self) -> int: ...

    def __delattr__(self, name: str) -> None:
        if name == "_grad_fn":
            raise RuntimeError("Deletion of _grad_fn not allowed. Detach tensor instead!")
        super().__delattr__(name)

    # ── what it is ───────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def shape(self) -> Size:
        """Its lengths by dimension."""
        return Size(self._array.shape)

    @property
    def dtype(self) -> dtypes.dtype:
        """Its element type."""
        return dtypes.BY_ARRAY[self._array.dtype]

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return self._array.ndim  # type: ignore[no-any-return]

    @property
    def itemsize(self) -> int:
        """Bytes per element."""
        return self._array.itemsize  # type: ignore[no-any-return]

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self._array.nbytes  # type: ignore[no-any-return]

    @property
    def is_leaf(self) -> bool:
        """Made by the person, or not tracked at all: no operation stands behind it."""
        return self.grad_fn is None

    @property
    def _version(self) -> int:
        if self._inference:
            raise RuntimeError("Inference tensors do not track version counter.")
        return 0 if self._counter is None else self._counter.value

    @property
    def _post_accumulate_grad_hooks(self) -> dict[int, Callable[..., Any]] | None:
        """The hooks that run after accumulation, or None if it never had any."""
        return self._post_accumulate

    @property
    def _backward_hooks(self) -> dict[int, Callable[..., Any]] | None:
        """Its tensor hooks, or None if it never had any."""
        node = self._grad_fn
        return self._hooks if node is None or self._hooks else (node.tensor_hooks or {}).get(self._output_nr)

    @_backward_hooks.setter
    def _backward_hooks(self, hooks: dict[int, Callable[..., Any]] | None) -> None:
        self._hooks = hooks

    @_backward_hooks.deleter
    def _backward_hooks(self) -> None:
        raise RuntimeError("Deletion of _backwards_hooks not allowed!")

    @property
    def output_nr(self) -> int:
        """Which output of its grad_fn it is."""
        return self._output_nr

    def _is_view(self) -> bool:
        return self._base is not None

    # ── its place in the graph ───────────────────────────────────────────────────────────────────────────────────────

    @property
    def grad_fn(self) -> Node | None:
        """The node that computed it; made anew when the storage of a view was written into since."""
        base = self._base
        if (
            base is not None
            and shared_counter(self).value != self._view_version
            and (self._grad_fn is not None or base.requires_grad)
        ):
            self._regenerate_grad_fn()
        return self._grad_fn

    @property
    def requires_grad(self) -> bool:
        """Whether gradients flow to or through it."""
        return self._requires_grad or (self._base is not None and self._base.requires_grad)

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool | np.bool_):
            raise RuntimeError("requires_grad must be a bool")
        value = bool(value)
        if self._grad_fn is not None:
            hint = (
                " If you want to use a computed variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach()."
                if not value
                else ""
            )
            raise RuntimeError(f"you can only change requires_grad flags of leaf variables.{hint}")
        self._set_requires_grad(value, "only Tensors of floating point dtype can require gradients")

    @requires_grad.deleter
    def requires_grad(self) -> None:
        raise RuntimeError("requires_grad must be a bool")

    def _set_requires_grad(self, value: bool, complaint: str) -> None:
        if value and self.dtype.category < dtypes.FLOAT:
            raise RuntimeError(complaint)
        if value and self._inference and not modes.inference:
            raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
        if value != self._requires_grad:
            self._requires_grad = value
            if observing.listener is not None:
                observing.listener.requires_grad_changed(self, value)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Sets ``requires_grad`` of a leaf and returns it; for a result that requires grad already, True changes nothing."""
        require_bool(requires_grad, "requires_grad_", "requires_grad", 1)
        if not (requires_grad and self._grad_fn is not None):
            self.requires_grad = requires_grad
        return self

    def _gradient_edge(self) -> Edge:
        """Where this tensor's gradient must be sent: its grad_fn, or its AccumulateGrad."""
        node = self._grad_fn if self._base is None else self.grad_fn
        if node is not None:
            return (node, self._output_nr)
        if not self._requires_grad:
            return NO_EDGE
        reference = self._accumulator
        node = reference() if reference is not None else None
        if node is None:
            node = accumulator(self)
            if observing.listener is not None:
                observing.listener.accumulator_made(node, self)
        return (node, 0)

    @property
    def grad(self) -> Tensor | None:
        """The accumulated gradient; None until a backward pass reached this leaf."""
        if self._grad is None and self._grad_fn is not None and not self._retains:
            warnings.warn(NON_LEAF_GRAD, UserWarning, stacklevel=2)
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, Tensor):
                raise TypeError(
                    f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}"
                )
            if value is self:
                raise RuntimeError("can't assign Variable as its own grad")
            if self._grad_dtype is not None and value._array.dtype != self._gradient_array_dtype:
                wanted = dtypes.BY_ARRAY[self._gradient_array_dtype]
                raise RuntimeError(
                    f"attempting to assign a gradient with dtype '{c_type(value)}' to a tensor with grad_dtype "
                    f"'{SCALAR_TYPE[wanted.name]}'. Convert the gradient first, or set the tensor's grad_dtype (None allows any dtype)."
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
        return self.dtype if self._grad_dtype is NOT_CHOSEN else self._grad_dtype

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
        if self._grad_fn is None or self._retains:
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
            self._grad = wrap(incoming if alone else copied_like(incoming, self._array))
        elif isinstance(held._array, np.generic):
            held._array = held._array + incoming
            if held._counter is not None:
                held._counter.value += 1
        else:
            held.add_(wrap(incoming))

    def _accumulate(self, incoming: Tensor, node: Node) -> None:
        """AccumulateGrad's work: ``.grad`` becomes ``incoming``, or is added to (in place unless recording)."""
        listener, observing.listener = observing.listener, None
        try:
            old = self._grad
            if old is None:
                alone = (
                    not modes.grad_enabled and getrefcount(incoming) <= ALONE and getrefcount(incoming._array) <= HELD
                )
                alone = alone and fits(incoming._array, self._array)
                stored = wrap(incoming._array if alone else copied_like(incoming._array, self._array))
                if incoming._requires_grad:
                    stored = stored.copy_(incoming)
                before = None
            elif modes.grad_enabled:
                before, stored = old, old + incoming
            else:
                before = own(old) if listener is not None else None
                old.add_(incoming)
                stored = old
            self._grad = stored
        finally:
            observing.listener = listener
        if listener is not None:
            listener.gradient_stored(self, node, before, incoming, stored, False)

    def _retain(self, gradient: Tensor, node: Node) -> None:
        """retain_grad's work, when the gradient of this result is complete."""
        old = self._grad
        self._grad = own(gradient) if old is None else old + gradient
        if observing.listener is not None:
            observing.listener.gradient_stored(self, node, old, gradient, self._grad, True)

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
            self._result_hooks = {}  # as in PyTorch, the next one is taken, and never heard of
            raise
        if node is None:
            if self._hooks is None:
                self._hooks = {}
            return add_hook(self._hooks, hook)
        if node.tensor_hooks is None:
            node.tensor_hooks = {}
        node.hooked = True
        self._result_hooks = node.tensor_hooks.setdefault(self._output_nr, {})
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
            self._post_accumulate = {}
        return add_hook(self._post_accumulate, hook)

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Sequence[Tensor] | Tensor | None = None,
    ) -> None:
        """Runs the backward pass from this tensor (`engine.autograd.backward.backward`)."""
        backward_pass.backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    # ── for the engine ───────────────────────────────────────────────────────────────────────────────────────────────

    def _touch(self) -> None:
        """Raises the version of the storage, as an in-place write does."""
        shared_counter(self).value += 1

    def _shared_counter(self) -> Counter:
        """The version counter of its storage, for another tensor that looks at it."""
        return shared_counter(self)

    def _alias(self) -> Tensor:
        """An untracked view of all of this tensor."""
        alias: Tensor = new(Tensor)
        alias._array = materialise(self)
        alias._base = self if self._base is None else self._base
        alias._counter = shared_counter(alias._base)
        self._counter = alias._counter
        alias._view_version = alias._counter.value
        if self._tangent_source is not None:
            alias._tangent_source = self if self._tangent_source is CUT else self._tangent_source
        alias._special, alias._view_steps = self._special, self._view_steps
        return alias

    def _unpack(self, node: Node) -> Tensor:
        """As a saved entry: it was saved before anybody wrote into it.

        Raises:
            RuntimeError: PyTorch's "modified by an inplace operation".
        """
        if self._counter is not None:
            if self._detached:
                raise RuntimeError(DETACHED_ERROR)
            self._shown(node)
        return self

    def _shown(self, node: Node) -> Tensor:
        """The same for people who look: it may have been taken out of the graph since."""
        if self._counter is not None and self._counter.value:
            raise RuntimeError(modified_error(self, 0, self._counter.value, self.grad_fn, self._output_nr))
        return self

    def _at(self, node: Node | None, output_nr: int, requires_grad: bool) -> Tensor:
        """These values at another tensor's place in the graph: an output of ``node``, or the leaf of an AccumulateGrad."""
        placed = Tensor._output_again(self._array, self._counter, None, 0)
        if isinstance(node, AccumulateGrad):
            placed._requires_grad, placed._accumulator = True, weakref.ref(node)
        elif node is not None:
            placed._grad_fn, placed._output_nr, placed._requires_grad = node, output_nr, True
        else:
            placed._requires_grad = requires_grad
        return placed

    @classmethod
    def _output_again(cls, array: Any, counter: Counter | None, node: Node | None, output_nr: int) -> Tensor:
        """A tensor equal to a node's saved output."""
        tensor: Tensor = new(Tensor)
        tensor._array = array
        if counter is not None:
            tensor._counter = counter
        if node is not None:
            tensor._grad_fn, tensor._output_nr, tensor._requires_grad = node, output_nr, True
        return tensor

    def _sum_to(self, shape: tuple[int, ...]) -> Tensor | None:
        """Undoes broadcasting from ``shape``; None when this shape cannot have come from it."""
        lead = self._array.ndim - len(shape)
        if lead < 0 or any(n not in (1, m) for n, m in zip(shape, self._array.shape[lead:], strict=True)):
            return None
        summed = [*range(lead), *(i + lead for i, n in enumerate(shape) if n == 1 and self._array.shape[i + lead] != 1)]
        result = self.sum(summed, keepdim=True) if summed else self
        return result.view(shape) if lead else result

    def _cast(self, array_dtype: Any) -> Tensor:
        """The same values in another numpy dtype (a complex gradient of a real tensor loses its imaginary part)."""
        target = dtypes.BY_ARRAY[array_dtype]
        source = self if target.is_complex or not self.dtype.is_complex else self.real
        return source.to(target)  # type: ignore[no-any-return]


NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
    "use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the "
    "leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more informations."
)


class Parameter(Tensor):
    """``torch.nn.Parameter``: a leaf that modules register; requires grad unless told otherwise."""

    _is_parameter = True

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        """Shares storage with ``data``."""
        require_bool(requires_grad, "_make_subclass", "require_grad", 3)
        parameter: Parameter = new(cls)
        if data is None:
            parameter._array = np.empty(0, dtypes.defaults.floating.array)
        else:
            parameter._array = materialise(data)
            parameter._counter = shared_counter(data)
        parameter._set_requires_grad(
            requires_grad, "Only Tensors of floating point and complex dtype can require gradients"
        )
        if observing.listener is not None:
            observing.listener.created(parameter, "Parameter")
        return parameter

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        """All is done in ``__new__``, as in PyTorch."""


def wrap(array: Any) -> Tensor:
    """An untracked tensor around a numpy array or scalar (no copy)."""
    tensor: Tensor = new(Tensor)
    tensor._array = array if isinstance(array, np.ndarray | np.generic) else np.asarray(array)
    return tensor


currency.wrap = wrap
np.seterr(all="ignore")
# NaN and infinity are values to PyTorch, not events: numpy's scalars would warn where its arrays are silent.


def materialise(tensor: Tensor) -> np.ndarray:
    """The tensor's array with storage of its own; replaces a numpy scalar by a 0-d array for good."""
    array = tensor._array
    if isinstance(array, np.generic):
        number, array = array, np.array(array)
        tensor._array = array
        if tensor._grad_fn is not None:
            tell_saved_memory(tensor._grad_fn, number, array)
    return array  # type: ignore[no-any-return]


def shared_counter(tensor: Tensor) -> Counter:
    """The version counter of its storage, made if it has none yet."""
    if tensor._counter is None:
        tensor._counter = Counter()
        if tensor._grad_fn is not None:
            tell_saved_result(tensor._grad_fn, tensor)
    return tensor._counter


def mark_inference(tensor: Tensor) -> None:
    """Makes it an inference tensor for good; its counter keeps it from standing for itself where tensors are saved."""
    tensor._inference, tensor._counter = True, Counter()
    if not modes.inference_met:
        modes.inference_met = True
        modes.refresh()


def own(tensor: Tensor) -> Tensor:
    """An untracked copy that shares nothing."""
    array = tensor._array
    return wrap(array if isinstance(array, np.generic) else array.copy())
