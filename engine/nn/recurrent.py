"""Recurrent layers: a cell's step over whole sequences, in layers and in both directions."""

from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Sequence
from typing import Any

from engine.autograd.modes import state as modes
from engine.nn import init
from engine.nn.making import OwnNames, empty_parameter
from engine.nn.module import Module
from engine.nn.utils.rnn import PackedSequence
from engine.ops.core.catalogue import TABLES
from engine.tensor import Tensor

GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
"""How many rows of weights each hidden number has, by mode."""


class RNNBase(OwnNames, Module):
    """What RNN, LSTM and GRU share: parameters by layer and direction, checks, unbatched and packed input.

    Raises:
        ValueError: an unknown mode, or settings out of range.
    """

    _own = ("forward",)

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
        self._all_weights: list[list[str]] = []
        for layer in range(num_layers):
            for suffix in ("", "_reverse") if bidirectional else ("",):
                shapes = {f"{name}_l{layer}{suffix}": shape for name, shape in self._weight_shapes(layer).items()}
                for name, shape in shapes.items():
                    setattr(self, name, empty_parameter(*shape, dtype=dtype, device=device))
                self._all_weights.append(list(shapes))
        self.reset_parameters()

    def _weight_shapes(self, layer: int) -> dict[str, tuple[int, ...]]:
        """The parameters of one layer in one direction, in PyTorch's order."""
        rows = GATES[self.mode] * self.hidden_size
        shown = self.proj_size if self.proj_size > 0 else self.hidden_size
        width = self.input_size if layer == 0 else shown * (2 if self.bidirectional else 1)
        shapes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, width), "weight_hh": (rows, shown)}
        if self.bias:
            shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
        if self.proj_size > 0:
            shapes["weight_hr"] = (self.proj_size, self.hidden_size)
        return shapes

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
        for name, kind in (("bias", bool), ("batch_first", bool), ("input_size", int), ("hidden_size", int)):
            if not isinstance(getattr(self, name), kind):
                got = type(getattr(self, name)).__name__
                raise TypeError(f"{name} should be of type {kind.__name__}, got: {got}")
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
        draw_within_bound(self)

    def _check_input(self, input: Tensor, dims: int) -> None:
        """Raises RuntimeError: another number of dimensions or features; ValueError: another dtype than the weights'."""
        if input.dim() != dims:
            raise RuntimeError(f"input must have {dims} dimensions, got {input.dim()}")
        if self.input_size != input.shape[-1]:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.shape[-1]}"
            )
        dtype = self._flat_weights[0].dtype
        if input.dtype is not dtype and not modes.autocast:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({dtype}). Convert "
                f"input: input.to({dtype}), or convert model: model.to({input.dtype})"
            )

    def _initial_states(self, data: Tensor, hx: Any, batch: int, order: Tensor | None, single: bool) -> Any:
        """The states to begin with, (layers · directions, batch, size) each: zeros, or those given.

        Raises:
            RuntimeError: a state of another shape.
        """
        lstm = self.mode == "LSTM"
        sizes = [self.proj_size if self.proj_size > 0 else self.hidden_size] + ([self.hidden_size] if lstm else [])
        layers = self.num_layers * (2 if self.bidirectional else 1)
        shapes = [(layers, batch, size) for size in sizes]
        if hx is None:
            states = [data.new_zeros(shape) for shape in shapes]
        else:
            states = self._given_states(hx, order, single)
        names = ("hidden[0]", "hidden[1]") if lstm else ("hidden",)
        for name, state, shape in zip(names, states, shapes, strict=True):
            if tuple(state.shape) != shape:
                raise RuntimeError(f"Expected {name} size {shape}, got {list(state.shape)}")
        return self._as_given(states)

    def _given_states(self, hx: Any, order: Tensor | None, single: bool) -> list[Tensor]:
        """The given states with a batch dimension, sorted as the batch is.

        Raises:
            RuntimeError: batched states for a single sequence, or the other way round.
        """
        lstm = self.mode == "LSTM"
        states = [hx[0], hx[1]] if lstm else [hx]
        dims = 2 if single else 3
        if any(state.dim() != dims for state in states):
            kind = "unbatched 2-D" if single else "batched 3-D"
            given = ", ".join(f"{state.dim()}-D" for state in states)
            where, told = ("hx and cx", f"({given}) tensors") if lstm else ("hx", f"{given} tensor")
            raise RuntimeError(f"For {kind} input, {where} should also be {dims}-D but got {told}")
        states = [state.unsqueeze(1) if single else state for state in states]
        return states if order is None else [state.index_select(1, order) for state in states]

    def _as_given(self, states: Sequence[Tensor]) -> Any:
        """An LSTM's pair of states, or the only state of the others."""
        return tuple(states) if self.mode == "LSTM" else states[0]

    def _run(self, *sequence: Any) -> tuple[Tensor, list[Tensor]]:
        """Outputs and last states of the mode's operator, which gets sequence and states before the settings."""
        last = () if len(sequence) == 3 else (self.batch_first,)  # a packed sequence has no batch dimension
        settings = (self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
        output, *states = TABLES["torch"][self.mode.lower()](*sequence, *settings, *last)
        return output, states

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        """(T, B, input_size) (or (B, T, …), (T, …), packed) → the outputs of all steps, the last states.

        Raises:
            RuntimeError, ValueError: input or states of another shape or dtype than the layer was made for.
        """
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        if input.dim() not in (2, 3):
            found = f"{input.dim()}D tensor" if self.mode.startswith("RNN") else f"{input.dim()}D"
            raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got {found} instead")
        single, batch_dim = input.dim() == 2, 0 if self.batch_first else 1
        data = input.unsqueeze(batch_dim) if single else input
        self._check_input(data, 3)
        output, states = self._run(data, self._initial_states(data, hx, data.shape[batch_dim], None, single))
        if single:
            output, states = output.squeeze(batch_dim), [state.squeeze(1) for state in states]
        return output, self._as_given(states)

    forward.__qualname__ = "_RNNBase.forward"  # for `OwnNames`: nobody is this class and no more

    def _forward_packed(self, input: PackedSequence, hx: Any) -> tuple[PackedSequence, Any]:
        """The same of a packed sequence, whose states stand in the order that the sequences had before they were sorted."""
        data, sizes, order, order_before = input
        batch = int(sizes[0])
        if self.mode != "LSTM":  # whose packed input PyTorch does not look at: then the arithmetic fails
            self._check_input(data, 2)
        output, states = self._run(data, sizes, self._initial_states(data, hx, batch, order, single=False))
        if order_before is not None:
            states = [state.index_select(1, order_before) for state in states]
        return PackedSequence(output, sizes, order, order_before), self._as_given(states)

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
        ValueError: an unknown nonlinearity, or a projection, which only an LSTM has.
    """

    def __init__(
        self,
        *args: Any,
        nonlinearity: str = "tanh",
        **kwargs: Any,
    ) -> None:
        if len(args) > 3:  # it stands before what the three kinds of layers share
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
    """Gated recurrent unit (Cho et al. 2014).

    Raises:
        ValueError: a projection, which only an LSTM has.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)


def draw_within_bound(layer: Any) -> None:
    """Draws every parameter of a layer or cell uniformly within ±1/√hidden_size."""
    bound = 1.0 / math.sqrt(layer.hidden_size) if layer.hidden_size > 0 else 0
    for parameter in layer.parameters():
        init.uniform_(parameter, -bound, bound)
