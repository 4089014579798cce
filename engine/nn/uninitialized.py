"""Parameters and buffers without a shape yet: what can be asked of them, and how they get one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NoReturn, Self

from engine import dtype as dtypes
from engine.errors import Explained
from engine.nn.making import empty
from engine.tensor import Parameter, Tensor

UNKNOWN = (
    "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in `load_state_dict` when trying "
    "to load an uninitialized parameter into an initialized one. Call `forward` to initialize the parameters before accessing "
    "their attributes."
)
ALLOWED = frozenset(
    "size copy_ is_complex is_floating_point half float double char short int long cuda cpu to get_device materialize".split()
)
"""Methods that need no shape, by PyTorch's list; converting a module uses most of them."""
OPERATORS = (
    "add radd iadd sub rsub isub mul rmul imul truediv rtruediv itruediv floordiv rfloordiv mod rmod pow rpow matmul rmatmul neg pos "
    "abs invert and or xor lshift rshift eq ne lt le gt ge len bool int float complex index contains iter getitem setitem array format"
)
"""Python's operators, which are looked up in the class and pass `Uninitialized.__getattribute__` by."""


class Uninitialized:
    """A tensor whose shape is not known yet."""

    _array: Any
    cls_to_become: ClassVar[type]

    def __getattribute__(self, name: str) -> Any:
        """Attributes as ever, but every method that needs a shape refuses when it is called."""
        if name[0] != "_" and name not in ALLOWED:
            method = getattr(Tensor, name, None)
            if callable(method) and not isinstance(method, type) and getattr(type(self), name) is method:
                return refusing(name)
        return super().__getattribute__(name)

    @property
    def shape(self) -> Any:
        """Raises RuntimeError: it has none yet."""
        raise RuntimeError(UNKNOWN)

    def share_memory_(self) -> NoReturn:
        """Raises RuntimeError: it has no memory yet."""
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters before calling "
            "`module.share_memory()`."
        )

    def materialize(self, shape: tuple[int, ...], device: Any = None, dtype: Any = None) -> None:
        """Turns into an ordinary tensor of ``shape``, whose values come later."""
        chosen = dtypes.BY_ARRAY[self._array.dtype] if dtype is None else dtype
        self._array = empty(*shape, dtype=chosen, device=self.device if device is None else device)._array
        self.__class__ = self.cls_to_become

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


def refusing(name: str) -> Callable[..., NoReturn]:
    """A method ``name`` that needs a shape.

    Raises:
        ValueError: whenever it is called.
    """
    method = name.removeprefix("__").removesuffix("__")

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise ValueError(
            Explained(
                f"Attempted to use an uninitialized parameter in <method '{method}' of 'torch._C.TensorBase' objects>. This error "
                "happens when you are using a `LazyModule` or explicitly manipulating `torch.nn.parameter.UninitializedParameter` "
                "objects. When using LazyModules Call `forward` with a dummy batch to initialize the parameters before calling torch "
                "functions",
                "A lazy layer learns the shape of its parameters from its first input: call the module on a batch once.",
            )
        )

    return refuse


for _name in OPERATORS.split():
    setattr(Uninitialized, f"__{_name}__", refusing(f"__{_name}__"))


class UninitializedParameter(Uninitialized, Parameter):
    """``torch.nn.UninitializedParameter``."""

    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Self:
        """Without elements."""
        made: Self = super().__new__(cls, empty(0, dtype=dtype, device=device), requires_grad)  # type: ignore[assignment]  # `Parameter` names its own class
        return made

    def __init__(self, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> None:
        """All is done in ``__new__``."""

    def __deepcopy__(self, memo: dict[int, Any]) -> UninitializedParameter:
        """One of the same dtype and device."""
        copied = memo.get(id(self))
        if copied is None:
            copied = memo[id(self)] = type(self)(self.requires_grad, self.device, self.dtype)
        return copied

    def __reduce_ex__(self, protocol: Any) -> Any:
        return type(self), (self.requires_grad, self.device, self.dtype)


class UninitializedBuffer(Uninitialized, Tensor):
    """``torch.nn.UninitializedBuffer``."""

    cls_to_become = Tensor

    def __new__(cls, requires_grad: bool = False, device: Any = None, dtype: Any = None) -> UninitializedBuffer:
        """Without elements."""
        made: UninitializedBuffer = object.__new__(cls)
        made._array = empty(0, dtype=dtype, device=device)._array
        return made

    def __init__(self, requires_grad: bool = False, device: Any = None, dtype: Any = None) -> None:
        """All is done in ``__new__``."""


def is_lazy(param: Any) -> bool:
    """Whether it still waits for its shape."""
    return isinstance(param, Uninitialized)
