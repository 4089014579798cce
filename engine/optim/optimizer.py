"""What all optimizers share: parameter groups, state, hooks, and the reports around a step.

An algorithm subclasses `Optimizer`, names its settings in ``__init__``, and writes `_update`, which changes one
parameter in place. A step runs with recording off; each write raises the parameter's version, so a graph that still
needs the old value notices.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any, ClassVar

from engine.autograd.handles import RemovableHandle, add_hook
from engine.autograd.modes import enable_grad, set_grad_enabled
from engine.autograd.modes import state as modes
from engine.nn.module import clear_gradients
from engine.observe import state as observing
from engine.optim.complex_pairs import update_pairs
from engine.optim.groups import (
    Group,
    fill_in,
    forbid_sharing,
    list_parameters,
    listed_groups,
    require_optimizable,
    require_same_naming,
)
from engine.optim.state import packed, unpacked
from engine.optim.step_hooks import Hooks, hooked, reported
from engine.tensor import Tensor


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
    _added_later: ClassVar[Group] = {
        "amsgrad": False, "nesterov": False, "maximize": False, "foreach": None, "capturable": False, "differentiable": False,
        "fused": None, "decoupled_weight_decay": False,
    }  # fmt: skip
    """Settings that came after the algorithm, and what a checkpoint from before meant: loading one fills them in. Any other
    setting that a loaded state lacks stays missing, so that an SGD's state in an Adam raises KeyError at the next step."""
    _complex_refusal: ClassVar[str] = ""
    """What is said of complex parameters where they are refused."""
    _takes_sparse: ClassVar[bool] = False
    """Whether gradients may be sparse."""
    _sparse_refusal: ClassVar[str] = ""
    """What is said of one where they may not, if there is more to say than that."""
    _captured: ClassVar[str] = "params and state_steps"
    """What has to be on a GPU where a step shall be captured in a CUDA graph."""

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
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[Group] = []
        for group in listed_groups(params):
            self.add_param_group(group)

    # ── groups ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def add_param_group(self, param_group: Group) -> None:
        """Adds parameters, with settings of their own where given.

        Raises:
            TypeError, ValueError: as the class.
        """
        listed = list_parameters(param_group)
        for param in listed:
            require_optimizable(param, self.defaults)
        fill_in(param_group, self.defaults)
        require_same_naming(param_group, self.param_groups)
        forbid_sharing(listed, self.param_groups)
        self.param_groups.append(param_group)

    # ── the step ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @hooked
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates every parameter that has a gradient; returns the closure's loss, if a closure was given.

        Raises:
            NotImplementedError: a class that has neither a step nor an update of its own.
        """
        if type(self)._update is Optimizer._update:
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
        if modes.sparse_met and not self._takes_sparse:
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
                    self._update(param, param._grad, group)

    def _update_complex(self, param: Tensor, grad: Tensor, group: Group) -> None:
        """Raises RuntimeError: the algorithm is for real parameters only."""
        if self._complex_refusal:
            raise RuntimeError(self._complex_refusal)
        update_pairs(self._update, self.state, param, grad, group)

    def _refuse_sparse(self) -> None:
        """Raises RuntimeError: some parameter's gradient is sparse."""
        for group in self.param_groups:
            if any(param._grad is not None and not param._grad._strided for param in group["params"]):
                raise RuntimeError(self._sparse_refusal or f"{type(self).__name__} does not support sparse gradients")

    def _refuse_capture(self, group: Group) -> None:
        """Raises AssertionError: a parameter with a gradient is on the CPU, as all are here."""
        if any(param._grad is not None for param in group["params"]):
            raise AssertionError(
                f"If capturable=True, {self._captured} must be on supported devices: "
                "['cuda', 'xpu', 'hpu', 'privateuseone', 'xla']."
            )

    def _update(self, param: Tensor, grad: Tensor, group: Group) -> None:
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
        result = packed(self.state, self.param_groups)
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
        state, groups = unpacked(state_dict, self.param_groups)
        self.__setstate__({"state": state, "param_groups": groups})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for group in self.param_groups:
            for name, value in self._added_later.items():
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
