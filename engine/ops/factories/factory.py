"""How functions that make tensors are declared: a kernel that returns an array, and what they all have in common.

``out``, ``dtype``, ``layout``, ``device``, ``pin_memory`` and ``requires_grad`` are handled once, in `factory`. A
kernel whose sizes are ``*size`` takes them spelled out or as one sequence, as PyTorch does.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from engine import dtype as dtypes
from engine.autograd.modes import state as modes
from engine.dtype_names import SCALAR_TYPE
from engine.errors import require_bool
from engine.late import Late
from engine.observe import state as observing
from engine.ops.core.arrangement import preserving
from engine.ops.core.declare import composite
from engine.ops.core.memory_format import CHANNELS_LAST, channels_last
from engine.ops.core.misuse import kind_of
from engine.ops.core.outputs import write_made
from engine.ops.core.parameters import parameters_of
from engine.placement import CPU, META, device, placed, require_strided, strided
from engine.storage import mark_inference
from engine.tensor import Tensor, wrap

if TYPE_CHECKING:
    from engine.ops.meta import arrays as meta_arrays
    from engine.ops.meta import creation as meta
    from engine.ops.sparse import writing as sparse_writing
else:
    meta, meta_arrays = Late("engine.ops.meta.creation"), Late("engine.ops.meta.arrays")
    sparse_writing = Late("engine.ops.sparse.writing")
dispatch = Late("engine.ops.core.dispatch")


def factory(
    kernel: Callable[..., np.ndarray], at: str = "torch", write: Callable[[Tensor, Tensor], Tensor] = write_made
) -> Callable[..., Tensor]:
    """Declares ``torch.<kernel>``: the kernel gets a resolved ``dtype`` (or None) and returns the array.

    ``write`` copies the result into an ``out`` tensor.
    """
    name = kernel.__name__
    parameters = parameters_of(kernel)
    gathers = parameters.gathers is not None and parameters.names[parameters.gathers] == "size"

    @functools.wraps(kernel)
    def make(
        *args: Any,
        out: Tensor | None = None,
        dtype: Any = None,
        layout: Any = None,
        device: Any = None,
        pin_memory: bool = False,
        requires_grad: bool = False,
        **rest: Any,
    ) -> Tensor:
        stored = sparse_layout(layout, name)
        where = require_place(None if stored else layout, device, pin_memory)
        if gathers:
            args = checked_size(name, args)
        chosen = resolved_dtype(name, dtype)
        if modes.dispatching and out is None:
            return dispatched(name, make, (args,) if gathers else args, rest, chosen, requires_grad)
        if out is not None:
            chosen = dtype_of_room(name, out, chosen)
        if where is META:
            array: Any = meta.made(kernel, args, {"dtype": chosen, **rest}, gathers)
        else:
            array = kernel(*args, dtype=chosen, **rest)
        made = leaf(sparse_writing.empty_of(array.shape, array.dtype, layout) if stored else array, name, requires_grad)
        return made if out is None else write(made, out)

    declared: Any = make
    declared.writes_out = True
    return composite(at=at)(declared)


def dtype_of_room(name: str, out: Any, chosen: dtypes.dtype | None) -> dtypes.dtype:
    """The dtype of an ``out`` tensor, in which its numbers are computed.

    Raises:
        TypeError: no tensor.
        RuntimeError: one of another dtype than was asked for, or one that requires grad.
    """
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if chosen is not None and chosen is not out.dtype:
        raise RuntimeError(
            f"dtype {SCALAR_TYPE[chosen.name]} does not match dtype of out parameter ({SCALAR_TYPE[out.dtype.name]})"
        )
    if modes.grad_enabled and out.requires_grad:
        raise RuntimeError(
            f"aten::{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )
    return out.dtype


def dispatched(
    name: str, make: Callable[..., Tensor], args: tuple[Any, ...], rest: dict[str, Any], dtype: Any, requires_grad: bool
) -> Tensor:
    """The new tensor, through the dispatch modes that are on: they are not told who will want gradients."""
    options = ({} if dtype is None else {"dtype": dtype}) | ({} if name.endswith("_like") else {"device": CPU})
    sizes = tuple(list(a) if type(a) is tuple else a for a in args)
    made: Tensor = dispatch.asked(name, make, sizes, {**rest, **options, "pin_memory": False})
    return made._tracked() if requires_grad else made


def sparse_layout(layout: Any, function: str) -> bool:
    """Whether a tensor without stored values is asked for."""
    return layout is not None and layout is not strided and function in ("zeros", "empty")


def require_place(layout: Any, device: Any, pin_memory: bool, moved: bool = False) -> device:
    """Where the tensor is to be; refuses what only other hardware has.

    Args:
        moved: its elements are there already.

    Raises:
        RuntimeError: pinned memory, which only accelerators have.
    """
    where = placed(device, moved)
    require_strided(layout)
    if pin_memory:
        raise RuntimeError(
            "pin_memory=True requires a CUDA or other accelerator backend; "
            "no pinned memory allocator is available on this system."
        )
    return where


def resolved_dtype(function: str, dtype: Any) -> dtypes.dtype | None:
    """A torch dtype as it is; Python's ``float``, ``int``, ``bool``, ``complex`` as PyTorch reads them.

    Raises:
        TypeError: anything else.
    """
    if dtype is None or isinstance(dtype, dtypes.dtype):
        return dtype
    if isinstance(dtype, type) and dtype in dtypes.PYTHON_TYPES:
        return dtypes.PYTHON_TYPES[dtype]
    raise TypeError(f"{function}(): argument 'dtype' must be torch.dtype, not {kind_of(dtype)}")


def checked_size(function: str, given: tuple[Any, ...]) -> tuple[int, ...]:
    """Sizes as whole numbers, whether written ``f(2, 3)`` or ``f((2, 3))``.

    Raises:
        TypeError: something that is no whole number.
        RuntimeError: a negative size.
    """
    in_one = len(given) == 1 and isinstance(given[0], list | tuple)
    if not given:
        raise TypeError(f'{function}() missing 1 required positional arguments: "size"')
    numbers = tuple(given[0]) if in_one else given
    sizes = tuple(whole_number(function, number, place, len(numbers), in_one) for place, number in enumerate(numbers))
    if any(number < 0 for number in sizes):
        if function == "zeros":
            raise RuntimeError(f"{function}: Dimension size must be non-negative.")
        wrong = next(number for number in sizes if number < 0)
        raise RuntimeError(f"Trying to create tensor with negative dimension {wrong}: {list(sizes)}")
    return sizes


def whole_number(function: str, number: Any, place: int, count: int, in_one: bool) -> int:
    """One of ``count`` sizes, which stand ``in_one`` tuple or are spelled out; a tensor or numpy scalar that holds a whole
    number will do.

    Raises:
        TypeError: no whole number.
    """
    if type(number) is int:
        return number
    value = number._array.item() if isinstance(number, Tensor) and number._array.size == 1 else number
    if not isinstance(value, bool) or place:
        try:
            return operator.index(value)
        except TypeError:
            pass
    word = kind_of(number)
    if place:
        raise TypeError(
            f"{function}(): argument 'size' failed to unpack the object at pos {place + 1} with error "
            f'"type must be tuple of ints,but got {word}"'
        )
    if count > 1 and not in_one:
        raise TypeError(f"{function}() takes 1 positional argument but {count} were given")
    found = f", but found element of type {word} at pos 0" if in_one else f", not {word}"
    raise TypeError(f"{function}(): argument 'size' (position 1) must be tuple of ints{found}")


def leaf(array: Any, how: str, requires_grad: bool = False, where: device = CPU) -> Tensor:
    """A new leaf around ``array`` (on the meta device, around its form); the listener hears that ``how`` made it.

    Raises:
        RuntimeError: gradients asked for integers.
        TypeError: ``requires_grad`` is no bool.
    """
    if requires_grad is not None:
        require_bool(requires_grad, how, "requires_grad")
    if where is META:
        array = meta_arrays.forgotten(array)
    made = wrap(array if array.ndim or type(array) is not np.ndarray else array[()])
    if modes.layers:
        made._layer = modes.layers[-1].number
    if modes.inference:
        mark_inference(made)
    if requires_grad:
        made._set_requires_grad(True, "Only Tensors of floating point and complex dtype can require gradients")
    if observing.listener is not None:
        observing.listener.created(made, how)
    return made


def like(array: Any, dtype: np.dtype[Any], memory_format: Any = None) -> np.ndarray:
    """A zeroed array shaped like ``array``, laid out like it too unless told otherwise."""
    if memory_format is not None and memory_format.name != "preserve_format":
        return in_format(np.zeros_like(array, dtype, order="C"), memory_format)
    made = preserving(np.asarray(array), dtype)
    made[...] = 0
    return made


def in_format(array: np.ndarray, memory_format: Any) -> np.ndarray:
    """The array in row order, with its channels side by side if asked.

    Raises:
        RuntimeError: that needs images (or volumes) with batch and channels.
    """
    if memory_format is None or memory_format.name not in CHANNELS_LAST:
        return array
    made: np.ndarray = channels_last(array, memory_format.name)
    return made


def require_tensor(function: str, value: Any) -> None:
    """Refuses anything but a tensor as ``input``.

    Raises:
        TypeError: no tensor.
    """
    if not isinstance(value, Tensor):
        raise TypeError(f"{function}(): argument 'input' (position 1) must be Tensor, not {type(value).__name__}")
