"""What a module owns: parameters, buffers and child modules, kept apart by assignment.

``self.fc = nn.Linear(…)`` puts the value into ``_modules``, ``self.w = nn.Parameter(…)`` into ``_parameters``; both
stay readable as attributes. What is not registered (a tensor in a plain list) is invisible to ``parameters()``, and
so to the optimizer: the commonest reason for a parameter that never learns.
"""

from __future__ import annotations

from typing import Any

from engine.dtype_names import tensor_type
from engine.nn import registrations
from engine.ops.core.catalogue import TABLES
from engine.ops.core.operator import Operator
from engine.tensor import Parameter, Tensor


class BufferType(type(Tensor)):  # type: ignore[misc]  # whatever class tensors' class has
    """A tensor that was made as a buffer is an instance of `Buffer`, though its class is Tensor."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(Tensor, metaclass=BufferType):
    """``torch.nn.Buffer``: a tensor that registers itself as a buffer when assigned to a module."""

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Any:
        """A plain tensor that shares storage with ``data``, marked as a buffer."""
        made: Any = Tensor() if data is None else data.detach()._tracked(data.requires_grad)
        made.persistent, made._is_buffer = persistent, True
        return made


class Registry:
    """Registration and attribute access of `engine.nn.module.Module`."""

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Adds a parameter under ``name`` (None reserves the name).

        Raises:
            AttributeError: before ``super().__init__()`` ran.
            KeyError: the name is empty, has a dot, or is taken by an attribute.
            TypeError: neither a `Parameter` nor None.
            ValueError: a result, which stands in a graph.
        """
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name(name, "parameter", self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. "
                f"To express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        self._parameters[name] = None if param is None else registrations.parameter.chosen(self, name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Adds a tensor that belongs to the module's state but is not trained.

        Raises:
            AttributeError, KeyError, TypeError: as `register_parameter`.
        """
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name(name, "buffer", self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = registrations.buffer.chosen(self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Any) -> None:
        """Adds a child module under ``name``.

        Raises:
            KeyError, TypeError: as `register_parameter`.
        """
        if module is not None and not isinstance(module, Registry):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        if not isinstance(name, str):
            raise TypeError(f"module name should be a string. Got {typename(name)}")
        if hasattr(self, name) and name not in self._modules:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError('module name can\'t be empty string ""')
        self._modules[name] = registrations.module.chosen(self, name, module)

    def register_module(self, name: str, module: Any) -> None:
        """Alias of `add_module`."""
        self.add_module(name, module)

    def _check_name(self, name: Any, kind: str, table: dict[str, Any]) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in table:
            raise KeyError(f"attribute '{name}' already exists")

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for table in ("_parameters", "_buffers", "_modules"):
            if table in own and name in own[table]:
                return own[table][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        parameters = own.get("_parameters")
        if isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, "_parameters")
            self.register_parameter(name, value)
            return
        if parameters is not None and name in parameters:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)"
                )
            self.register_parameter(name, value)
            return
        modules = own.get("_modules")
        if isinstance(value, Registry):
            if modules is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, "_modules")
            modules[name] = registrations.module.chosen(self, name, value)
            return
        if modules is not None and name in modules:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as child module '{name}' (torch.nn.Module or None expected)"
                )
            modules[name] = registrations.module.chosen(self, name, value)
            return
        buffers = own.get("_buffers")
        if isinstance(value, Buffer) and buffers is not None:
            self._forget(name, "_buffers")
            self.register_buffer(name, value, getattr(value, "persistent", True))
        elif buffers is not None and name in buffers:
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(
                    f"cannot assign '{typename(value)}' as buffer '{name}' (torch.nn.Buffer, torch.Tensor or None "
                    "expected)"
                )
            buffers[name] = registrations.buffer.chosen(self, name, value)
        else:
            object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        for table in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__.get(table, ()):
                del self.__dict__[table][name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def _forget(self, name: str, except_table: str) -> None:
        """Makes room for ``name`` in one table by dropping it from everywhere else."""
        own = self.__dict__
        own.pop(name, None)
        for table in ("_parameters", "_buffers", "_modules"):
            if table != except_table and name in own.get(table, ()):
                del own[table][name]
        if "_non_persistent_buffers_set" in own:
            own["_non_persistent_buffers_set"].discard(name)

    def __dir__(self) -> list[str]:
        own = self.__dict__
        names = {
            *dir(type(self)),
            *own,
            *own.get("_parameters", ()),
            *own.get("_modules", ()),
            *own.get("_buffers", ()),
        }
        return sorted(name for name in names if not name[:1].isdigit())


def typename(value: Any) -> str:
    """``torch.typename``: what PyTorch calls the type of a value."""
    if isinstance(value, Tensor):
        return tensor_type(value)
    if isinstance(value, Operator) or (
        callable(value) and TABLES["torch"].get(getattr(value, "__name__", "")) is value
    ):
        return f"torch._VariableFunctionsClass.{value.__name__}"
    if callable(value) and TABLES["functional"].get(getattr(value, "__name__", "")) is value:
        return f"torch.nn.functional.{value.__name__}"
    named = value if hasattr(value, "__qualname__") or hasattr(value, "__name__") else type(value)
    module = getattr(named, "__module__", "") or ""
    name = named.__qualname__ if hasattr(named, "__qualname__") else named.__name__
    return name if module in ("", "builtins") else f"{module}.{name}"
