"""Calling a module: hooks before and after ``forward``, and the report that a module was entered and left.

Order of a call: forward pre-hooks, (full backward hooks attach here), ``forward``, forward hooks. Each forward hook may
replace what passes through. Backward hooks see the gradients with respect to the module's outputs and inputs.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from engine.autograd.handles import RemovableHandle, add_hook
from engine.autograd.hooks import report_module_hook
from engine.nn.backward_hooks import BackwardHook
from engine.observe import state as observing

Hook = Callable[..., Any]


class Everywhere:
    """Hooks that run for every module (``torch.nn.modules.module.register_module_…``)."""

    def __init__(self) -> None:
        self.pre: OrderedDict[int, Hook] = OrderedDict()
        self.post: OrderedDict[int, Hook] = OrderedDict()
        self.always: set[int] = set()
        self.backward_pre: OrderedDict[int, Hook] = OrderedDict()
        self.backward: OrderedDict[int, Hook] = OrderedDict()

    def any(self) -> bool:
        """Whether a call has to look at them."""
        return bool(self.pre or self.post or self.backward_pre or self.backward)


everywhere = Everywhere()


class Calling:
    """``__call__`` and hook registration of `engine.nn.module.Module`."""

    _forward_pre_hooks: OrderedDict[int, Hook]
    _forward_pre_hooks_with_kwargs: OrderedDict[int, bool]
    _forward_hooks: OrderedDict[int, Hook]
    _forward_hooks_with_kwargs: OrderedDict[int, bool]
    _forward_hooks_always_called: OrderedDict[int, bool]
    _backward_pre_hooks: OrderedDict[int, Hook]
    _backward_hooks: OrderedDict[int, Hook]
    _is_full_backward_hook: bool | None

    def forward(self, *input: Any) -> Any:
        """What the module computes; every subclass says.

        Raises:
            NotImplementedError: the subclass has no ``forward`` (or misspelled it).
        """
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the hooks and ``forward``."""
        listener = observing.listener
        if listener is not None:
            listener.scope_entered("module", type(self).__name__, self)
        try:
            own = self.__dict__
            if (
                own.get("_forward_hooks")
                or own.get("_forward_pre_hooks")
                or self._backward_hooks
                or own.get("_backward_pre_hooks")
                or everywhere.any()
            ):
                return self._call_with_hooks(args, kwargs)
            return self.forward(*args, **kwargs)
        finally:
            if listener is not None:
                listener.scope_left()

    def _call_with_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        finished: set[int] = set()
        try:
            return self._call_hooked(args, kwargs, finished)
        except Exception:
            self._run_always_called(args, kwargs, finished)
            raise

    def _call_hooked(self, args: tuple[Any, ...], kwargs: dict[str, Any], finished: set[int]) -> Any:
        args, kwargs = self._after_pre_hooks(args, kwargs)
        backward = self._backward_hook()
        if backward is not None:
            args = backward.watch_inputs(args)
        result = self.forward(*args, **kwargs)
        for key, hook in [*everywhere.post.items(), *self._forward_hooks.items()]:
            finished.add(key)
            changed = (
                hook(self, args, kwargs, result) if key in self._forward_hooks_with_kwargs else hook(self, args, result)
            )
            report_module_hook("module_forward", self, hook, result, changed)
            if changed is not None:
                result = changed
        if backward is not None:
            result = backward.watch_outputs(result)
        elif self._backward_hooks and self._is_full_backward_hook is False:
            BackwardHook.watch_last_node(self, args, result, [*self._backward_hooks.values()])
        return result

    def _after_pre_hooks(self, args: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """The arguments that the forward pre-hooks leave, everybody's first.

        Raises:
            RuntimeError: a hook that takes keyword arguments gives back something else than both kinds of arguments.
        """
        for hook in [*everywhere.pre.values()]:
            args = self._after_pre_hook(hook, hook(self, args), args)
        for key, hook in [*self._forward_pre_hooks.items()]:
            if key not in self._forward_pre_hooks_with_kwargs:
                args = self._after_pre_hook(hook, hook(self, args), args)
                continue
            changed = hook(self, args, kwargs)
            if changed is not None:
                if not isinstance(changed, tuple) or len(changed) != 2:
                    raise RuntimeError(
                        f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}."
                    )
                args, kwargs = changed
        return args, kwargs

    def _after_pre_hook(self, hook: Hook, changed: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
        report_module_hook("module_forward", self, hook, args, changed)
        return as_arguments(changed, args)

    def _backward_hook(self) -> BackwardHook | None:
        hooks = [*everywhere.backward.values()]
        if self._is_full_backward_hook:
            hooks += self._backward_hooks.values()
        pre_hooks = [*everywhere.backward_pre.values(), *self._backward_pre_hooks.values()]
        return BackwardHook(self, hooks, pre_hooks) if hooks or pre_hooks else None

    def _run_always_called(self, args: Any, kwargs: Any, finished: set[int]) -> None:
        """After an exception, hooks registered with ``always_call`` still run, without a result; theirs only warn."""
        result = None
        for key, hook in [*everywhere.post.items(), *self._forward_hooks.items()]:
            if key in finished or not (key in everywhere.always or key in self._forward_hooks_always_called):
                continue
            try:
                changed = (
                    hook(self, args, kwargs, result)
                    if key in self._forward_hooks_with_kwargs
                    else hook(self, args, result)
                )
                result = result if changed is None else changed
            except Exception as error:  # noqa: BLE001 (the error of the call itself is the one to tell)
                whose = "global module" if key in everywhere.post else "module"
                warnings.warn(
                    f"{whose} forward hook with ``always_call=True`` raised an exception that was silenced as another error was "
                    f"raised in forward: {error}",
                    stacklevel=4,
                )

    # ── registration ─────────────────────────────────────────────────────────────────────────────────────────────────

    def register_forward_pre_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Calls ``hook(module, args)`` before ``forward``; a returned value replaces the arguments."""
        handle = registered(self._forward_pre_hooks, hook, prepend)
        if with_kwargs:
            self._forward_pre_hooks_with_kwargs[handle.id] = True
        return handle

    def register_forward_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Calls ``hook(module, args, output)`` after ``forward``; a returned value replaces the output."""
        handle = registered(self._forward_hooks, hook, prepend)
        if with_kwargs:
            self._forward_hooks_with_kwargs[handle.id] = True
        if always_call:
            self._forward_hooks_always_called[handle.id] = True
        return handle

    def register_full_backward_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Calls ``hook(module, grad_output)`` when the gradients of the outputs are complete."""
        return registered(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Calls ``hook(module, grad_input, grad_output)`` when the gradients of the inputs are complete."""
        self._choose_backward_hooks(full=True)
        return registered(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook: Hook) -> RemovableHandle:
        """The old kind: sees the gradients of the last node only. Prefer `register_full_backward_hook`."""
        self._choose_backward_hooks(full=False)
        return registered(self._backward_hooks, hook, False)

    def _choose_backward_hooks(self, *, full: bool) -> None:
        """Raises RuntimeError: the module has backward hooks of the other kind."""
        if self._is_full_backward_hook is (not full):
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only "
                "one of them."
            )
        self._is_full_backward_hook = full


def as_arguments(changed: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a pre-hook returned, as the argument tuple."""
    if changed is None:
        return args
    return changed if isinstance(changed, tuple) else (changed,)


def registered(hooks: OrderedDict[int, Hook], hook: Hook, prepend: bool) -> RemovableHandle:
    """Adds a hook at the end, or at the front."""
    handle = add_hook(hooks, hook)
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def register_module_forward_pre_hook(hook: Hook) -> RemovableHandle:
    """Calls ``hook(module, args)`` before every module's ``forward``."""
    return registered(everywhere.pre, hook, False)


def register_module_forward_hook(
    hook: Hook, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Calls ``hook(module, args, output)`` after every module's ``forward``."""
    wrapped = (lambda module, args, output: hook(module, args, {}, output)) if with_kwargs else hook
    handle = registered(everywhere.post, wrapped, False)
    if always_call:
        everywhere.always.add(handle.id)
    return handle


def register_module_full_backward_hook(hook: Hook) -> RemovableHandle:
    """Calls ``hook(module, grad_input, grad_output)`` for every module."""
    return registered(everywhere.backward, hook, False)


def register_module_full_backward_pre_hook(hook: Hook) -> RemovableHandle:
    """Calls ``hook(module, grad_output)`` for every module."""
    return registered(everywhere.backward_pre, hook, False)
