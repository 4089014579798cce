"""The one seam between the engine and whoever watches it.

The engine reports what it does to `state.listener` and does not know who listens. With no listener (None) a report
costs one attribute look-up. The tracer's recorder subclasses `Listener`; a method left alone ignores its report.

Objects are handed over as they are (tensors, nodes); a listener must not change them, and must read values at once,
since the program may write into them later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


class Listener:
    """Receives the engine's reports, in the order in which things happen."""

    # forward
    def created(self, tensor: Any, how: str) -> None:
        """A tensor made from data by the person: ``how`` is the function (``tensor``, ``randn``, ``Parameter``)."""

    def accumulator_made(self, node: Any, leaf: Any) -> None:
        """A leaf got its AccumulateGrad, because something is about to use it in the graph."""

    def operation(self, operator: Any, arguments: Sequence[Any], results: Sequence[Any], node: Any) -> None:
        """An operator ran. ``arguments`` in signature order, ``node`` is the recorded node or None.

        For a view, a result's ``_base`` tells whose storage it shares. Saved tensors are in ``node``.
        """

    def written(self, tensor: Any, operator: str, before: int, after: int, node: Any) -> None:
        """``tensor`` was changed in place and its version went from ``before`` to ``after``.

        ``node`` is the grad_fn from now on: the tensor's, or, if it is a view, its base's (None if nothing was recorded).
        """

    def grad_fn_remade(self, view: Any, node: Any) -> None:
        """The storage of a view was written into: ``node`` is its grad_fn now, made anew from its base."""

    def left_graph(self, how: str, source: Any, result: Any, operator: str) -> None:
        """A value left the graph: detach, data, item, numpy, no_grad, not_differentiable, copied, …"""

    def aliased(self, source: Any, result: Any) -> None:
        """``detach()`` or ``data`` of what no graph holds: ``result`` sees the storage of ``source``."""

    def mode_changed(self, mode: str, enabled: bool, module: Any = None) -> None:
        """Mode ``grad``, ``inference`` or ``training`` was switched."""

    def requires_grad_changed(self, tensor: Any, requires_grad: bool) -> None:
        """``requires_grad_()`` or assignment to ``.requires_grad``."""

    def retain_grad_asked(self, tensor: Any) -> None:
        """``retain_grad()`` was called on a result that did not retain its gradient yet."""

    def scope_entered(self, kind: str, title: str, subject: Any) -> None:
        """A module's forward begins (kind ``module``), or another engine-known scope."""

    def scope_left(self, kind: str = "module") -> None:
        """The innermost engine-known scope of this kind ended."""

    def recomputed(self, function: str) -> None:
        """A checkpoint runs its function again."""

    def recalled(self, operator: str) -> None:
        """The second run of a checkpoint takes an operator's result that was kept, instead of computing it."""

    def mapping(self, size: int, mapped: Sequence[tuple[Any, int]], whole: Sequence[Any]) -> None:
        """``vmap`` is about to run a function for each of ``size`` examples.

        ``mapped`` are the tensors that it takes slices of, with the dimension; ``whole`` those that every example gets.
        """

    def warned(self, category: type[Warning], message: str) -> None:
        """The engine is about to issue a Python warning."""

    # backward
    def backward_started(
        self,
        function: str,
        roots: Sequence[Any],
        seeds: Sequence[Any],
        retain_graph: bool,
        create_graph: bool,
        inputs: Sequence[Any] | None,
    ) -> None:
        """``function`` is ``backward`` or ``grad``; one seed tensor (or None) per root tensor."""

    def node_ran(self, node: Any, gradients: Sequence[Any]) -> None:
        """``node`` has all its messages and is about to compute; one gradient (or None) per output."""

    def buffers_freed(self, node: Any, names: Sequence[str]) -> None:
        """``node`` dropped what it had saved."""

    def message_sent(self, node: Any, slot: int, to: Any, input_nr: int, gradient: Any) -> None:
        """``node`` sends ``gradient`` (or None) along edge ``slot``."""

    def broadcast_undone(self, node: Any, slot: int, before: Any, after: Any) -> None:
        """The gradient tensor ``before`` was summed to ``after``, the shape the receiver expects."""

    def messages_summed(
        self, node: Any, input_nr: int, arrived: int, expected: int, before: Any, incoming: Any, total: Any
    ) -> None:
        """A second or later message reached ``node``'s input and was added."""

    def hook_fired(
        self, hook: str, function: Any, tensor: Any, node: Any, before: Any, after: Any, module: Any = None
    ) -> None:
        """A hook ran; ``after`` is None when it changed nothing."""

    def gradient_stored(self, tensor: Any, node: Any, old: Any, incoming: Any, new: Any, retained: bool) -> None:
        """``tensor.grad`` went from ``old`` (a tensor or None) to ``new``."""

    def gradient_returned(self, tensor: Any, gradient: Any) -> None:
        """``autograd.grad`` captured a gradient."""

    def backward_ended(self, freed: bool) -> None:
        """The pass is over (also when it raised)."""

    # training
    def gradients_zeroed(self, tensors: Sequence[Any], to_none: bool) -> None:
        """``zero_grad`` or ``t.grad = None``."""

    def gradient_set(self, tensor: Any, old: Any, new: Any) -> None:
        """``t.grad = new``; ``old`` is what was there, a tensor or None."""

    def gradients_clipping(
        self,
        function: str,
        owners: Sequence[Any],
        limit: float,
        norm_type: float | None = None,
        total: Any = None,
        factor: Any = None,
        beyond: int | None = None,
    ) -> None:
        """``function`` is about to clip the gradients of ``owners``; only those that change are written to.

        By their norm: ``total`` is it and ``factor`` what each gradient is multiplied by, both tensors of one number.
        Element by element: ``beyond`` says how many are beyond the limit.
        """

    def schedule_stepping(self, scheduler: Any) -> None:
        """``scheduler`` is about to set the learning rates of its optimizer."""

    def schedule_stepped(self, scheduler: Any, metric: float | None = None, unimproved: int = 0) -> None:
        """… and has done so.

        One that watches a ``metric`` was told that, which by now has not improved ``unimproved`` times in a row.
        """

    def optimizer_stepping(self, optimizer: Any) -> None:
        """``optimizer.step()`` is about to change parameters."""

    def optimizer_stepped(self, optimizer: Any) -> None:
        """… and has done so."""


class State:
    """Holds the listener; one object, so that a look-up is one attribute."""

    __slots__ = ("aside", "listener")

    def __init__(self) -> None:
        self.listener: Listener | None = None
        self.aside: Listener | None = None
        """Who listens while a derivative runs whose own operations are not told; what the person's hooks do in it is."""

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Nothing inside is told: the engine's own means, not the person's doing."""
        listener, self.listener = self.listener, None
        try:
            yield
        finally:
            self.listener = listener

    @contextmanager
    def part(self, title: str) -> Iterator[None]:
        """What happens inside is one part of what a function of ours does, and is told under its title."""
        if (listener := self.listener) is not None:
            listener.scope_entered("function", title, None)
        try:
            yield
        finally:
            if listener is not None:
                listener.scope_left("function")


state = State()
