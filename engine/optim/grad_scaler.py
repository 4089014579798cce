"""``torch.amp.GradScaler``: a loss made larger, so that small float16 gradients do not vanish, and gradients made smaller again."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from enum import Enum
from typing import Any

from engine import dtype as dtypes
from engine.autograd.modes import no_grad
from engine.ops.core.catalogue import TABLES
from engine.tensor import Tensor


class Stage(Enum):
    """How far an optimizer has come since the last ``update``."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


class GradScaler:
    """Scales losses, unscales gradients, and leaves out steps whose gradients are not finite.

    The scale shrinks by ``backoff_factor`` after such a step, and grows by ``growth_factor`` after ``growth_interval`` good ones in
    a row (Micikevicius et al., *Mixed precision training*, 2018).

    Raises:
        AssertionError: factors that would not grow, or not shrink.
    """

    __module__ = "torch.amp.grad_scaler"

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        if enabled and device == "cuda":
            warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2)
            enabled = False
        self._enabled = enabled
        if enabled:
            demand(growth_factor > 1.0, "The growth factor must be > 1.0.")
            demand(backoff_factor < 1.0, "The backoff factor must be < 1.0.")
        self._init_scale = init_scale
        self._scale: Tensor | None = None
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval, self._growth_tracker = growth_interval, 0
        self._stages: dict[int, Stage] = {}
        self._found: dict[int, float] = {}

    def scale(self, outputs: Any) -> Any:
        """The loss (or losses, in any nesting of lists and tuples) times the scale.

        Raises:
            ValueError: something that holds no tensors.
        """
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            return outputs * self._current()
        if isinstance(outputs, Iterable):
            scaled = [self.scale(output) for output in outputs]
            return type(outputs)(scaled) if isinstance(outputs, list | tuple) else scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def _current(self) -> Tensor:
        """The scale as a tensor, made when first asked for."""
        if self._scale is None:
            self._scale = TABLES["torch"]["full"]((), self._init_scale, dtype=dtypes.float32)
        return self._scale

    def _require_scale(self, what: str) -> Tensor:
        """Raises AssertionError: nothing was scaled yet."""
        demand(
            self._scale is not None,
            f"Attempted {what} but _scale is None.  This may indicate your script did not use scaler.scale(loss or outputs) earlier "
            "in the iteration.",
        )
        assert self._scale is not None
        return self._scale

    def unscale_(self, optimizer: Any) -> None:
        """Divides the gradients of the optimizer's parameters by the scale, and notes whether any is not finite.

        Raises:
            RuntimeError: done before, or after the step.
        """
        if not self._enabled:
            return
        scale = self._require_scale("unscale_")
        stage = self._stages.get(id(optimizer), Stage.READY)
        if stage is Stage.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if stage is Stage.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        inverse = scale.double().reciprocal().float()
        found = None
        gradients = [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        with no_grad():
            for gradient in gradients:
                finite = bool(gradient.isfinite().all().item())
                found = max(found or 0.0, 0.0 if finite else 1.0)
                gradient.mul_(inverse)
        if found is not None:
            self._found[id(optimizer)] = found
        self._stages[id(optimizer)] = Stage.UNSCALED

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Unscales (unless that was done) and steps, if all gradients are finite; what ``optimizer.step`` returns, or None.

        Raises:
            RuntimeError: a step was made already, or a closure is given.
            AssertionError: there were no gradients.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._require_scale("step")
        stage = self._stages.get(id(optimizer), Stage.READY)
        if stage is Stage.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if stage is Stage.READY:
            self.unscale_(optimizer)
        demand(id(optimizer) in self._found, "No inf checks were recorded for this optimizer.")
        result = None if self._found[id(optimizer)] else optimizer.step(*args, **kwargs)
        self._stages[id(optimizer)] = Stage.STEPPED
        return result

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Adapts the scale to what the steps since the last update found, or sets it.

        Raises:
            AssertionError: nothing was scaled or stepped yet.
        """
        if not self._enabled:
            return
        scale = self._require_scale("update")
        if new_scale is not None:
            scale.fill_(float(new_scale))
        else:
            demand(bool(self._found), "No inf checks were recorded prior to update.")
            if max(self._found.values()):
                scale.mul_(self._backoff_factor)
                self._growth_tracker = 0
            else:
                self._grow(scale)
        self._stages.clear()
        self._found.clear()

    def _grow(self, scale: Tensor) -> None:
        """Counts a good step, and grows the scale when there were enough (never to infinity)."""
        self._growth_tracker += 1
        if self._growth_tracker == self._growth_interval:
            grown = float(scale.item()) * self._growth_factor
            if math.isfinite(grown):
                scale.fill_(grown)
            self._growth_tracker = 0

    def get_scale(self) -> float:
        """The scale as a number; 1 when disabled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else float(self._scale.item())

    def _get_growth_tracker(self) -> int:
        """Steps without an infinity since the scale last changed; 0 when disabled."""
        return self._growth_tracker if self._enabled else 0

    def get_growth_factor(self) -> float:
        """By what the scale grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Sets by what the scale grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """By what the scale shrinks."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Sets by what the scale shrinks."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """After how many good steps the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Sets after how many good steps the scale grows."""
        self._growth_interval = new_interval

    def is_enabled(self) -> bool:
        """Whether it does anything."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """The scale and its settings; empty when disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` gave.

        Raises:
            RuntimeError: an empty one.
        """
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale = state_dict["scale"]
        if self._scale is not None:
            self._scale.fill_(state_dict["scale"])
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval, self._growth_tracker = state_dict["growth_interval"], state_dict["_growth_tracker"]


def demand(condition: bool, words: str) -> None:
    """Raises AssertionError: with these words, unless the condition holds."""
    if not condition:
        raise AssertionError(words)
