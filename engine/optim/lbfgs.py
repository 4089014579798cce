"""L-BFGS."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from engine.autograd.modes import enable_grad, no_grad
from engine.observe import state as observing
from engine.ops.core.catalogue import TABLES
from engine.optim.line_search import strong_wolfe
from engine.optim.optimizer import Optimizer
from engine.optim.settings import check_at_least_zero
from engine.tensor import Tensor


class LBFGS(Optimizer):
    """Quasi-Newton steps from the last ``history_size`` changes of parameters and gradients (Nocedal 1980).

    One call of ``step`` runs up to ``max_iter`` iterations, and calls the closure up to ``max_eval`` times.

    Raises:
        ValueError: a negative learning rate, or more than one parameter group.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_at_least_zero(lr=lr)
        super().__init__(
            params,
            {
                "lr": lr, "max_iter": max_iter, "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
                "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change, "history_size": history_size,
                "line_search_fn": line_search_fn,
            },
        )  # fmt: skip
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params: list[Tensor] = self.param_groups[0]["params"]

    def _flat_gradient(self) -> Tensor:
        parts = [p.new_zeros(p.numel()) if p._grad is None else p._grad.to_dense().reshape(-1) for p in self._params]
        return TABLES["torch"]["cat"](parts, 0)

    def _move(self, length: float, direction: Tensor) -> None:
        """Every parameter along its part of the direction; reported as a step of its own."""
        listener = observing.listener
        if listener is not None:
            listener.optimizer_stepping(self)
            observing.listener = None
        try:
            offset = 0
            for param in self._params:
                size = param.numel()
                param.add_(direction[offset : offset + size].view_as(param), alpha=length)
                offset += size
        finally:
            observing.listener = listener
        if listener is not None:
            listener.optimizer_stepped(self)

    def _put(self, values: list[Tensor]) -> None:
        for param, value in zip(self._params, values, strict=True):
            param.copy_(value)

    def _loss_along(
        self, closure: Callable[[], Any], start: list[Tensor], direction: Tensor, length: float
    ) -> tuple[float, Tensor]:
        self._move(length, direction)
        loss = float(closure())
        gradient = self._flat_gradient()
        self._put(start)
        return loss, gradient

    def step(self, closure: Callable[[], Any]) -> Any:
        """Up to ``max_iter`` iterations.

        ``closure`` clears gradients, computes the loss, calls backward, returns the loss.
        """
        with no_grad():
            return self._iterate(enable_grad()(closure))

    def _iterate(self, closure: Callable[[], Any]) -> Any:
        group = self.param_groups[0]
        lr, max_iter, max_eval = group["lr"], group["max_iter"], group["max_eval"]
        least_grad, least_change, history = group["tolerance_grad"], group["tolerance_change"], group["history_size"]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = closure()
        loss, evaluations = float(first_loss), 1
        state["func_evals"] += 1
        gradient = self._flat_gradient()
        if float(gradient.abs().max()) <= least_grad:
            return first_loss
        direction, length = state.get("d"), state.get("t")
        old_dirs, old_stps, ro = state.get("old_dirs"), state.get("old_stps"), state.get("ro")
        scale, before, loss_before = state.get("H_diag"), state.get("prev_flat_grad"), state.get("prev_loss")
        iteration = 0
        while iteration < max_iter:
            iteration += 1
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                direction, old_dirs, old_stps, ro, scale = gradient.neg(), [], [], [], 1
            else:
                change, moved = gradient.sub(before), direction.mul(length)
                curvature = change.dot(moved)
                if curvature > 1e-10:
                    if len(old_dirs) == history:
                        old_dirs.pop(0), old_stps.pop(0), ro.pop(0)
                    old_dirs.append(change)
                    old_stps.append(moved)
                    ro.append(1.0 / curvature)
                    scale = curvature / change.dot(change)
                alphas = state.setdefault("al", [None] * history)
                direction = two_loops(gradient, old_dirs, old_stps, ro, scale, alphas)
            if before is None:
                before = gradient.clone()
            else:
                before.copy_(gradient)
            loss_before = loss
            length = min(1.0, 1.0 / float(gradient.abs().sum())) * lr if state["n_iter"] == 1 else lr
            slope = gradient.dot(direction)
            if slope > -least_change:
                break
            calls = 0
            if group["line_search_fn"] is not None:
                if group["line_search_fn"] != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")
                start = [p.clone() for p in self._params]
                loss, gradient, length, calls = strong_wolfe(
                    partial(self._loss_along, closure, start, direction), length, direction, loss, gradient, slope
                )
                self._move(length, direction)
                done = float(gradient.abs().max()) <= least_grad
            else:
                self._move(length, direction)
                done = False
                if iteration != max_iter:
                    with enable_grad():
                        loss = float(closure())
                    gradient = self._flat_gradient()
                    done = float(gradient.abs().max()) <= least_grad
                    calls = 1
            evaluations += calls
            state["func_evals"] += calls
            if iteration == max_iter or evaluations >= max_eval or done:
                break
            if float(direction.mul(length).abs().max()) <= least_change or abs(loss - loss_before) < least_change:
                break
        state.update(
            d=direction, t=length, old_dirs=old_dirs, old_stps=old_stps, ro=ro, H_diag=scale, prev_flat_grad=before,
            prev_loss=loss_before,
        )  # fmt: skip
        return first_loss


def two_loops(
    gradient: Tensor, changes: list[Tensor], moves: list[Tensor], ro: list[Any], scale: Any, alphas: list[Any]
) -> Tensor:
    """The inverse Hessian, as the history knows it, times minus the gradient."""
    count = len(changes)
    q = gradient.neg()
    for i in reversed(range(count)):
        alphas[i] = moves[i].dot(q) * ro[i]
        q.add_(changes[i], alpha=-alphas[i].item())
    direction = q.mul(scale)
    for i in range(count):
        beta = changes[i].dot(direction) * ro[i]
        direction.add_(moves[i], alpha=(alphas[i] - beta).item())
    return direction
