"""Activation layers: each calls the function of its name."""

from __future__ import annotations

import warnings
from typing import Any

from engine.nn import functional as F
from engine.nn.init import constant_
from engine.nn.making import OwnNames, empty_parameter
from engine.nn.module import Module
from engine.ops.core.catalogue import TABLES


def warn_renamed(old: str, new: str) -> None:
    """Says that a keyword goes by another name now."""
    warnings.warn(f"keyword argument `{old}` is deprecated and renamed to `{new}`", FutureWarning, stacklevel=3)


class _InPlaceable(OwnNames, Module):
    """An activation without settings but ``inplace``."""

    inplace: bool

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        """Shows ``inplace=True`` only."""
        return "inplace=True" if self.inplace else ""


class ReLU(_InPlaceable):
    """max(x, 0)."""

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.relu(input, inplace=self.inplace)


class SELU(_InPlaceable):
    """Scaled ELU."""

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.selu(input, self.inplace)


class SiLU(_InPlaceable):
    """x · σ(x)."""

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.silu(input, inplace=self.inplace)


class Mish(_InPlaceable):
    """x · tanh(softplus(x))."""

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.mish(input, inplace=self.inplace)


class _WithoutText(_InPlaceable):
    """An activation that does not show its setting."""

    def extra_repr(self) -> str:
        """Nothing."""
        return ""


class Hardsigmoid(_WithoutText):
    """A straight-lined sigmoid."""

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.hardsigmoid(input, self.inplace)


class Hardswish(_WithoutText):
    """x · hardsigmoid(x)."""

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.hardswish(input, self.inplace)


class Hardtanh(Module):
    """x, cut off at both ends.

    Raises:
        AssertionError: the upper end is not above the lower.
    """

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__()
        if min_value is not None:
            warn_renamed("min_value", "min_val")
            min_val = min_value
        if max_value is not None:
            warn_renamed("max_value", "max_val")
            max_val = max_value
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})")

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        """Ends."""
        return f"min_val={self.min_val}, max_val={self.max_val}" + (", inplace=True" if self.inplace else "")


class ReLU6(Hardtanh):
    """ReLU, cut off at 6."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        """Shows ``inplace=True`` only."""
        return "inplace=True" if self.inplace else ""


class Threshold(Module):
    """x above a threshold, else a value."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold, self.value, self.inplace = threshold, value, inplace

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        """Settings."""
        return f"threshold={self.threshold}, value={self.value}" + (", inplace=True" if self.inplace else "")


class LeakyReLU(Module):
    """x, flattened but not cut below zero."""

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope, self.inplace = negative_slope, inplace

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        """Settings."""
        return f"negative_slope={self.negative_slope}" + (", inplace=True" if self.inplace else "")


class RReLU(Module):
    """A leaky ReLU whose slope is drawn at random while training."""

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower, self.upper, self.inplace = lower, upper, inplace

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        """Settings."""
        return f"lower={self.lower}, upper={self.upper}" + (", inplace=True" if self.inplace else "")


class PReLU(Module):
    """A leaky ReLU whose slope is learned."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = empty_parameter(num_parameters, dtype=dtype, device=device)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Every slope to ``init``."""
        constant_(self.weight, self.init)

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """Settings."""
        return f"num_parameters={self.num_parameters}"


class _Exponential(OwnNames, Module):
    """x above zero, bent towards −α below."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha, self.inplace = alpha, inplace

    def extra_repr(self) -> str:
        """Settings."""
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class ELU(_Exponential):
    """x above zero, α(eˣ − 1) below."""

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.elu(input, self.alpha, self.inplace)


class CELU(_Exponential):
    """A continuously differentiable ELU."""

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.celu(input, self.alpha, self.inplace)


class GELU(Module):
    """x · Φ(x)."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        """Settings."""
        return f"approximate={self.approximate!r}"


class GLU(Module):
    """Half of the input, gated by the other half."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Any) -> Any:
        """Half as long along ``dim``."""
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        """Settings."""
        return f"dim={self.dim}"


class Sigmoid(Module):
    """1 / (1 + e⁻ˣ)."""

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return TABLES["torch"]["sigmoid"](input)


class Tanh(Module):
    """Hyperbolic tangent."""

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return TABLES["torch"]["tanh"](input)


class Softsign(Module):
    """x / (1 + |x|)."""

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.softsign(input)


class Tanhshrink(Module):
    """x − tanh(x)."""

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.tanhshrink(input)


class LogSigmoid(Module):
    """log σ(x)."""

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.logsigmoid(input)


class Softplus(Module):
    """log(1 + eᵝˣ) / β, a straight line beyond the threshold."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """Settings."""
        return f"beta={self.beta}, threshold={self.threshold}"


class _Shrink(OwnNames, Module):
    """An activation that takes what is within ±λ for zero."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        """Settings."""
        return str(self.lambd)


class Softshrink(_Shrink):
    """x moved towards zero by λ."""

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.softshrink(input, self.lambd)


class Hardshrink(_Shrink):
    """x, or zero when it is within ±λ."""

    def forward(self, input: Any) -> Any:
        """Same shape."""
        return F.hardshrink(input, self.lambd)
