"""Linear layers."""

from __future__ import annotations

import math
from typing import Any

from engine.nn import functional as F
from engine.nn import init
from engine.nn.making import add_parameter, empty_parameter
from engine.nn.module import Module


class Identity(Module):
    """Hands its input on; takes any arguments."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """The input itself."""
        return input


class Linear(Module):
    """``y = x Wᵀ + b`` with ``W`` of shape (out_features, in_features)."""

    in_features: int
    out_features: int

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = empty_parameter(out_features, in_features, dtype=dtype, device=device)
        add_parameter(self, "bias", (out_features,) if bias else None, dtype, device)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws weight, then bias, uniformly within ±1/√in_features."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Any) -> Any:
        """(…, in_features) → (…, out_features)."""
        own = self._parameters  # as attributes they are found only after all else has been searched
        weight, bias = own.get("weight"), own.get("bias")
        return F.linear(input, self.weight if weight is None else weight, self.bias if bias is None else bias)

    def extra_repr(self) -> str:
        """Sizes."""
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Bilinear(Module):
    """``y = x₁ᵀ W x₂ + b``.

    Raises:
        ValueError: no features in the first input.
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got {in1_features}")
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = empty_parameter(out_features, in1_features, in2_features, dtype=dtype, device=device)
        add_parameter(self, "bias", (out_features,) if bias else None, dtype, device)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws weight, then bias, uniformly within ±1/√in1_features."""
        bound = 1 / math.sqrt(self.weight.shape[1])
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Any, input2: Any) -> Any:
        """(…, in1_features) and (…, in2_features) → (…, out_features)."""
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Sizes."""
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )
