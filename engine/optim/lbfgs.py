"""L-BFGS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, ClassVar

from engine.autograd.modes import enable_grad, no_grad
from engine.ops.core.catalogue import TABLES
from engine.optim.complex_pairs import pairs
from engine.optim.groups import Group
from engine.optim.line_search import strong_wolfe
from engine.optim.optimizer import Optimizer
from engine.optim.settings import as_number, check_at_least_zero, check_single
from engine.tensor import Tensor

LEAST_CURVATURE = 1e-10
"""Below it, dividing by the curvature would say nothing."""


class LBFGS(Optimizer):
    """Quasi-Newton steps from the last ``history_size`` changes of parameters and gradients (Nocedal 1980).

    One call of ``step`` runs up to ``max_iter`` iterations, and calls the closure up to ``max_eval`` times.

    Raises:
        ValueError: a negative learning rate, or more than one parameter group.
    """

    _added_later: ClassVar[Group] = {}

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
        check_single(lr)
        check_at_least_zero(lr=as_number(lr))
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
        parts = [
            pairs(p.new_zeros(p.numel()) if p._grad is None else p._grad.to_dense()).reshape(-1) for p in self._params
        ]
        return TABLES["torch"]["cat"](parts, 0)

    def _move(self, length: float, direction: Tensor) -> None:
        """Every parameter along its part of the direction; reported as a step of its own."""

        def move() -> None:
            offset = 0
            for param in map(pairs, self._params):
                size = param.numel()
                param.add_(direction[offset : offset + size].view_as(param), alpha=length)
                offset += size

        self._change(move)

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
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = closure()
        loss, evaluations = float(first_loss), 1
        state["func_evals"] += 1
        gradient = self._flat_gradient()
        if self._is_flat(gradient):
            return first_loss
        memory = Memory(*(state.get(name) for name in MEMORY))
        iteration = 0
        while iteration < group["max_iter"]:
            iteration += 1
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                memory.begin(gradient)
            else:
                memory.learn(gradient, group["history_size"])
                alphas = state.setdefault("al", [None] * group["history_size"])
                memory.direction = two_loops(gradient, memory, alphas)
            memory.note(gradient, loss)
            memory.length = group["lr"]
            if state["n_iter"] == 1:
                memory.length = min(1.0, 1.0 / gradient.abs().sum()) * group["lr"]  # a tensor, where it is not the 1.0
            slope = gradient.dot(memory.direction)
            if slope > -group["tolerance_change"]:
                break
            is_last = iteration == group["max_iter"]
            left = group["max_eval"] - evaluations
            loss, gradient, done, calls = self._advance(closure, memory, loss, gradient, slope, left, is_last)
            evaluations += calls
            state["func_evals"] += calls
            if (
                is_last
                or evaluations >= group["max_eval"]
                or done
                or memory.stands_still(loss, group["tolerance_change"])
            ):
                break
        state.update(zip(MEMORY, (getattr(memory, part.name) for part in fields(memory)), strict=True))
        return first_loss

    def _is_flat(self, gradient: Tensor) -> bool:
        return float(gradient.abs().max()) <= self.param_groups[0]["tolerance_grad"]

    def _advance(
        self,
        closure: Callable[[], Any],
        memory: Memory,
        loss: float,
        gradient: Tensor,
        slope: Tensor,
        left: int,
        is_last: bool,
    ) -> tuple[float, Tensor, bool, int]:
        """Moves along the direction, as far as the line search says, if there is one.

        Args:
            left: how many evaluations of ``max_eval`` are left; the search may change its first guess so often.

        Returns:
            Loss and gradient there (those of before, if nobody will look at them), whether the gradient has vanished, and
            how often the closure was called.
        """
        search = self.param_groups[0]["line_search_fn"]
        if search is None:
            self._move(memory.length, memory.direction)
            if is_last:
                return loss, gradient, False, 0
            loss = float(closure())  # under no_grad, as in PyTorch: it warns of no number that leaves the graph
            gradient = self._flat_gradient()
            return loss, gradient, self._is_flat(gradient), 1
        if search != "strong_wolfe":
            raise RuntimeError("only 'strong_wolfe' is supported")
        start = [p.clone() for p in self._params]
        evaluate = partial(self._loss_along, closure, start, memory.direction)
        guess = as_number(memory.length)
        loss, gradient, length, calls = strong_wolfe(evaluate, guess, memory.direction, loss, gradient, slope, left)
        if length != guess:
            memory.length = length
        self._move(memory.length, memory.direction)
        return loss, gradient, self._is_flat(gradient), calls


MEMORY = ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss")
"""What PyTorch calls the parts of `Memory` in the optimizer's state."""


@dataclass(slots=True)
class Memory:
    """What one iteration hands on to the next."""

    direction: Any
    length: Any
    changes: Any
    """Changes of the gradient, oldest first."""
    moves: Any
    """The moves that came with them."""
    ro: Any
    """One over the product of the two."""
    scale: Any
    """The inverse Hessian to begin with: this number on its diagonal."""
    gradient: Any
    """The last iteration's."""
    loss: Any
    """The last iteration's."""

    def begin(self, gradient: Tensor) -> None:
        """Nothing is known yet: downhill."""
        self.direction, self.changes, self.moves, self.ro, self.scale = gradient.neg(), [], [], [], 1

    def learn(self, gradient: Tensor, size: int) -> None:
        """Takes in what the last move did to the gradient; only where the loss is curved upwards."""
        change, moved = gradient.sub(self.gradient), self.direction.mul(self.length)
        curvature = change.dot(moved)
        if not (curvature > LEAST_CURVATURE):  # nor where it is NaN
            return
        if len(self.changes) == size:
            for known in (self.changes, self.moves, self.ro):
                known.pop(0)
        self.changes.append(change)
        self.moves.append(moved)
        self.ro.append(1.0 / curvature)
        self.scale = curvature / change.dot(change)

    def note(self, gradient: Tensor, loss: float) -> None:
        """Keeps what the next iteration compares with."""
        if self.gradient is None:
            self.gradient = gradient.clone()
        else:
            self.gradient.copy_(gradient)
        self.loss = loss

    def stands_still(self, loss: float, least: float) -> bool:
        """Whether the last move changed neither parameters nor loss by as much as ``least``."""
        return float(self.direction.mul(self.length).abs().max()) <= least or abs(loss - self.loss) < least


def two_loops(gradient: Tensor, memory: Memory, alphas: list[Any]) -> Tensor:
    """The inverse Hessian, as the memory knows it, times minus the gradient; ``alphas`` is room for one number per change."""
    changes, moves, ro = memory.changes, memory.moves, memory.ro
    count = len(changes)
    q = gradient.neg()
    for i in reversed(range(count)):
        alphas[i] = moves[i].dot(q) * ro[i]
        q.add_(changes[i], alpha=-alphas[i].item())
    direction = q.mul(memory.scale)
    for i in range(count):
        beta = changes[i].dot(direction) * ro[i]
        direction.add_(moves[i], alpha=(alphas[i] - beta).item())
    return direction
