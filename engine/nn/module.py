"""``torch.nn.Module``: a tree of named parameters with a ``forward``.

What it owns is in `engine.nn.registry`, how a call runs in `engine.nn.calling`, walking the tree in `engine.nn.tree`,
saving and loading in `engine.nn.state`. Here they meet, with what concerns a module as a whole: training mode,
conversion, printing.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable
from types import FunctionType
from typing import Any, Self

from engine import dtype as dtypes
from engine.autograd.modes import no_grad
from engine.nn.calling import Calling
from engine.nn.conversion import converted
from engine.nn.registry import Registry
from engine.nn.state import State
from engine.nn.tree import Tree
from engine.observe import state as observing
from engine.ops.core.catalogue import TABLES
from engine.ops.tensors.conversion import asked_of_to
from engine.placement import NO_COPY, device
from engine.tensor import Parameter, Tensor


class Module(Calling, Tree, State, Registry):
    """Subclass it, call ``super().__init__()`` first, assign layers and parameters, and write ``forward``.

    Raises:
        TypeError: any argument, which the subclass should have taken.
    """

    dump_patches = False
    call_super_init = False
    training: bool

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if kwargs:
            raise TypeError(
                f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
            )
        if args:
            raise TypeError(
                f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given"
            )
        own = self.__dict__
        own["training"] = True
        own["_parameters"] = {}
        own["_buffers"] = {}
        own["_non_persistent_buffers_set"] = set()
        own["_backward_pre_hooks"] = OrderedDict()
        own["_backward_hooks"] = OrderedDict()
        own["_is_full_backward_hook"] = None
        own["_forward_hooks"] = OrderedDict()
        own["_forward_hooks_with_kwargs"] = OrderedDict()
        own["_forward_hooks_always_called"] = OrderedDict()
        own["_forward_pre_hooks"] = OrderedDict()
        own["_forward_pre_hooks_with_kwargs"] = OrderedDict()
        own["_state_dict_hooks"] = OrderedDict()
        own["_state_dict_pre_hooks"] = OrderedDict()
        own["_load_state_dict_pre_hooks"] = OrderedDict()
        own["_load_state_dict_post_hooks"] = OrderedDict()
        own["_modules"] = {}

    # ── training ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def train(self, mode: bool = True) -> Self:
        """Training mode for this module and all below it: dropout drops, batch norm uses the batch.

        Raises:
            ValueError: ``mode`` is not a bool.
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        if observing.listener is not None:
            observing.listener.mode_changed("training", mode, self)
        self._set_training(mode)
        return self

    def _set_training(self, mode: bool) -> None:
        self.training = mode
        for module in self.children():
            if type(module).train is Module.train:
                module._set_training(mode)
            else:
                module.train(mode)

    def eval(self) -> Self:
        """Evaluation mode: ``train(False)``."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Freezes (False) or unfreezes all parameters."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clears the gradients of all parameters: to None, or to zeros."""
        clear_gradients(list(self.parameters()), set_to_none)

    def apply(self, fn: Callable[[Any], None]) -> Self:
        """Calls ``fn`` on every module below, then on this one."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    # ── conversion ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replaces the values of parameters, their gradients, and buffers by ``fn`` of them, below first."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for name, parameter in self._parameters.items():
            if parameter is None:
                continue
            with no_grad():
                changed = fn(parameter)
            gradient = parameter._grad
            self._parameters[name] = made = converted(parameter, changed, self._get_name(), name)
            if gradient is not None:
                with no_grad():
                    made._grad = fn(gradient)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Moves everything to a device, and floating and complex parameters and buffers to a dtype.

        Raises:
            TypeError: for a dtype that is neither floating nor complex, or a call that fits none of ``to``'s forms.
            RuntimeError: a copy is asked for, or a device that is not there.
            NotImplementedError: there is nothing that could be moved out of meta tensors.
        """
        where, target, copy, memory_format = asked_of_to(args, kwargs)
        if copy:
            raise RuntimeError(".to() does not accept copy argument")
        if where is not None and not isinstance(where, device):
            where = device(where)  # refuses what names no device, though there may be nothing to move
        if target is None:
            return self._apply(lambda t: moved(t, where, memory_format))
        if not (target.is_floating_point or target.is_complex):
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={target}"
            )
        if where is not None or memory_format is not None:
            self._apply(lambda t: moved(t, where, memory_format))
        if target.is_complex:
            warnings.warn("Complex modules are a new feature: some layers may not support them.", stacklevel=2)
        return self._apply(lambda t: t.to(target) if t.dtype.is_floating_point or t.dtype.is_complex else t)

    def _floating_to(self, target: dtypes.dtype) -> Self:
        return self._apply(lambda t: t.to(target) if t.dtype.is_floating_point else t)

    def float(self) -> Self:
        """Floating parameters and buffers to float32."""
        return self._floating_to(dtypes.float32)

    def double(self) -> Self:
        """Floating parameters and buffers to float64."""
        return self._floating_to(dtypes.float64)

    def half(self) -> Self:
        """Floating parameters and buffers to float16."""
        return self._floating_to(dtypes.float16)

    def bfloat16(self) -> Self:
        """Floating parameters and buffers to bfloat16."""
        return self._floating_to(dtypes.bfloat16)

    def type(self, dst_type: Any) -> Self:
        """All parameters and buffers to ``dst_type``."""
        return self._apply(lambda t: t.type(dst_type))

    def cpu(self) -> Self:
        """Stays where it is, unless it is on the meta device, which nothing can leave."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device: Any = None) -> Self:
        """Raises AssertionError: there is no CUDA here; a module without parameters and buffers has nothing to move."""
        return self._apply(lambda t: t.cuda(device))

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """New, uninitialised storage for everything."""
        return self._apply(lambda t: TABLES["torch"]["empty_like"](t, device=device), recurse)

    def share_memory(self) -> Self:
        """One process only: nothing to share."""
        return self

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """There is no compiler; the module runs as written."""

    # ── printing ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _get_name(self) -> str:
        return self.__class__.__name__

    def extra_repr(self) -> str:
        """What stands between the parentheses of a layer's repr."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): {indented(repr(module))}" for name, module in self._modules.items()]
        if len(lines) == 1 and not children:
            return f"{self._get_name()}({lines[0]})"
        if not lines and not children:
            return f"{self._get_name()}()"
        return f"{self._get_name()}(\n  " + "\n  ".join([*lines, *children]) + "\n)"

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


for _part in (Calling, Tree, State, Registry):
    for _name, _function in vars(_part).items():
        if isinstance(_function, FunctionType):
            _function.__qualname__ = f"Module.{_name}"  # Python's errors about arguments, and generators, say it


def moved(tensor: Tensor, where: device | None, memory_format: Any) -> Tensor:
    """The tensor at another place or, if it holds images or volumes, in another memory format; and what to do where that cannot be.

    Raises:
        NotImplementedError: values out of a meta tensor, which has none.
    """
    try:
        return tensor.to(where, memory_format=memory_format if tensor.dim() in (4, 5) else None)
    except NotImplementedError as error:
        if str(error) != NO_COPY:
            raise
        raise NotImplementedError(
            f"{NO_COPY} Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when moving module from meta to a "
            "different device."
        ) from None


def indented(text: str) -> str:
    """All lines but the first moved right by two."""
    return indented_by(text, 2)


def indented_by(s_: str, numSpaces: int) -> str:
    """All lines but the first moved right; ``_addindent`` in PyTorch, with which people write a ``__repr__`` of their own."""
    return s_.replace("\n", "\n" + numSpaces * " ")


def clear_gradients(parameters: list[Any], set_to_none: bool) -> None:
    """Clears ``.grad`` of the given leaves and reports it once."""
    cleared = [p for p in parameters if p._grad is not None]
    listener, observing.listener = observing.listener, None
    try:
        for parameter in cleared:
            if set_to_none:
                parameter._grad = None
                continue
            gradient = parameter._grad
            if gradient.grad_fn is not None:
                gradient.detach_()
            else:
                gradient.requires_grad_(False)
            gradient.zero_()
    finally:
        observing.listener = listener
    if listener is not None and cleared:
        listener.gradients_zeroed(cleared, bool(set_to_none))


__all__ = ["Module", "Parameter", "clear_gradients"]
