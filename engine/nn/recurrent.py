"""Recurrent layers and their cells."""

from __future__ import annotations

import math
import numbers
import warnings
from typing import Any

from engine.autograd.modes import state as modes
from engine.nn import init
from engine.nn.making import empty_parameter
from engine.nn.module import Module
from engine.nn.utils.rnn import PackedSequence
from engine.ops.core.catalogue import TABLES
from engine.tensor import Tensor

GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
"""How many rows of weights each hidden number has, by mode."""


class RNNBase(Module):
    """What RNN, LSTM and GRU share: parameters by layer and direction, checks, unbatched and packed input.

    Raises:
        ValueError: an unknown mode, or settings out of range.
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if mode not in GATES:
            raise ValueError(f"Unrecognized RNN mode: {mode}")
        self.mode, self.input_size, self.hidden_size, self.num_layers = mode, input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout, self.bidirectional, self.proj_size = (
            bias, batch_first, float(dropout), bidirectional, proj_size,
        )  # fmt: skip
        self._check_settings(dropout)
        gates = GATES[mode] * hidden_size
        shown = proj_size if proj_size > 0 else hidden_size
        self._all_weights: list[list[str]] = []
        for layer in range(num_layers):
            for suffix in ("", "_reverse") if bidirectional else ("",):
                width = input_size if layer == 0 else shown * (2 if bidirectional else 1)
                made: dict[str, tuple[int, ...]] = {"weight_ih": (gates, width), "weight_hh": (gates, shown)}
                if bias:
                    made |= {"bias_ih": (gates,), "bias_hh": (gates,)}
                if proj_size > 0:
                    made["weight_hr"] = (proj_size, hidden_size)
                names = [f"{name}_l{layer}{suffix}" for name in made]
                for name, shape in zip(names, made.values(), strict=True):
                    setattr(self, name, empty_parameter(*shape, dtype=dtype, device=device))
                self._all_weights.append(names)
        self.reset_parameters()

    def _check_settings(self, dropout: float) -> None:
        if not isinstance(dropout, numbers.Number) or not 0 <= dropout <= 1 or isinstance(dropout, bool):
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if dropout > 0 and self.num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={self.num_layers}",
                stacklevel=4,
            )
        for name in ("input_size", "hidden_size"):
            if not isinstance(getattr(self, name), int):
                raise TypeError(f"{name} should be of type int, got: {type(getattr(self, name)).__name__}")
        for name in ("input_size", "hidden_size", "num_layers"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if self.proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")

    @property
    def all_weights(self) -> list[list[Any]]:
        """Parameters, one list per layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    @property
    def _flat_weights(self) -> list[Any]:
        return [getattr(self, name) for names in self._all_weights for name in names]

    @property
    def _flat_weights_names(self) -> list[str]:
        return [name for names in self._all_weights for name in names]

    def flatten_parameters(self) -> None:
        """Only GPUs want their parameters in one block."""

    def reset_parameters(self) -> None:
        """Draws every parameter uniformly within ±1/√hidden_size."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def _check_input(self, input: Tensor, packed: bool) -> None:
        wanted = 2 if packed else 3
        if input.dim() != wanted:
            raise RuntimeError(f"input must have {wanted} dimensions, got {input.dim()}")
        if self.input_size != input.shape[-1]:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.shape[-1]}"
            )

    def _hidden_shape(self, batch: int, size: int) -> tuple[int, int, int]:
        return self.num_layers * (2 if self.bidirectional else 1), batch, size

    def _check_hidden(
        self, hidden: Tensor, shape: tuple[int, int, int], what: str = "Expected hidden size {}, got {}"
    ) -> None:
        if tuple(hidden.shape) != shape:
            raise RuntimeError(what.format(shape, list(hidden.shape)))

    def _start(self, data: Tensor, hx: Any, batch: int, order: Tensor | None, single: bool) -> Any:
        """The initial state: zeros, or the one given, sorted as the batch is."""
        lstm = self.mode == "LSTM"
        sizes = [self.proj_size if self.proj_size > 0 else self.hidden_size] + ([self.hidden_size] if lstm else [])
        if hx is None:
            states = [data.new_zeros(self._hidden_shape(batch, size)) for size in sizes]
        else:
            states = [hx[0], hx[1]] if lstm else [hx]
            wanted = 2 if single else 3
            if any(state.dim() != wanted for state in states):
                kind = "unbatched 2-D" if single else "batched 3-D"
                given = ", ".join(f"{state.dim()}-D" for state in states)
                where, told = ("hx and cx", f"({given}) tensors") if lstm else ("hx", f"{given} tensor")
                raise RuntimeError(f"For {kind} input, {where} should also be {wanted}-D but got {told}")
            states = [state.unsqueeze(1) if single else state for state in states]
            if order is not None:
                states = [state.index_select(1, order) for state in states]
        words = (
            ("Expected hidden[0] size {}, got {}", "Expected hidden[1] size {}, got {}")
            if lstm
            else ("Expected hidden size {}, got {}",)
        )
        for state, size, what in zip(states, sizes, words, strict=True):
            self._check_hidden(state, self._hidden_shape(batch, size), what)
        return tuple(states) if lstm else states[0]

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        """(T, B, input_size) (or (B, T, …), (T, …), packed) → the outputs of all steps, the last states."""
        packed = isinstance(input, PackedSequence)
        if packed:
            data, sizes, order, back = input
            batch, single = int(sizes[0]), False
        else:
            if input.dim() not in (2, 3):
                raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.dim()}D instead")
            single = input.dim() == 2
            data = input.unsqueeze(0 if self.batch_first else 1) if single else input
            batch = data.shape[0 if self.batch_first else 1]
            sizes = order = back = None
        self._check_input(data, packed)
        if data.dtype is not self._flat_weights[0].dtype and not modes.autocast:
            raise ValueError(
                f"RNN input dtype ({data.dtype}) does not match weight dtype ({self._flat_weights[0].dtype}). Convert "
                f"input: input.to({self._flat_weights[0].dtype}), or convert model: model.to({data.dtype})"
            )
        start = self._start(data, hx, batch, order, single)
        function = TABLES["torch"][
            {"LSTM": "lstm", "GRU": "gru", "RNN_TANH": "rnn_tanh", "RNN_RELU": "rnn_relu"}[self.mode]
        ]
        settings = (self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
        results = (
            function(data, sizes, start, *settings) if packed else function(data, start, *settings, self.batch_first)
        )
        output, states = results[0], results[1:]
        if packed:
            output = PackedSequence(output, sizes, order, back)
            if back is not None:
                states = [state.index_select(1, back) for state in states]
        elif single:
            output = output.squeeze(0 if self.batch_first else 1)
            states = [state.squeeze(1) for state in states]
        return output, tuple(states) if self.mode == "LSTM" else states[0]

    def extra_repr(self) -> str:
        """Settings that differ from the defaults."""
        text = f"{self.input_size}, {self.hidden_size}"
        if self.proj_size != 0:
            text += f", proj_size={self.proj_size}"
        if self.num_layers != 1:
            text += f", num_layers={self.num_layers}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if self.batch_first is not False:
            text += f", batch_first={self.batch_first}"
        if self.dropout != 0:
            text += f", dropout={self.dropout}"
        if self.bidirectional is not False:
            text += f", bidirectional={self.bidirectional}"
        return text


class RNN(RNNBase):
    """h' = tanh(W x + b + W h + b), or with ReLU.

    Raises:
        ValueError: an unknown nonlinearity.
    """

    def __init__(
        self,
        *args: Any,
        nonlinearity: str = "tanh",
        **kwargs: Any,
    ) -> None:
        if len(args) > 3:
            nonlinearity, args = args[3], (*args[:3], *args[4:])
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{nonlinearity.upper()}", *args, **kwargs)
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """Long short-term memory (Hochreiter & Schmidhuber 1997)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)


class GRU(RNNBase):
    """Gated recurrent unit (Cho et al. 2014)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)


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
        if bias:
            self.bias_ih = empty_parameter(rows, dtype=dtype, device=device)
            self.bias_hh = empty_parameter(rows, dtype=dtype, device=device)
        else:
            self.register_parameter("bias_ih", None)
            self.register_parameter("bias_hh", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws every parameter uniformly within ±1/√hidden_size."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self) -> str:
        """Settings that differ from the defaults."""
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text

    def _step(self, function: str, input: Tensor, states: Any, count: int) -> Any:
        """One step of the named function, with or without a batch dimension."""
        name = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        for state in states or ():
            if state.dim() not in (1, 2):
                raise ValueError(f"{name}: Expected hidden to be 1D or 2D, got {state.dim()}D instead")
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
        """(B, input_size) and (B, hidden_size) → (B, hidden_size)."""
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
