"""Gradient mode and inference mode: scoped values, usable as context manager and as decorator."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any, TypeVar, cast

from engine.errors import require_bool
from engine.observe import state as observing

Function = TypeVar("Function", bound=Callable[..., Any])


class ModeState:
    """The modes in force; one object, so that the hot path reads attributes of a local."""

    __slots__ = (
        "anomaly", "autocast", "batch_level", "before_write", "check_nan", "deriving", "dispatching", "forward_level", "grad_enabled",
        "graphs_kept", "inference", "inference_met", "intercepting", "layers", "meta_met", "profiling", "saved_hooks",
        "saved_hooks_refused", "sequence_nr", "sparse_met", "special", "transforms", "view_replay", "watched",
    )  # fmt: skip

    def __init__(self) -> None:
        self.grad_enabled = True
        self.inference = False
        self.inference_met = False
        """Whether there ever was an inference tensor: until then nobody need look for them."""
        self.sequence_nr = 0
        """Number of the next node; backward runs the highest first."""
        self.saved_hooks: list[tuple[Any, Any]] = []
        """(pack, unpack) pairs, innermost last."""
        self.before_write: Callable[[Any], None] | None = None
        """What to call with a tensor that is about to be written to (`engine.autograd.saved_mutation`)."""
        self.saved_hooks_refused: str | None = None
        """The message of `disable_saved_tensors_hooks`, while it is in force."""
        self.transforms: list[str] = []
        """The ``torch.func`` transforms at work, innermost last."""
        self.layers: list[Any] = []
        """The same and the vmaps (`engine.transforms.layers`), which say how tensors print."""
        self.forward_level = 0
        """Depth of forward-mode ``dual_level``; 0 when off."""
        self.anomaly = False
        self.autocast = False
        """Whether operators choose their precision (`engine.ops.core.autocast`)."""
        self.check_nan = True
        self.deriving = False
        """Whether a derivative of an operator is being recorded: numbers in it are C++ numbers to PyTorch."""
        self.view_replay = False
        """Whether a written view's grad_fn is made of its own view operations instead of one ``AsStridedBackward0``."""
        self.dispatching: list[Any] = []
        """Dispatch modes at work, innermost last (`engine.ops.core.dispatch`)."""
        self.profiling = False
        """Whether somebody measures (`engine.utils.profiling`)."""
        self.watched = False
        """Whether a dispatch mode or a profiler wants to see derivatives as operators on tensors."""
        self.sparse_met = False
        """Whether there ever was a sparse tensor: until then nobody need look for them."""
        self.meta_met = False
        """The same for tensors without elements (``device="meta"``)."""
        self.intercepting = False
        """Whether an operator must ask who computes it: a dispatch mode is on, or sparse or meta tensors have kernels of their own."""
        self.batch_level = 0
        """Depth of vmap; 0 outside."""
        self.graphs_kept = False
        """Whether a vmap has examples left, which go through the graph that this one's backward pass goes through."""
        self.special = False
        """Whether any mode is on that the short ways through a call do not know (`refresh` lists them): calls go the general way then."""

    def refresh(self) -> None:
        """Call after changing any of these."""
        self.watched = bool(self.dispatching or self.profiling)
        self.intercepting = bool(self.dispatching) or self.sparse_met or self.meta_met
        self.special = bool(
            self.inference
            or self.inference_met
            or self.saved_hooks
            or self.dispatching
            or self.forward_level
            or self.anomaly
            or self.autocast
            or self.batch_level
            or self.layers
            or self.deriving
            or self.view_replay
            or self.meta_met
        )


state = ModeState()


def _switch_grad(enabled: bool) -> None:
    if enabled != state.grad_enabled:
        state.grad_enabled = enabled
        if observing.listener is not None:
            observing.listener.mode_changed("grad", enabled)


def making(cls: Any) -> Callable[..., Any]:
    """A function that makes an instance: what PyTorch leaves of a class that is decorated."""

    def make(*args: Any, **kwargs: Any) -> Any:
        return cls(*args, **kwargs)

    return make


class _Decorator:
    """Lets a context manager decorate a function (or a generator function, which runs each step inside)."""

    def _again(self) -> _Decorator:
        return self.__class__()

    def __enter__(self) -> Any:
        raise NotImplementedError

    def __exit__(self, *exception: object) -> None:
        raise NotImplementedError

    def __call__(self, function: Function) -> Function:
        if inspect.isclass(function):
            warnings.warn(
                "Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions or "
                "methods. To preserve the current behavior of class decoration, you can directly decorate the `__init__` method "
                "and nothing else.",
                FutureWarning,
                stacklevel=2,
            )
            return self(cast(Function, making(function)))
        if inspect.isgeneratorfunction(function):
            return cast(Function, self._wrap_generator(function))

        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self._again():
                return function(*args, **kwargs)

        return cast(Function, inside)

    def _wrap_generator(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self._again():
                generator = function(*args, **kwargs)
                resume, sent = generator.send, None
            while True:
                try:
                    with self._again():
                        item = resume(sent)
                except StopIteration as end:
                    return end.value
                try:
                    resume, sent = generator.send, (yield item)
                except BaseException as error:  # noqa: BLE001 (whatever the caller throws in belongs to the generator)
                    resume, sent = generator.throw, error

        return inside


class _NoParamDecoratorContextManager(_Decorator):
    _enabled: bool

    def __new__(cls, function: Any = None) -> Any:
        """``@no_grad`` without parentheses decorates at once."""
        scope = super().__new__(cls)
        if function is None:
            return scope
        scope.__init__()  # type: ignore[misc]  # a scope just made
        return scope(function)

    def __init__(self) -> None:
        self._previous = False

    def __enter__(self) -> None:
        self._previous = state.grad_enabled
        _switch_grad(self._enabled)

    def __exit__(self, *exception: object) -> None:
        _switch_grad(self._previous)


class no_grad(_NoParamDecoratorContextManager):
    """``torch.no_grad``: nothing inside is recorded."""

    __module__ = "torch.autograd.grad_mode"

    _enabled = False


class enable_grad(_NoParamDecoratorContextManager):
    """``torch.enable_grad``: recording is on inside, whatever surrounds it."""

    __module__ = "torch.autograd.grad_mode"

    _enabled = True


class set_grad_enabled(_Decorator):
    """``torch.set_grad_enabled(mode)``: acts at once as a function, restores as a context manager."""

    __module__ = "torch.autograd.grad_mode"

    def __init__(self, mode: bool) -> None:
        require_bool(mode, "set_grad_enabled", "enabled", 1)
        self.mode = mode
        self.prev = state.grad_enabled
        _switch_grad(self.mode)

    def __enter__(self) -> None:
        _switch_grad(self.mode)

    def __exit__(self, *exception: object) -> None:
        _switch_grad(self.prev)

    def __call__(self, function: Function) -> Function:
        """Decorates: the switch at construction was not meant."""
        _switch_grad(self.prev)
        return super().__call__(function)

    def _again(self) -> _Decorator:
        return set_grad_enabled(self.mode)

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"


class inference_mode(_Decorator):
    """``torch.inference_mode``: no recording, and results are marked as inference tensors for good."""

    __module__ = "torch.autograd.grad_mode"

    def __new__(cls, mode: Any = True) -> Any:
        """``@inference_mode`` without parentheses decorates at once."""
        scope = super().__new__(cls)
        if isinstance(mode, bool):
            return scope
        scope.__init__(True)  # type: ignore[misc]  # a scope just made
        return scope(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode
        self._previous = (False, False)

    def __enter__(self) -> None:
        self._previous = (state.inference, state.grad_enabled)
        state.inference = self.mode
        state.refresh()
        _switch_grad(not self.mode)
        if observing.listener is not None:
            observing.listener.mode_changed("inference", self.mode)

    def __exit__(self, *exception: object) -> None:
        state.inference = self._previous[0]
        state.refresh()
        _switch_grad(self._previous[1])
        if observing.listener is not None:
            observing.listener.mode_changed("inference", state.inference)

    def _again(self) -> _Decorator:
        return inference_mode(self.mode)


def is_grad_enabled() -> bool:
    """Whether operations are being recorded."""
    return state.grad_enabled


def is_inference_mode_enabled() -> bool:
    """Whether inference mode is on."""
    return state.inference
