"""``state_dict`` and ``load_state_dict``: a module's parameters and persistent buffers by dotted name."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from engine.autograd.handles import RemovableHandle, add_hook
from engine.autograd.modes import no_grad
from engine.nn.conversion import conversion, swapped
from engine.nn.uninitialized import is_lazy
from engine.placement import META
from engine.tensor import Parameter, Tensor

EXTRA = "_extra_state"


NEVER_CALLED = (
    "Reached a code path in Module.{method}() that should never be called. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
)


class _IncompatibleKeys(NamedTuple):
    """What `State.load_state_dict` answers."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"

    def __str__(self) -> str:
        return repr(self)


_IncompatibleKeys.__module__ = "torch.nn.modules.module"


class State:
    """Saving and loading of `engine.nn.module.Module`."""

    _version = 1
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _state_dict_hooks: OrderedDict[int, Callable[..., Any]]
    _state_dict_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _load_state_dict_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _load_state_dict_post_hooks: OrderedDict[int, Callable[..., Any]]

    def get_extra_state(self) -> Any:
        """Further state of a subclass, kept under ``_extra_state``.

        Raises:
            RuntimeError: the subclass does not override it.
        """
        raise RuntimeError(NEVER_CALLED.format(method="get_extra_state"))

    def set_extra_state(self, state: Any) -> None:
        """Takes back what `get_extra_state` gave.

        Raises:
            RuntimeError: the subclass does not override it.
        """
        raise RuntimeError(NEVER_CALLED.format(method="set_extra_state"))

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """References to all parameters and persistent buffers (detached unless ``keep_vars``)."""
        if args:
            destination = args[0] if destination is None else destination
            prefix = args[1] if len(args) > 1 and not prefix else prefix
            keep_vars = args[2] if len(args) > 2 and not keep_vars else keep_vars
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata: dict[str, Any] = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            answer = hook(self, destination, prefix, metadata)
            destination = destination if answer is None else answer
        return destination

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """This module's own part of the state."""
        for name, parameter in self._parameters.items():
            if parameter is not None:
                destination[prefix + name] = parameter if keep_vars else detached(parameter)
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = buffer if keep_vars else detached(buffer)
        if type(self).get_extra_state is not State.get_extra_state:
            destination[prefix + EXTRA] = self.get_extra_state()

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> _IncompatibleKeys:
        """Copies values into parameters and buffers (``assign``: puts the given tensors in their place).

        Raises:
            RuntimeError: listing missing and unexpected keys (``strict``) and mismatched sizes.
            TypeError: not a mapping.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        state = OrderedDict(state_dict)
        metadata = getattr(state_dict, "_metadata", None)
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []
        load_tree(self, state, "", {} if metadata is None else metadata, strict, assign, missing, unexpected, errors)
        found = _IncompatibleKeys(missing, unexpected)
        if strict:
            if unexpected:
                errors.insert(0, f"Unexpected key(s) in state_dict: {quoted(unexpected)}. ")
            if missing:
                errors.insert(0, f"Missing key(s) in state_dict: {quoted(missing)}. ")
        if errors:
            listed = "\n\t".join(errors)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{listed}")
        return found

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """This module's own part of loading."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        buffers = {n: b for n, b in self._buffers.items() if n not in self._non_persistent_buffers_set}
        for name, held in [*self._parameters.items(), *buffers.items()]:
            if held is None:
                continue
            key = prefix + name
            if key not in state_dict:
                if strict:
                    missing_keys.append(key)
                continue
            problem = self._load_one(
                name, held, key, state_dict[key], bool(local_metadata.get("assign_to_params_buffers"))
            )
            if problem:
                error_msgs.append(problem)
        extra = prefix + EXTRA
        if type(self).set_extra_state is not State.set_extra_state:
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        if strict:
            unexpected_keys += self._unknown_keys(state_dict, prefix)

    def _unknown_keys(self, state_dict: Any, prefix: str) -> list[str]:
        """Keys below ``prefix`` that name nothing this module has; those below a submodule are that one's affair."""
        kept = [
            (name, buffer) for name, buffer in self._buffers.items() if name not in self._non_persistent_buffers_set
        ]
        tensors = (name for name, tensor in (*self._parameters.items(), *kept) if tensor is not None)
        known = {*self._modules, *tensors}
        unknown = []
        for key in state_dict:
            if key.startswith(prefix) and key != prefix + EXTRA:
                first, dot, _ = key.removeprefix(prefix).partition(".")
                if first not in known or (dot and first not in self._modules):
                    unknown.append(key)
        return unknown

    def _load_one(self, name: str, held: Tensor, key: str, value: Any, assign: bool) -> str:
        """Loads one tensor; returns what went wrong, or nothing."""
        if not isinstance(value, Tensor):
            return (
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object '
                f"from checkpoint but received {type(value)}"
            )
        if value.shape != held.shape:
            return (
                f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, "
                f"the shape in current model is {held.shape}."
            )
        try:
            self._put(name, held, key, value, assign)
        except (NotImplementedError, RuntimeError) as error:
            return (
                f'While copying the parameter named "{key}", whose dimensions in the model are {held.size()} and whose dimensions '
                f"in the checkpoint are {value.size()}, an exception occurred : {error.args}."
            )
        return ""

    def _put(self, name: str, held: Tensor, key: str, value: Tensor, assign: bool) -> None:
        """Copies the values, or (``assign``) takes the tensor itself."""
        if not assign:
            if held.device is META and value.device is not META:
                warn_of_no_copy(key)
            with no_grad():
                held.copy_(value)
            if conversion.swaps and isinstance(held, Parameter):
                self._take(held, held.detach(), name)
            return
        if isinstance(held, Parameter) and not isinstance(value, Parameter):
            value = Parameter(value, requires_grad=held.requires_grad)
        elif isinstance(held, Parameter):
            value.requires_grad_(held.requires_grad)
        if conversion.swaps and isinstance(held, Parameter):
            self._take(held, value, name)
        else:
            table: dict[str, Any] = self._parameters if name in self._parameters else self._buffers
            table[name] = value

    def _take(self, held: Parameter, value: Tensor, name: str) -> None:
        """Swaps a parameter with one of that value (``torch.__future__``)."""
        new = value if isinstance(value, Parameter) else Parameter(value, held.requires_grad)
        swapped(held, new, f"_load_from_state_dict(): Couldn't swap {type(self).__name__}.{name}")

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls ``hook(module, prefix, keep_vars)`` before ``state_dict``."""
        return add_hook(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls ``hook(module, state_dict, prefix, local_metadata)`` after ``state_dict``."""
        return add_hook(self._state_dict_hooks, hook)

    _register_state_dict_hook = register_state_dict_post_hook

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls ``hook(module, state_dict, prefix, …)`` before loading."""
        return add_hook(self._load_state_dict_pre_hooks, hook)

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> RemovableHandle:
        wrapped = hook if with_module else (lambda module, *rest: hook(*rest))
        return add_hook(self._load_state_dict_pre_hooks, wrapped)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls ``hook(module, incompatible_keys)`` after loading."""
        return add_hook(self._load_state_dict_post_hooks, hook)


def load_tree(
    module: Any,
    state: Any,
    prefix: str,
    metadata: Any,
    strict: bool,
    assign: bool,
    missing: list[str],
    unexpected: list[str],
    errors: list[str],
) -> None:
    """Loads a module and everything below it."""
    local = metadata.get(prefix[:-1], {})
    if assign:  # written into the dictionary's own notes: whoever loads it again has its tensors, too
        local["assign_to_params_buffers"] = True
    module._load_from_state_dict(state, prefix, local, True, missing, unexpected, errors)
    for name, child in module._modules.items():
        if child is not None:
            below = OrderedDict((key, value) for key, value in state.items() if key.startswith(f"{prefix}{name}."))
            load_tree(child, below, f"{prefix}{name}.", metadata, strict, assign, missing, unexpected, errors)
    found = _IncompatibleKeys(missing, unexpected)
    for hook in module._load_state_dict_post_hooks.values():
        hook(module, found)


def warn_of_no_copy(key: str) -> None:
    """Says that values were given to a tensor that has none."""
    warnings.warn(
        f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current model, which is a no-op. "
        "(Did you mean to pass `assign=True` to assign items in the state dictionary to their corresponding key in the module instead "
        "of copying them in place?)",
        UserWarning,
        stacklevel=5,
    )


def detached(tensor: Tensor) -> Tensor:
    """The same storage without graph, and without reporting that a value left the graph: nothing flows on from here.

    What waits for its shape has nothing to detach.
    """
    if is_lazy(tensor):
        return tensor
    with no_grad():
        return tensor.detach()


def quoted(keys: list[str]) -> str:
    """Keys as PyTorch lists them."""
    return ", ".join(f'"{key}"' for key in keys)
