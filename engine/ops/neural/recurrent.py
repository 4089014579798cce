"""Recurrent networks, composed step by step as PyTorch composes them on the CPU.

The inputs of all steps go through one matrix product, are taken apart (``UnbindBackward0``), and each step adds its
part to what comes from the hidden state. A float32 LSTM is one fused node per layer instead
(`engine.ops.neural.fused_lstm`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from engine import dtype as dtypes
from engine.ops.core.batching import refuse_batch
from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite
from engine.ops.neural.dropping import drop
from engine.ops.neural.fused_lstm import fused_lstm_layer
from engine.ops.neural.linear import linear
from engine.ops.neural.packing import packed_layer
from engine.tensor import Tensor

Hidden = Any
"""A tensor (B, H), or for an LSTM a pair of them."""


class Cell:
    """One step of one layer.

    Args:
        weights: w_ih, w_hh, and b_ih, b_hh if there are biases; for a projecting LSTM then w_hr.
    """

    kernel: ClassVar[str]
    """What PyTorch calls all layers over all steps of it."""

    def __init__(self, weights: Sequence[Tensor], has_biases: bool) -> None:
        self.b_ih: Tensor | None
        self.b_hh: Tensor | None
        self.w_ih, self.w_hh = weights[:2]
        self.b_ih, self.b_hh = weights[2:4] if has_biases else (None, None)
        rest = weights[4 if has_biases else 2 :]
        self.w_hr = rest[0] if rest else None

    def inputs(self, x: Tensor) -> Tensor:
        """The input's part, of one step or of all."""
        return linear(x, self.w_ih, self.b_ih)

    def hiddens(self, h: Tensor) -> Tensor:
        """The hidden state's part."""
        return linear(h, self.w_hh, self.b_hh)

    def step(self, part: Tensor, hidden: Hidden) -> Hidden:
        """The next hidden state, from the input's part."""
        raise NotImplementedError

    def once(self, x: Tensor, hidden: Hidden) -> Hidden:
        """A single step from the input itself."""
        return self.step(self.inputs(x), hidden)

    def output(self, hidden: Hidden) -> Tensor:
        """What a step hands on."""
        return hidden


class Adding(Cell):
    """A cell that adds both parts before anything else; alone, it computes the hidden state's part first."""

    def step(self, part: Tensor, hidden: Hidden) -> Hidden:
        """One step."""
        return self.following(self.hiddens(self.output(hidden)) + part, hidden)

    def once(self, x: Tensor, hidden: Hidden) -> Hidden:
        """A single step from the input itself."""
        recurrent = self.hiddens(self.output(hidden))
        return self.following(recurrent + self.inputs(x), hidden)

    def following(self, both: Tensor, hidden: Hidden) -> Hidden:
        """The next hidden state, from the sum."""
        raise NotImplementedError


class Tanh(Adding):
    """h' = tanh(W x + b + W h + b)."""

    kernel = "rnn_tanh"

    def following(self, both: Tensor, hidden: Hidden) -> Hidden:
        """One step."""
        return both.tanh()


class Relu(Adding):
    """h' = max(0, W x + b + W h + b)."""

    kernel = "rnn_relu"

    def following(self, both: Tensor, hidden: Hidden) -> Hidden:
        """One step."""
        return both.relu()


class Gru(Cell):
    """A gated recurrent unit (Cho et al. 2014)."""

    kernel = "gru"

    def step(self, part: Tensor, hidden: Hidden) -> Hidden:
        """One step."""
        i_reset, i_update, i_new = part.unsafe_chunk(3, 1)
        h_reset, h_update, h_new = self.hiddens(hidden).unsafe_chunk(3, 1)
        reset = (h_reset + i_reset).sigmoid()
        update = (h_update + i_update).sigmoid()
        new = (i_new + h_new * reset).tanh()
        following = (hidden - new) * update + new
        following._touch()  # PyTorch computes the product and the sum in place
        following._touch()
        return following


class Lstm(Adding):
    """Long short-term memory (Hochreiter & Schmidhuber 1997)."""

    kernel = "lstm"

    def following(self, both: Tensor, hidden: Hidden) -> Hidden:
        """One step."""
        _, c = hidden
        gates = both.unsafe_chunk(4, 1)
        write, keep, new, show = gates[0].sigmoid(), gates[1].sigmoid(), gates[2].tanh(), gates[3].sigmoid()
        c = keep * c + write * new
        c._touch()  # PyTorch adds in place
        h = show * c.tanh()
        return (h if self.w_hr is None else h.matmul(self.w_hr.t())), c

    def output(self, hidden: Hidden) -> Tensor:
        """The hidden state, not the memory."""
        return hidden[0]


def run_layer(cell: Cell, inputs: Tensor, hidden: Hidden, backwards: bool) -> tuple[Tensor, Hidden]:
    """All steps of one layer in one direction: (T, B, I) → (T, B, H), and the last hidden state.

    Raises:
        RuntimeError: there is no step.
    """
    if not inputs.shape[0]:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    steps = list(cell.inputs(inputs).unbind(0))
    outputs = []
    for part in reversed(steps) if backwards else steps:
        hidden = cell.step(part, hidden)
        outputs.append(cell.output(hidden))
    if backwards:
        outputs.reverse()
    return TABLES["torch"]["stack"](outputs, 0), hidden


def run_layers(
    kind: type[Cell],
    inputs: Any,
    hiddens: list[Hidden],
    params: Sequence[Tensor],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_sizes: Tensor | None = None,
    batch_first: bool = False,
) -> tuple[Tensor, list[Hidden]]:
    """All layers; dropout between them. ``hiddens`` lists one state per layer and direction.

    Steps come first here; ``batch_first`` only tells how the person has them, for a fused node to remember.
    """
    refuse_batch(f"{kind.kernel}.{'input' if batch_sizes is None else 'data'}", inputs, hiddens, params)
    directions = 2 if bidirectional else 1
    per_layer = len(params) // (num_layers * directions)
    finals: list[Hidden] = []
    for layer in range(num_layers):
        outputs = []
        for direction in range(directions):
            number = layer * directions + direction
            weights = params[number * per_layer : (number + 1) * per_layer]
            backwards = direction == 1
            fused = (
                kind is Lstm
                and batch_sizes is None
                and not inputs.is_meta
                and fused_lstm_layer(inputs, hiddens[number], weights, has_biases, backwards, train, batch_first)
            )
            if fused:
                output, final = fused
            elif batch_sizes is None:
                output, final = run_layer(kind(weights, has_biases), inputs, hiddens[number], backwards)
            else:
                output, final = packed_layer(kind(weights, has_biases), inputs, batch_sizes, hiddens[number], backwards)
            outputs.append(output)
            finals.append(final)
        inputs = outputs[0] if len(outputs) == 1 else TABLES["torch"]["cat"](outputs, outputs[0].ndim - 1)
        if dropout and train and layer < num_layers - 1:
            inputs = drop(inputs, dropout, True, False)
    return inputs, finals


def declare_layers(name: str, kind: type[Cell]) -> None:
    """Registers ``torch.rnn_tanh`` and kin: padded, or packed when the second argument is the batch sizes."""

    def call(*args: Any) -> tuple[Tensor, Tensor]:
        stack = TABLES["torch"]["stack"]
        if isinstance(args[2], Tensor):
            data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional = args
            output, finals = run_layers(
                kind,
                data,
                list(hx.unbind(0)),
                params,
                has_biases,
                num_layers,
                dropout,
                train,
                bidirectional,
                batch_sizes,
            )
            return output, stack(finals, 0)
        input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first = args
        inputs = input.transpose(0, 1) if batch_first else input
        output, finals = run_layers(
            kind, inputs, list(hx.unbind(0)), params, has_biases, num_layers, dropout, train, bidirectional
        )
        return output.transpose_(0, 1) if batch_first else output, stack(finals, 0)

    call.__doc__ = f"{kind.__doc__} All layers over all steps."
    composite(at="torch", name=name)(call)


for function, layer in {"rnn_tanh": Tanh, "rnn_relu": Relu, "gru": Gru}.items():
    declare_layers(function, layer)


def of_one_length(data: Tensor, batch_sizes: Tensor, states: Any) -> bool:
    """Whether packed sequences need no packing, so that PyTorch hands them to oneDNN: float32, all equally long, no projection."""
    sizes = batch_sizes._array
    return data.dtype is dtypes.float32 and sizes[0] == sizes[-1] and states[0].shape[2] == states[1].shape[2]


@composite(at="torch")
def lstm(*args: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Long short-term memory, all layers over all steps: output, last hidden states, last memories."""
    stack = TABLES["torch"]["stack"]
    packed = isinstance(args[1], Tensor)
    if packed:
        input, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional = args
        batch_first = False
        if of_one_length(input, batch_sizes, hx):
            steps = input.view(batch_sizes._array.size, -1, input.shape[1])
            padded = lstm(steps, *args[2:], False)
            return padded[0].view(input.shape[0], padded[0].shape[2]), *padded[1:]
    else:
        input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first = args
        batch_sizes = None
    inputs = input.transpose(0, 1) if batch_first else input
    plain = inputs.dtype is dtypes.float32 and not packed and hx[0].shape[2] == hx[1].shape[2]
    fused = plain and len(params) % 4 == 0
    inputs = inputs.contiguous() if plain else inputs
    taken = [[s.select(0, n) for n in range(s.shape[0])] if fused else s.unbind(0) for s in hx]
    hiddens = list(zip(*taken, strict=True))
    output, finals = run_layers(
        Lstm, inputs, hiddens, params, has_biases, num_layers, dropout, train, bidirectional, batch_sizes, batch_first
    )
    output = output.transpose(0, 1) if batch_first else output
    return output, stack([h for h, _ in finals], 0), stack([c for _, c in finals], 0)


def check_cell(input: Tensor, hidden: Sequence[Tensor], input_size: int, hidden_size: int) -> None:
    """One step's input and states must fit the weights.

    Raises:
        RuntimeError: another number of features, or of samples.
    """
    if input.shape[1] != input_size:
        raise RuntimeError(f"input has inconsistent input_size: got {input.shape[1]} expected {input_size}")
    for number, state in enumerate(hidden):
        if state.shape[0] != input.shape[0]:
            raise RuntimeError(
                f"Input batch size {input.shape[0]} doesn't match hidden{number} batch size {state.shape[0]}"
            )
        if state.shape[1] != hidden_size:
            raise RuntimeError(
                f"hidden{number} has inconsistent hidden_size: got {state.shape[1]}, expected {hidden_size}"
            )


def declare_cell(name: str, kind: type[Cell]) -> None:
    """Registers ``torch.rnn_tanh_cell`` and kin."""

    def call(
        input: Tensor, hx: Hidden, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
    ) -> Hidden:
        if kind is Lstm:
            refuse_batch("lstm_cell", input, hx, w_ih, w_hh, b_ih, b_hh)
        check_cell(input, hx if isinstance(hx, list | tuple) else (hx,), w_ih.shape[1], w_hh.shape[1])
        biases: list[Any] = [] if b_ih is None else [b_ih, b_hh]
        made = kind([w_ih, w_hh, *biases], bool(biases))
        return made.once(input, tuple(hx) if isinstance(hx, list) else hx)

    call.__doc__ = f"{kind.__doc__} One step."
    composite(at="torch", name=name)(call)


for function, kind in (("rnn_tanh_cell", Tanh), ("rnn_relu_cell", Relu), ("gru_cell", Gru), ("lstm_cell", Lstm)):
    declare_cell(function, kind)
