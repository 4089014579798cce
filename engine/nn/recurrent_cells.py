"""Recurrent cells: one step of a recurrent layer."""

from __future__ import annotations

from typing import Any

from engine.nn.making import add_parameter, empty_parameter
from engine.nn.module import Module
from engine.nn.recurrent import draw_within_bound
from engine.ops.core.catalogue import TABLES
from engine.tensor import Tensor


class RNNCellBase(Module):
    """What the three cells share."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = num_chunks * hidden_size
        self.weight_ih = empty_parameter(rows, input_size, dtype=dtype, device=device)
        self.weight_hh = empty_parameter(rows, hidden_size, dtype=dtype, device=device)
        for name in ("bias_ih", "bias_hh"):
            add_parameter(self, name, (rows,) if bias else None, dtype, device)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws every parameter uniformly within ±1/√hidden_size."""
        draw_within_bound(self)

    def extra_repr(self) -> str:
        """Settings that differ from the defaults."""
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text

    def _step(self, function: str, input: Tensor, states: Any, count: int) -> Any:
        """One step of the named operator with so many states, with or without a batch dimension.

        Raises:
            ValueError: input or states of another number of dimensions.
        """
        name = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        for place, state in enumerate(states or ()):
            if state.dim() not in (1, 2):
                which = f"hx[{place}]" if count > 1 else "hidden"
                raise ValueError(f"{name}: Expected {which} to be 1D or 2D, got {state.dim()}D instead")
        single = input.dim() == 1
        data = input.unsqueeze(0) if single else input
        if states is None:
            zeros = data.new_zeros((data.shape[0], self.hidden_size))
            states = (zeros,) * count
        elif single:
            states = tuple(state.unsqueeze(0) for state in states)
        hidden = states if count > 1 else states[0]
        result = TABLES["torch"][function](data, hidden, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        if single:
            result = tuple(part.squeeze(0) for part in result) if count > 1 else result.squeeze(0)
        return result


class RNNCell(RNNCellBase):
    """One step of an `RNN`."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, dtype=dtype, device=device)
        self.nonlinearity = nonlinearity

    def forward(self, input: Any, hx: Any = None) -> Any:
        """(B, input_size) and (B, hidden_size) → (B, hidden_size).

        Raises:
            RuntimeError: an unknown nonlinearity.
        """
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step(f"rnn_{self.nonlinearity}_cell", input, None if hx is None else (hx,), 1)


class LSTMCell(RNNCellBase):
    """One step of an `LSTM`."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, dtype=dtype, device=device)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """(B, input_size) and a pair of (B, hidden_size) → the next pair.

        Raises:
            TypeError: something else where the pair should be.
            RuntimeError: another number of states.
        """
        if isinstance(hx, Tensor) and hx.dim() > 1:
            raise TypeError("lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not Tensor")
        if isinstance(hx, tuple | list) and len(hx) != 2:
            raise RuntimeError("lstm_cell expects two hidden states")
        return self._step("lstm_cell", input, hx, 2)


class GRUCell(RNNCellBase):
    """One step of a `GRU`."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, dtype=dtype, device=device)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """(B, input_size) and (B, hidden_size) → (B, hidden_size)."""
        return self._step("gru_cell", input, None if hx is None else (hx,), 1)
