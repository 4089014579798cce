"""The LSTM layer that PyTorch hands to a library in one piece: one node, ``MkldnnRnnLayerBackward0``.

In bfloat16, under autocast, both states are rounded after each step (what is shown of the memory is not), and so is the sum of
the two biases; the way back reads rounded gates and memories, and rounds the gates' slopes. All between has more digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from engine import dtype as dtypes
from engine.autograd.modes import state as modes
from engine.ops.core.autocast import cast
from engine.ops.core.autocast import state as autocast
from engine.ops.core.declare import operator
from engine.ops.neural.second_order import replayed
from engine.tensor import Tensor, wrap

LSTM_MODE = 2
"""What the fused kernel calls an LSTM, among the kinds of recurrent layers that it could be asked for."""


def sigmoid(x: Any) -> Any:
    """1 / (1 + e⁻ˣ)."""
    return 1 / (1 + np.exp(-x))


def summed_biases(first: Any, second: Any) -> Any:
    """Both biases as one, in float64."""
    return rounded(first.astype(np.float64) + second.astype(np.float64), first.dtype)


def rounded(values: Any, dtype: Any) -> Any:
    """What a half keeps of numbers in float64; float32 is computed with all digits."""
    return values if dtype == np.float32 else values.astype(dtype).astype(np.float64)


class Step(NamedTuple):
    """One step of a layer, in float64; all arrays (samples, hidden size)."""

    time: int
    """Which row of the input it reads."""
    hidden: Any
    """The hidden state before it."""
    memory: Any
    """The memory before it."""
    gates: tuple[Any, Any, Any, Any]
    """Write, keep, new and show."""
    memory_after: Any
    hidden_after: Any


def walk(input: Any, w_ih: Any, w_hh: Any, bias: Any, h: Any, c: Any, reverse: bool) -> list[Step]:
    """All steps of a layer over inputs (steps, samples, features), in order of running."""
    parts = input.astype(np.float64) @ w_ih.astype(np.float64).T + bias
    recurrent = w_hh.astype(np.float64).T
    h, c = h.astype(np.float64), c.astype(np.float64)
    steps = []
    order = range(len(input) - 1, -1, -1) if reverse else range(len(input))
    for t in order:
        write, keep, new, show = np.split(parts[t] + h @ recurrent, 4, axis=1)
        gates = sigmoid(write), sigmoid(keep), np.tanh(new), sigmoid(show)
        after = gates[1] * c + gates[0] * gates[2]
        shown = gates[3] * np.tanh(after)
        steps.append(Step(t, h, c, gates, after, shown))
        h, c = rounded(shown, input.dtype), rounded(after, input.dtype)
    return steps


@operator(at="internal", name="mkldnn_rnn_layer_backward", outputs="tuple")
def fused_back(
    grads: Any, input: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any, hx: Any, cx: Any, reverse: bool
) -> Any:
    """Back through time: each step's gates get their slopes, and the sums of all steps go to the weights.

    No second derivative.
    """
    to_output, to_h, to_c = grads
    steps = walk(input, w_ih, w_hh, summed_biases(b_ih, b_hh), hx, cx, reverse)
    hidden = np.zeros(hx.shape) if to_h is None else to_h.astype(np.float64)
    memory = np.zeros(cx.shape) if to_c is None else to_c.astype(np.float64)
    to_w_ih, to_w_hh, to_bias = np.zeros(w_ih.shape), np.zeros(w_hh.shape), np.zeros(b_ih.shape)
    to_input = np.zeros(input.shape)
    for step in reversed(steps):
        write, keep, new, show = (rounded(gate, input.dtype) for gate in step.gates)
        if to_output is not None:
            hidden = hidden + to_output[step.time]
        squeezed = np.tanh(rounded(step.memory_after, input.dtype))
        memory = memory + hidden * show * (1 - squeezed * squeezed)
        slopes = np.concatenate(
            [
                memory * new * write * (1 - write),
                memory * step.memory * keep * (1 - keep),
                memory * write * (1 - new * new),
                hidden * squeezed * show * (1 - show),
            ],
            axis=1,
        )
        slopes = rounded(slopes, input.dtype)
        to_w_ih += slopes.T @ input[step.time]
        to_w_hh += slopes.T @ step.hidden
        to_bias += slopes.sum(0)
        to_input[step.time] = slopes @ w_ih
        hidden, memory = slopes @ w_hh, memory * keep
    found = (to_input, to_w_ih, to_w_hh, to_bias, to_bias.copy(), hidden, memory)
    return tuple(part.astype(input.dtype) for part in found)


def step_by_step(input: Tensor, weights: list[Tensor], hidden: tuple[Tensor, Tensor], reverse: bool) -> list[Tensor]:
    """The same layer in small operators: output, last hidden state, last memory."""
    from engine.ops.neural.recurrent import Lstm, run_layer  # which imports this file

    output, (h, c) = run_layer(Lstm(weights, has_biases=True), input, hidden, reverse)
    return [output, h, c]


def layer_slopes(
    grads: list[Any],
    input: Tensor,
    w0: Tensor,
    w1: Tensor,
    w2: Tensor,
    w3: Tensor,
    hx_: Tensor,
    cx_: Tensor,
    reverse: bool,
) -> Any:
    """Gradients of input, weights, biases and initial states; with a graph of their own where that is asked for."""
    if modes.grad_enabled:
        return replayed(
            lambda x, w_ih, w_hh, b_ih, b_hh, h, c: step_by_step(x, [w_ih, w_hh, b_ih, b_hh], (h, c), reverse),
            [input, w0, w1, w2, w3, hx_, cx_],
            grads[:3],
        )
    return fused_back(grads[:3], input, w0, w1, w2, w3, hx_, cx_, reverse)


@operator(
    at="internal",
    formula="LSTM over all steps",
    outputs="result0 result1 result2 result3",
    nondifferentiable=(3,),
    undefined_gradients=True,
    sequential=True,
    saves="batch_first batch_sizes bidirectional cx_ has_biases hidden_size hx_ input mode num_layers result0 result1 "
    "result2 result3 reverse train weight0 weight1 weight2 weight3",
    differentiable="input weight0 weight1 weight2 weight3 hx_ cx_",
    joint=lambda grads, input, weight0, weight1, weight2, weight3, hx_, cx_, reverse: layer_slopes(
        grads, input, weight0, weight1, weight2, weight3, hx_, cx_, reverse
    ),
)
def mkldnn_rnn_layer(
    input: Any,
    weight0: Any,
    weight1: Any,
    weight2: Any,
    weight3: Any,
    hx_: Any,
    cx_: Any,
    reverse: bool,
    batch_sizes: Any,
    mode: int,
    hidden_size: int,
    num_layers: int,
    has_biases: bool,
    bidirectional: bool,
    batch_first: bool,
    train: bool,
) -> Any:
    """Runs a whole LSTM layer as one node; going back, gradients flow through all steps."""
    steps = walk(input, weight0, weight1, summed_biases(weight2, weight3), hx_, cx_, reverse)
    output = np.empty((*input.shape[:2], hidden_size), input.dtype)
    for step in steps:
        output[step.time] = step.hidden_after
    last = steps[-1]
    return output, last.hidden_after.astype(input.dtype), last.memory_after.astype(input.dtype), np.zeros(0, np.uint8)


def fused_lstm_layer(
    input: Tensor,
    hidden: tuple[Tensor, Tensor],
    weights: Sequence[Tensor],
    has_biases: bool,
    reverse: bool,
    train: bool,
    batch_first: bool,
) -> tuple[Tensor, tuple[Tensor, Tensor]] | None:
    """One layer in one direction, where PyTorch fuses: float32, something to compute, no projection. Else None.

    Under autocast it is bfloat16, as on processors with AVX-512 (on others PyTorch's library refuses).
    """
    dtype = dtypes.float32
    if modes.autocast and autocast.dtype is dtypes.bfloat16:
        dtype = dtypes.bfloat16
        input, *states = (cast(t, dtype) for t in (input, *hidden))
        hidden, weights = (states[0], states[1]), [cast(t, dtype) for t in weights]
    plain = all(t.dtype is dtype for t in (input, *hidden, *weights))
    if not plain or not input.numel() or len(weights) not in (2, 4) or (len(weights) == 2 and has_biases):
        return None
    size = hidden[0].shape[-1]
    if has_biases:
        w_ih, w_hh, b_ih, b_hh = weights
    else:
        w_ih, w_hh = weights
        zeros = wrap(np.zeros(w_ih.shape[0], w_ih._array.dtype))
        b_ih, b_hh = zeros, zeros
    output, h, c, _ = mkldnn_rnn_layer(
        input, w_ih, w_hh, b_ih, b_hh, *hidden, reverse, (), LSTM_MODE, size, 1, has_biases, False, batch_first, train
    )
    return output, (h, c)
