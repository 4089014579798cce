"""Connectionist temporal classification (Graves et al., 2006): the likelihood of a label sequence under all its alignments.

Every step is rounded to the scores' type, in the order of PyTorch's kernel (``LossCTC.cpp``), so that the digits agree.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.ops.core.catalogue import torch_function
from engine.ops.core.declare import composite, operator
from engine.ops.core.unimplemented import unimplemented
from engine.tensor import Tensor


def rows_of(targets: Any, lengths: Any) -> list[np.ndarray]:
    """One label sequence per sample."""
    if targets.ndim == 1:
        ends = np.cumsum(lengths)
        return [targets[end - n : end] for end, n in zip(ends, lengths, strict=True)]
    return [row[:n] for row, n in zip(targets, lengths, strict=True)]


def with_blanks(labels: np.ndarray, blank: int) -> np.ndarray:
    """Blanks before, between and after the labels."""
    full = np.full(2 * len(labels) + 1, blank, np.int64)
    full[1::2] = labels
    return full


def log_sum(*terms: Any) -> Any:
    """log Σ exp, with −∞ for nothing."""
    stacked = np.stack(np.broadcast_arrays(*terms))
    top = stacked.max(0)
    safe = np.where(np.isneginf(top), top.dtype.type(0), top)
    with np.errstate(divide="ignore"):
        return rounded(np.log, rounded(np.exp, stacked - safe).sum(0)) + safe


def rounded(function: Any, x: Any) -> Any:
    """An elementary function, exact to the last bit of x's type."""
    return function(x.astype(np.float64)).astype(x.dtype)


def forward_scores(log_probs: np.ndarray, full: np.ndarray) -> np.ndarray:
    """Log-likelihoods (T, S) of all prefixes ending in each extended label."""
    steps, size = len(log_probs), len(full)
    nothing = log_probs.dtype.type(-np.inf)
    alpha = np.full((steps, size), nothing)
    alpha[0, 0] = log_probs[0, full[0]]
    if size > 1:
        alpha[0, 1] = log_probs[0, full[1]]
    skips = np.zeros(size, bool)
    skips[2:] = full[2:] != full[:-2]
    for t in range(1, steps):
        stay = alpha[t - 1]
        one = np.concatenate([[nothing], stay[:-1]])
        two = np.where(skips, np.concatenate([[nothing, nothing], stay[:-2]])[:size], nothing)
        alpha[t] = log_sum(stay, one, two) + log_probs[t, full]
    return alpha


def total_of(alpha: np.ndarray) -> Any:
    """The log-likelihood: ending in the last label or the last blank."""
    return log_sum(alpha[-1, -1], alpha[-1, -2]) if alpha.shape[1] > 1 else alpha[-1, -1]


def by_class(passing: np.ndarray, full: np.ndarray, classes: int) -> np.ndarray:
    """Log-likelihoods (T, C) of passing through each class, from those of each extended label, the last label first."""
    collected = np.full((len(passing), classes), passing.dtype.type(-np.inf))
    for position in reversed(range(len(full))):
        label = full[position]
        collected[:, label] = log_sum(collected[:, label], passing[:, position])
    return collected


@operator(
    at="internal",
    name="_ctc_loss",
    formula="−ln Σ over alignments",
    outputs="result0 result1",
    nondifferentiable=(1,),
    undefined_gradients=True,
    sequential=True,
    saves="blank input_lengths log_probs result0 result1 target_lengths targets zero_infinity",
    log_probs=lambda grads, log_probs, targets, input_lengths, target_lengths, result0, blank, zero_infinity: (
        ctc_backward(grads[0], log_probs, targets, input_lengths, target_lengths, result0, blank, zero_infinity)
    ),
)
def ctc_forward(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int, zero_infinity: bool
) -> Any:
    """Minus the log-likelihood of the labels, summed over all ways to stretch them over time."""
    steps, batch, _ = log_probs.shape
    longest = max(target_lengths) if len(target_lengths) else 0
    losses = np.zeros(batch, log_probs.dtype)
    alphas = np.full((batch, steps, 2 * longest + 1), log_probs.dtype.type(-np.inf))
    for n, labels in enumerate(rows_of(targets, target_lengths)):
        length = input_lengths[n]
        if length == 0:
            losses[n] = 0 if not len(labels) else np.inf
            continue
        alpha = forward_scores(log_probs[:length, n], with_blanks(labels, blank))
        alphas[n, :length, : alpha.shape[1]] = alpha
        losses[n] = -total_of(alpha)
    if zero_infinity:
        losses[np.isinf(losses)] = 0
    return losses, alphas


@operator(
    at="internal",
    name="_ctc_loss_backward",
    grad_fn="NotImplemented",
    **unimplemented("_ctc_loss_backward", "grad log_probs neg_log_likelihood"),
)
def ctc_backward(
    grad: Any,
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    neg_log_likelihood: Any,
    blank: int,
    zero_infinity: bool,
) -> Any:
    """``_ctc_loss``'s derivative as an operation of its own. PyTorch gives it no derivative."""
    result = np.zeros_like(log_probs)
    for n, labels in enumerate(rows_of(targets, target_lengths)):
        length = input_lengths[n]
        if length == 0:
            continue
        seen = log_probs[:length, n]
        full = with_blanks(labels, blank)
        alpha = forward_scores(seen, full)
        beta = forward_scores(seen[::-1], full[::-1])[::-1, ::-1]
        total = total_of(alpha)
        if np.isinf(total):
            result[:length, n] = 0 if zero_infinity else np.nan
            continue
        collected = by_class(alpha + beta, full, seen.shape[1])
        with np.errstate(invalid="ignore"):  # a class of no likelihood at all: PyTorch's nan too
            result[:length, n] = (rounded(np.exp, seen) - rounded(np.exp, collected - total - seen)) * grad[n]
    return result


WHERE = "(while checking arguments for ctc_loss_allocate_outputs)"


def check_dimensions(log_probs: Tensor, targets: Tensor) -> None:
    """Raises RuntimeError: neither a batch (or a single sequence) of log-probabilities nor labels of it."""
    if log_probs.ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 3-dimensional tensor, but got {log_probs.ndim}-dimensional tensor for argument #1 'log_probs' {WHERE}"
        )
    if targets.ndim not in (1, 2):
        raise RuntimeError(
            f"Expected 1 to 2 dimensions, but got {targets.ndim}-dimensional tensor for argument #2 'targets' {WHERE}"
        )


def check_labels(targets: Tensor, lengths: list[int]) -> None:
    """Raises RuntimeError: other labels than the lengths tell of."""
    place, size = 0, sum(lengths) if targets.ndim == 1 else len(lengths)
    fits = targets.shape[0] == size
    if fits and targets.ndim == 2:
        place, size = 1, max(lengths, default=0)
        fits = targets.shape[1] >= size
    if not fits:
        least = "at least " if place else ""
        raise RuntimeError(
            f"Expected tensor to have size {least}{size} at dimension {place}, but got size {targets.shape[place]} for "
            f"argument #2 'targets' {WHERE}"
        )


@composite(at="functional")
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Log-probabilities (T, N, C) and labels (N, S) (or all in one row) → loss.

    ``mean`` divides by the label lengths first.

    Raises:
        RuntimeError: nothing to score, a blank that is no class, or lengths that do not fit.
    """
    check_dimensions(log_probs, targets)
    check_whole(input_lengths, "input_lengths")
    check_whole(target_lengths, "target_lengths")
    single = log_probs.ndim == 2
    if single:
        log_probs = log_probs.unsqueeze(1)
        targets = targets.unsqueeze(0) if targets.ndim == 1 else targets
    lengths = [as_list(input_lengths), as_list(target_lengths)]
    if not log_probs.numel():
        raise RuntimeError("log_probs tensor must not be empty")
    if not 0 <= blank < log_probs.shape[2]:
        raise RuntimeError("blank must be in label range")
    for name, given in (("input_lengths", lengths[0]), ("target_lengths", lengths[1])):
        if len(given) != log_probs.shape[1]:
            raise RuntimeError(f"{name} must be of size batch_size")
        if min(given, default=0) < 0:
            raise RuntimeError(f"Expected {name} to have value at least 0, but got value {min(given)} {WHERE}")
    check_labels(targets, lengths[1])
    if max(lengths[0], default=0) > log_probs.shape[0]:
        raise RuntimeError(
            f"Expected input_lengths to have value at most {log_probs.shape[0]}, but got value {max(lengths[0])} {WHERE}"
        )
    losses = ctc_forward(log_probs, targets, tuple(lengths[0]), tuple(lengths[1]), blank, zero_infinity)[0]
    if zero_infinity:
        losses = torch_function("where")(losses == float("inf"), torch_function("zeros_like")(losses), losses)
    if reduction == "mean":
        by = torch_function("tensor")(lengths[1], dtype=losses.dtype).clamp_min(1)
        return (losses / by).mean()
    if reduction == "sum":
        return losses.sum()
    return losses.squeeze(0) if single else losses


def check_whole(lengths: Any, name: str) -> None:
    """Raises RuntimeError: a tensor of lengths that are no whole numbers."""
    if isinstance(lengths, Tensor) and not lengths.dtype.name.startswith(("int", "uint")):
        raise RuntimeError(f"{name} must be integral")


def as_list(lengths: Any) -> list[int]:
    """Lengths given as a tensor, a tuple or one number."""
    if isinstance(lengths, Tensor):
        return [int(n) for n in lengths.reshape(-1).tolist()]
    return [int(n) for n in lengths] if isinstance(lengths, list | tuple) else [int(lengths)]
