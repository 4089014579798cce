"""What all optimizers share: parameter groups, state, hooks, and the reports around a step.

An algorithm subclasses `Optimizer`, names its settings in ``__init__``, and writes `update`, which changes one
parameter in place. A step runs with recording off; each write raises the parameter's version, so a graph that still
needs the old value notices.
"""

from __future__ import annotations

import functools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from engine.autograd.handles import RemovableHandle, add_hook
from engine.autograd.modes import enable_grad, set_grad_enabled
from engine.autograd.modes import state as modes
from engine.nn.module import clear_gradients
from engine.nn.registry import typename
from engine.observe import state as observing
from engine.optim.complex_pairs import update_pairs
from engine.tensor import Tensor

Group = dict[str, Any]
Hooks = OrderedDict[int, Callable[..., Any]]


class _Required:
    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()
before_every_step: Hooks = OrderedDict()
after_every_step: Hooks = OrderedDict()


def hooked(step: Callable[..., Any]) -> Callable[..., Any]:
    """A ``step`` method that runs the hooks registered around it."""

    @functools.wraps(step)
    def run(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        given: tuple[Any, ...] = (self, *args)
        for hook in [*before_every_step.values(), *self._optimizer_step_pre_hooks.values()]:
            changed = hook(self, given, kwargs)
            if changed is not None:
                if not isinstance(changed, tuple) or len(changed) != 2:
                    raise RuntimeError(
                        f"{step} must return None or a tuple of (new_args, new_kwargs), but got {changed}."
                    )
                given, kwargs = changed
        result = step(*given, **kwargs)
        if "_opt_called" in self.__dict__:  # a scheduler asks whether the optimizer moved first
            self._opt_called = True
        for hook in [*self._optimizer_step_post_hooks.values(), *after_every_step.values()]:
            hook(self, given, kwargs)
        return result

    return run


def reported(step: Callable[..., Any]) -> Callable[..., Any]:
    """A person's own ``step`` method, between the two reports."""

    @functools.wraps(step)
    def run(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        listener = observing.listener
        if listener is not None:
            listener.optimizer_stepping(self)
        result = step(self, *args, **kwargs)
        if listener is not None:
            listener.optimizer_stepped(self)
        return result

    return run


class Optimizer:
    """``torch.optim.Optimizer``.

    Args:
        params: tensors, (name, tensor) pairs, or groups: dictionaries with ``params`` and settings of their own.
        defaults: settings of groups that do not say otherwise.

    Raises:
        TypeError: a single tensor, or something that is no tensor.
        ValueError: no parameters, a computed tensor, or one tensor in two groups.
    """

    _opt_called: bool

    def __init_subclass__(cls) -> None:
        if "step" in cls.__dict__:
            step = cls.__dict__["step"]
            cls.step = hooked(step if cls.__module__.startswith("engine.") else reported(step))

    def __init__(self, params: Any, defaults: Group) -> None:
        self.defaults = defaults
        for name in (
            "step_pre",
            "step_post",
            "state_dict_pre",
            "state_dict_post",
            "load_state_dict_pre",
            "load_state_dict_post",
        ):
            setattr(self, f"_optimizer_{name}_hooks", OrderedDict())
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + typename(params)
            )
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[Group] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    # ── groups ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def add_param_group(self, param_group: Group) -> None:
        """Adds parameters, with settings of their own where given.

        Raises:
            TypeError, ValueError: as the class.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in "
                "sets will change between runs. Please use a list instead."
            )
        listed = [params] if isinstance(params, Tensor) else list(params)
        named = sum(isinstance(p, tuple) for p in listed)
        if named:
            if named != len(listed):
                raise ValueError("all optimizer params should be with/without names. Some param names are missing")
            param_group["param_names"] = [pair[0] for pair in listed]
            listed = [pair[1] for pair in listed]
        param_group["params"] = listed
        for param in listed:
            if not isinstance(param, Tensor):
                raise TypeError("optimizer can only optimize Tensors, but one of the params is " + typename(param))
            if not self.defaults.get("differentiable") and not (param.is_leaf or param.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        self._forbid_mixing(param_group)
        self._forbid_sharing(listed)
        self.param_groups.append(param_group)

    def _forbid_mixing(self, param_group: Group) -> None:
        named = "param_names" in param_group
        if self.param_groups and named != ("param_names" in self.param_groups[0]):
            raise ValueError(
                "all optimizer param groups should be with/without names. "
                f"cannot add param group {'with' if named else 'without'} names to the optimizer"
            )

    def _forbid_sharing(self, listed: list[Tensor]) -> None:
        if len({id(p) for p in listed}) != len(listed):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an "
                "error; see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=4,
            )
        taken = {id(p) for group in self.param_groups for p in group["params"]}
        if any(id(p) in taken for p in listed):
            raise ValueError("some parameters appear in more than one parameter group")

    # ── the step ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @hooked
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates every parameter that has a gradient; returns the closure's loss, if a closure was given.

        Raises:
            NotImplementedError: a class that has neither a step nor an update of its own.
        """
        if type(self).update is Optimizer.update:
            raise NotImplementedError
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        self._change(self._update_all)
        return loss

    def _change(self, change: Callable[[], None]) -> None:
        """Runs ``change``, reported as one step; recorded as well only if the step itself shall be derived."""
        differentiable = bool(self.defaults.get("differentiable"))
        listener = observing.listener
        if listener is not None:
            listener.optimizer_stepping(self)
            if not differentiable:
                observing.listener = None
        try:
            with set_grad_enabled(differentiable):
                change()
        finally:
            observing.listener = listener
        if listener is not None:
            listener.optimizer_stepped(self)

    def _update_all(self) -> None:
        if modes.sparse_met and not self.takes_sparse:
            self._refuse_sparse()
        for group in self.param_groups:
            if group.get("capturable"):
                self._refuse_capture(group)
            for param in group["params"]:
                if param._grad is None:
                    continue
                if param._array.dtype.kind == "c":
                    self._update_complex(param, param._grad, group)
                else:
                    self.update(param, param._grad, group)

    def _update_complex(self, param: Tensor, grad: Tensor, group: Group) -> None:
        """Raises RuntimeError: the algorithm is for real parameters only."""
        if self.complex_refusal:
            raise RuntimeError(self.complex_refusal)
        update_pairs(self.update, self.state, param, grad, group)

    added_later: ClassVar[Group] = {
        "amsgrad": False, "nesterov": False, "maximize": False, "foreach": None, "capturable": False, "differentiable": False,
        "fused": None, "decoupled_weight_decay": False,
    }  # fmt: skip
    """Settings that came after the algorithm, and what a checkpoint from before meant: loading one fills them in. Any other
    setting that a loaded state lacks stays missing, so that an SGD's state in an Adam raises KeyError at the next step."""
    complex_refusal: ClassVar[str] = ""
    """What is said of complex parameters where they are refused."""
    takes_sparse: ClassVar[bool] = False
    """Whether gradients may be sparse."""
    sparse_refusal: ClassVar[str] = ""
    """What is said of one where they may not, if there is more to say than that."""

    def _refuse_sparse(self) -> None:
        """Raises RuntimeError: some parameter's gradient is sparse."""
        for group in self.param_groups:
            if any(param._grad is not None and not param._grad._strided for param in group["params"]):
                raise RuntimeError(self.sparse_refusal or f"{type(self).__name__} does not support sparse gradients")

    captured: ClassVar[str] = "params and state_steps"
    """What has to be on a GPU where a step shall be captured in a CUDA graph."""

    def _refuse_capture(self, group: Group) -> None:
        """Raises AssertionError: a parameter with a gradient is on the CPU, as all are here."""
        if any(param._grad is not None for param in group["params"]):
            raise AssertionError(
                f"If capturable=True, {self.captured} must be on supported devices: "
                "['cuda', 'xpu', 'hpu', 'privateuseone', 'xla']."
            )

    def update(self, param: Tensor, grad: Tensor, group: Group) -> None:
        """Changes one parameter in place; every algorithm says how."""
        raise NotImplementedError

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clears the gradients of all parameters: to None, or to zeros."""
        clear_gradients([p for group in self.param_groups for p in group["params"]], set_to_none)

    # ── state ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def state_dict(self) -> dict[str, Any]:
        """State and settings, with parameters replaced by their numbers."""
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            for param in group["params"]:
                numbers.setdefault(id(param), len(numbers))
            packed = {key: value for key, value in group.items() if key != "params"}
            packed["params"] = [numbers[id(param)] for param in group["params"]]
            groups.append(packed)
        state = {numbers[id(key)] if isinstance(key, Tensor) else key: value for key, value in self.state.items()}
        result: dict[str, Any] = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            answer = hook(self, result)
            result = result if answer is None else answer
        return result

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes back what `state_dict` gave.

        Raises:
            ValueError: other numbers of groups or of parameters.
        """
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            answer = hook(self, state_dict)
            state_dict = state_dict if answer is None else answer
        saved = [dict(group) for group in state_dict["param_groups"]]
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(s["params"]) != len(g["params"]) for s, g in zip(saved, self.param_groups, strict=True)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        params: dict[Any, Tensor] = {}
        for old, group in zip(saved, self.param_groups, strict=True):
            params.update(zip(old["params"], group["params"], strict=True))
            old["params"] = group["params"]
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in params:
                state[params[key]] = converted(params[key], value, "")
            else:
                state[key] = value
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for group in self.param_groups:
            for name, value in self.added_later.items():
                if name in self.defaults:
                    group.setdefault(name, value)

    def __repr__(self) -> str:
        text = self.__class__.__name__ + " ("
        for number, group in enumerate(self.param_groups):
            text += f"\nParameter Group {number}\n"
            for key in sorted(group):
                if key != "params":
                    text += f"    {key}: {group[key]}\n"
        return text + ")"

    # ── hooks ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _register(self, kind: str, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        hooks: Hooks = getattr(self, f"_optimizer_{kind}_hooks")
        handle = add_hook(hooks, hook)
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        return handle

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls ``hook(optimizer, args, kwargs)`` before each step."""
        return self._register("step_pre", hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls ``hook(optimizer, args, kwargs)`` after each step."""
        return self._register("step_post", hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls ``hook(optimizer)`` before ``state_dict``."""
        return self._register("state_dict_pre", hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls ``hook(optimizer, state_dict)`` after ``state_dict``."""
        return self._register("state_dict_post", hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls ``hook(optimizer, state_dict)`` before loading."""
        return self._register("load_state_dict_pre", hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Calls ``hook(optimizer)`` after loading."""
        return self._register("load_state_dict_post", hook, prepend)


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls ``hook(optimizer, args, kwargs)`` before each step of every optimizer."""
    return add_hook(before_every_step, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Calls ``hook(optimizer, args, kwargs)`` after each step of every optimizer."""
    return add_hook(after_every_step, hook)


def converted(param: Tensor, value: Any, key: str) -> Any:
    """Loaded state in the parameter's dtype; the step count stays as it is."""
    if isinstance(value, Tensor):
        if key == "step":
            return value
        return value.to(param.dtype) if param.dtype.is_floating_point else value
    if isinstance(value, dict):
        return {name: converted(param, held, name) for name, held in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return type(value)(converted(param, held, key) for held in value)  # type: ignore[call-arg]  # list, tuple
    return value
