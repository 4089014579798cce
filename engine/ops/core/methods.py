"""Tensor methods that look like PyTorch's, which are written in C.

A forgotten parenthesis (``x.sum.backward()``) must read as in PyTorch: ``'builtin_function_or_method' object has no attribute
'backward'``. So a bound method is an instance of a class of that name; binding and calling both happen in C.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from engine.tensor import Tensor

WRITTEN_IN_PYTHON = frozenset(
    "split unflatten norm unique unique_consecutive stft istft dim_order is_shared lu to_sparse_coo eig lstsq solve symeig".split()
)
"""Methods that are Python in PyTorch too."""


Class = TypeVar("Class", bound=type)


def shown_as(name: str) -> Callable[[Class], Class]:
    """A class whose instances are of a class of Python's own in PyTorch: ``type(torch.sin)`` says so."""

    def show(cls: Class) -> Class:
        cls.__name__ = cls.__qualname__ = name
        cls.__module__ = "builtins"
        return cls

    return show


BUILT_IN = "builtin_function_or_method"


@shown_as(BUILT_IN)
class builtin_function_or_method(partial):  # type: ignore[type-arg]  # named as it shows itself
    """A function with its tensor."""

    __slots__ = ()

    @property
    def __name__(self) -> str:
        return self.func.__name__

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]  # an attribute in its base
        return self.func.__doc__

    @property
    def __self__(self) -> Any:
        """The tensor it is bound to."""
        return self.args[0]

    def __repr__(self) -> str:
        return f"<built-in method {self.__name__} of Tensor object at {id(self.args[0]):#x}>"


@shown_as("method_descriptor")
class TensorMethod(property):
    """A method on the tensor class: read from a tensor it binds, called on the class it is the function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(partial(builtin_function_or_method, function), doc=function.__doc__)
        self.function = function
        self.__name__ = function.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Called on the class: the tensor is the first argument.

        Raises:
            TypeError: in Python's words about methods written in C, if it is none.
        """
        if self.__name__ in WRITTEN_IN_PYTHON:
            return self.function(*args, **kwargs)
        if not args:
            raise TypeError(f"unbound method TensorBase.{self.__name__}() needs an argument")
        if not isinstance(args[0], Tensor):
            kind = type(args[0]).__name__
            raise TypeError(
                f"descriptor '{self.__name__}' for 'torch._C.TensorBase' objects doesn't apply to a '{kind}' object"
            )
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<method '{self.__name__}' of 'torch._C.TensorBase' objects>"
