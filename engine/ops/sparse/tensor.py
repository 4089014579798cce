"""A tensor whose array is a `SparseArray`: the same place in the graph, other answers to what it is.

What asks for memory (strides, storage, numpy) is refused in PyTorch's words. Operators find it by its array (`engine.ops.sparse.kernels`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from engine.autograd.modes import state as modes
from engine.ops.core.lanes import NUMBERS, other_operand
from engine.ops.core.operator import Operator
from engine.ops.pointwise.arithmetic import add, mul, sub
from engine.ops.pointwise.division import true_div
from engine.ops.sparse.arrays import NOT_AN_ARRAY, SparseArray
from engine.ops.sparse.coordinates import Coordinates
from engine.tensor import Parameter, Tensor, disabled_torch_function, new


class SparseTensor(Tensor):
    """A tensor of a layout other than ``torch.strided``."""

    _array: SparseArray
    _saves_itself = False
    _strided = False
    __torch_function__ = staticmethod(disabled_torch_function)
    """A layout is no class of a program's: it has no say in calls, nor in what class their results are of."""

    @property
    def layout(self) -> Any:
        """How its values are stored."""
        return self._array.layout

    @property
    def is_sparse(self) -> bool:
        """Whether every value has its coordinates; rows and columns that are compressed do not count, as in PyTorch."""
        return isinstance(self._array, Coordinates)

    @property
    def is_sparse_csr(self) -> bool:
        """Whether its rows are compressed."""
        return str(self.layout) == "torch.sparse_csr"

    @classmethod
    def _output_again(cls, array: Any, counter: Any, node: Any, output_nr: int) -> Tensor:
        tensor = around(array)
        if counter is not None:
            tensor._counter = counter
        if node is not None:
            tensor._node, tensor._output_nr, tensor._requires_grad = node, output_nr, True
        return tensor

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

    data_ptr = untyped_storage = storage = tolist = _refuse

    def numpy(self, *, force: bool = False) -> NoReturn:
        """Raises TypeError: always."""
        raise TypeError(NOT_AN_ARRAY)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise TypeError(NOT_AN_ARRAY)

    def __setitem__(self, index: Any, value: Any) -> None:
        raise TypeError("Cannot assign to a sparse tensor")

    def is_contiguous(self, memory_format: Any = None) -> bool:
        """False: there is no order of elements in memory."""
        return False

    def contiguous(self, memory_format: Any = None) -> NoReturn:
        """Raises RuntimeError: always."""
        raise RuntimeError("unsupported memory format option Contiguous")

    def reshape(self, *shape: Any) -> NoReturn:
        """Raises RuntimeError: always."""
        raise RuntimeError("reshape is not implemented for sparse tensors")

    flatten = reshape

    def expand(self, *sizes: Any) -> NoReturn:
        """Raises RuntimeError: always."""
        raise RuntimeError("expand is unsupported for Sparse tensors")

    def resize_(self, *sizes: Any, memory_format: Any = None) -> NoReturn:
        """Raises NotImplementedError: always; `sparse_resize_` does it."""
        raise self._array.not_for_sparse("resize_")

    def storage_offset(self) -> int:
        """0: nothing stands before its first element."""
        return 0


SparseTensor.__module__, SparseTensor.__name__, SparseTensor.__qualname__ = "torch", "Tensor", "Tensor"


class SparseParameter(SparseTensor, Parameter):
    """``torch.nn.Parameter`` of a sparse tensor."""


SparseParameter.__module__ = "torch.nn.parameter"
SparseParameter.__name__ = SparseParameter.__qualname__ = "Parameter"
SparseTensor._parameter_type = SparseParameter


def expect() -> None:
    """There is a sparse tensor, or a gradient will be one: operators have to look at layouts from now on, in the backward pass too."""
    if not modes.sparse_met:
        modes.sparse_met = True
        modes.refresh()


def around(array: SparseArray) -> SparseTensor:
    """An untracked tensor with these places and values."""
    expect()
    tensor: SparseTensor = new(SparseTensor)
    tensor._array = array
    return tensor


SparseArray.as_tensor = around


def both_ways(operator: Operator) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """``sparse ○ other`` and ``other ○ sparse``: Python asks the sparse operand of two first, whichever side it is on."""
    rest = operator.signature.defaults[2:]

    def direct(self: Tensor, other: Any) -> Any:
        if not isinstance(other, (Tensor, *NUMBERS)) or isinstance(other, np.generic):
            return other_operand(operator, self, other, rest)
        return operator.run((self, other, *rest))

    def reflected(self: Tensor, other: Any) -> Any:
        return operator.run((other, self, *rest)) if isinstance(other, Tensor) else direct(self, other)

    return direct, reflected


for _name, _operator in (("add", add), ("mul", mul)):
    _direct, _reflected = both_ways(_operator)
    setattr(SparseTensor, f"__{_name}__", _direct)
    setattr(SparseTensor, f"__r{_name}__", _reflected)
SparseTensor.__sub__ = both_ways(sub)[0]
SparseTensor.__truediv__ = both_ways(true_div)[0]
