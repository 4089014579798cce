"""The tensor: an array, and its place in the backward graph.

A `Tensor` holds a numpy array (``_array``) and what autograd knows about it. A **leaf** was made by the person; it may
require grad, and ``.grad`` is filled by its `AccumulateGrad`. A **result** has a ``grad_fn``, the node that will carry
its gradient on, and ``_output_nr``, which of that node's outputs it is. A **view** shares storage with ``_base``; all
tensors of one storage share a version counter, which every in-place write raises and saved tensors check.

``_array`` of a 0-d tensor may be an (immutable) numpy scalar, which computes several times faster than a 0-d array; whoever
needs storage (views, in-place writes, ``numpy()``) calls `engine.storage.materialise` first.

Nothing here computes: operators are declared in `engine.ops`, and attached to this class as methods by
`engine.ops.core.catalogue`. Attributes that most tensors never set are class attributes, so an instance costs only what differs.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from engine import dtype as dtypes
from engine.autograd import backward as backward_pass
from engine.autograd.accumulate_grad import AccumulateGrad
from engine.autograd.currency import currency
from engine.autograd.gradient import HoldsGradient, refuse_inside_transforms
from engine.autograd.modes import state as modes
from engine.autograd.node import NO_EDGE, Edge, Node
from engine.autograd.saved import DETACHED_ERROR, modified_error
from engine.errors import require_bool
from engine.observe import state as observing
from engine.shared_keys import share_keys
from engine.size import Size, size_of
from engine.storage import ARRAYS, Counter, materialise, shared_counter

new = object.__new__


CUT: Any = object()
"""Stands in ``_tangent_source`` of a view that has nothing to do with the tangent of what it looks at."""


class Tensor(HoldsGradient):
    """``torch.Tensor``."""

    _array: Any
    _requires_grad: bool = False
    _node: Node | None = None
    _output_nr: int = 0
    _counter: Counter | None = None
    _base: Tensor | None = None
    _view_version: int = 0
    """For a view: the version of the storage when its grad_fn was last made."""
    _creation: str = ""
    """For a view: how it was made, if in-place writes to it are restricted: no_grad, multi_output, inference, custom."""
    _accumulator: Any = None
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
    _layer: int = 0
    """Inside transforms: the number of the innermost one when it came to be."""
    _is_parameter: ClassVar[bool] = False
    _saves_itself: ClassVar[bool] = True
    """Whether a node may keep the bare tensor (`engine.autograd.saved`)."""
    _strided: ClassVar[bool] = True
    """Whether its array holds all elements; not so of a sparse tensor (`engine.ops.sparse.tensor`)."""
    _parameter_type: ClassVar[Any] = None
    """The class of a parameter made of it, if that is not the plain one."""
    __array_priority__: ClassVar[int] = 1000
    _on_subclass: ClassVar[Callable[[type[Tensor]], None] | None] = None
    """What to tell of a class that a program derives (`engine.ops.core.catalogue`)."""

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
        def __eq__(self, other: object) -> Tensor: ...  # type: ignore[override]  # one answer per element
        def __ne__(self, other: object) -> Tensor: ...  # type: ignore[override]  # the same
        def __hash__(self) -> int: ...

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if Tensor._on_subclass is not None and cls.__module__.partition(".")[0] not in ("engine", "torch"):
            Tensor._on_subclass(cls)

    # ── what it is ───────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def shape(self) -> Size:
        """Its lengths by dimension."""
        return size_of(self._array.shape)

    @property
    def dtype(self) -> dtypes.dtype:
        """Its element type."""
        return dtypes.BY_ARRAY[self._array.dtype]

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return self._array.ndim

    @property
    def itemsize(self) -> int:
        """Bytes per element."""
        return self._array.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self._array.nbytes

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
            and (self._node is not None or base.requires_grad)
        ):
            self._regenerate_grad_fn()
        return self._node

    @property
    def requires_grad(self) -> bool:
        """Whether gradients flow to or through it."""
        return self._requires_grad or (self._base is not None and self._base.requires_grad)

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool | np.bool_):
            raise RuntimeError("requires_grad must be a bool")
        value = bool(value)
        if self._node is not None:
            hint = (
                " If you want to use a computed variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach()."
                if not value
                else ""
            )
            raise RuntimeError(f"you can only change requires_grad flags of leaf variables.{hint}")
        self._set_requires_grad(value, "only Tensors of floating point and complex dtype can require gradients")

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
        """Sets ``requires_grad`` of a leaf and returns it; for a result that requires grad already, True changes nothing.

        Raises:
            RuntimeError: inside a transform.
        """
        if requires_grad:
            refuse_inside_transforms(
                "requires_grad_() (or perhaps using torch.autograd.functional.* APIs)", "requires_grad_()"
            )
        return self._tracked(requires_grad)

    def _tracked(self, requires_grad: bool = True) -> Tensor:
        """`requires_grad_`, inside transforms too."""
        require_bool(requires_grad, "requires_grad_", "requires_grad", 1)
        if requires_grad and self._node is None:
            self._set_requires_grad(True, "only Tensors of floating point dtype can require gradients")
        elif not requires_grad:
            self.requires_grad = False
        return self

    def _gradient_edge(self) -> Edge:
        """Where this tensor's gradient must be sent: its grad_fn, or its AccumulateGrad."""
        node = self._node if self._base is None else self.grad_fn
        if node is not None:
            return (node, self._output_nr)
        if not self._requires_grad:
            return NO_EDGE
        reference = self._accumulator
        node = reference() if reference is not None else None
        if node is None:
            node = AccumulateGrad(self)
            self._accumulator = weakref.ref(node)
            if observing.listener is not None:
                observing.listener.accumulator_made(node, self)
        return (node, 0)

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
        """An untracked view of all of this tensor; a class of the program's own has a say in it."""
        if type(self) is not Tensor and type(self) is not Parameter:
            kind: Any = type(self)
            return kind.__torch_function__(kind.view_as, (kind,), (self, self), {})
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
            placed._node, placed._output_nr, placed._requires_grad = node, output_nr, True
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
            tensor._node, tensor._output_nr, tensor._requires_grad = node, output_nr, True
        return tensor

    def _sum_to(self, shape: tuple[int, ...]) -> Tensor | None:
        """Undoes broadcasting from ``shape``; None when this shape cannot have come from it."""
        if not shape:
            return self.sum()
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
        return source.to(target)


def disabled_torch_function(func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """``torch._C._disabled_torch_function_impl``: stands as ``__torch_function__`` of classes that have no say."""
    return func(*args, **(kwargs or {}))


class Parameter(Tensor):
    """``torch.nn.Parameter``: a leaf that modules register; requires grad unless told otherwise."""

    _is_parameter = True
    __torch_function__ = staticmethod(disabled_torch_function)

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        """Shares storage with ``data``."""
        require_bool(requires_grad, "_make_subclass", "require_grad", 3)
        kind = None if data is None else getattr(data, "_parameter_type", None)
        parameter: Parameter = new(kind or cls)
        if data is None:
            parameter._array = np.empty(0, dtypes.defaults.floating.array)
        elif not isinstance(data, Tensor):
            raise AttributeError(f"'{type(data).__name__}' object has no attribute 'detach'")
        else:
            parameter._array = materialise(data)
            parameter._counter = shared_counter(data)
            if data._inference:
                parameter._inference = True
            if data._layer:
                parameter._layer = data._layer
        parameter._set_requires_grad(
            requires_grad, "Only Tensors of floating point and complex dtype can require gradients"
        )
        if observing.listener is not None:
            observing.listener.created(parameter, "Parameter")
        return parameter

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        """All is done in ``__new__``, as in PyTorch."""


for _kind in (Tensor, Parameter):
    share_keys(_kind, "_array _requires_grad _node _output_nr _counter _base _accumulator _grad")


def wrap(array: Any) -> Tensor:
    """An untracked tensor around a numpy array or scalar, or what a sparse tensor has instead (no copy)."""
    tensor: Tensor = new(Tensor)
    if isinstance(array, ARRAYS):
        tensor._array = array
        return tensor
    if hasattr(array, "as_tensor"):
        return array.as_tensor()
    tensor._array = np.asarray(array)
    return tensor


currency.wrap = wrap
np.seterr(all="ignore")
# NaN and infinity are values to PyTorch, not events: numpy's scalars would warn where its arrays are silent.
