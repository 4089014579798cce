"""Binary cross entropy, on probabilities and on logits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from engine.dtype_names import scalar_type
from engine.late import Late
from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite, operator
from engine.ops.core.dimension import common_shape
from engine.ops.core.refused_dtypes import floats_only
from engine.ops.layout.expansion import broadcast_shapes
from engine.ops.neural.loss_weights import check_weight
from engine.ops.neural.reduction import reduced, reduction_number, share
from engine.ops.pointwise.precision import in_double, in_float
from engine.ops.pointwise.smooth_activations import log_of_sigmoid
from engine.tensor import Tensor

if TYPE_CHECKING:
    from engine.ops.pointwise import single_functions
else:
    single_functions = Late("engine.ops.pointwise.single_functions")


def times(value: Any, weight: Any) -> Any:
    """``value · weight``, without an operation when there is no weight."""
    return value if weight is None else value * weight


def check_probabilities(self: Any, target: Any) -> None:
    """Raises RuntimeError: the first element that is no probability stands in the input, or in the target."""
    wrong = ~((self >= 0) & (self <= 1)), ~((target >= 0) & (target <= 1))
    bad = wrong[0] | wrong[1]
    if bad.any():
        first = bad.argmax()
        raise RuntimeError(f"all elements of {'input' if wrong[0].flat[first] else 'target'} should be between 0 and 1")


def log1p_of_each(x: Any) -> Any:
    """``ln(1 + x)``, in float32 as the C library computes it: PyTorch goes through these losses number by number."""
    return single_functions.single_log1p(x) if x.dtype == np.float32 else in_double(np.log1p, x)


@operator(
    at="internal",
    name="binary_cross_entropy",
    formula="−(y ln x + (1 − y) ln(1 − x))",
    saves="reduction self target weight",
    self=lambda grad, self, target, weight, reduction: share(
        times(grad * (self - target) / ((1 - self) * self).clamp_min(1e-12), weight), self, reduction
    ),
    target=lambda grad, self, target, weight, reduction: times(
        share(grad, self, reduction) * ((-self).log1p().clamp_min(-100) - self.log().clamp_min(-100)), weight
    ),
)
def cross_entropy_of_probability(self: Any, target: Any, weight: Any = None, reduction: int = 1) -> Any:
    """Minus the log-probability of the right answer (logarithms stop at −100); the slope is (p − t) over p · (1 − p),
    steep for confident mistakes.
    """
    check_probabilities(self, target)
    with np.errstate(divide="ignore"):
        yes, no = (np.maximum(x, self.dtype.type(-100)) for x in (in_double(np.log, self), log1p_of_each(-self)))
    loss = ((target - 1) * no - target * yes).astype(self.dtype)
    return reduced(times(loss, weight), reduction)


@operator(
    at="internal",
    name="binary_cross_entropy_with_logits",
    formula="−(y ln σ(x) + (1 − y) ln(1 − σ(x)))",
    saves="pos_weight reduction self target weight",
    self=lambda grad, self, target, weight, pos_weight, reduction: share(
        times(logit_slope(self, target, pos_weight) * grad, weight), self, reduction
    ),
    target=lambda grad, self, target, weight, pos_weight, reduction: times(
        share(grad, self, reduction) * target_slope(self, pos_weight), weight
    ),
)
def cross_entropy_of_logit(
    self: Any, target: Any, weight: Any = None, pos_weight: Any = None, reduction: int = 1
) -> Any:
    """Minus the log-probability of the right answer, from the logit; the slope is probability minus target."""
    log_sigmoid = in_float(log_of_sigmoid, self)
    positive = 1 if pos_weight is None else (pos_weight - 1) * target + 1
    loss = (1 - target) * self - positive * log_sigmoid
    return reduced(times(loss, weight).astype(target.dtype), reduction)  # PyTorch writes into 1 − target


def logit_slope(self: Tensor, target: Tensor, pos_weight: Tensor | None) -> Tensor:
    """σ(x) − y, with the positive part weighted."""
    if pos_weight is None:
        return self.sigmoid() - target
    positive = pos_weight * target
    return (positive + 1 - target) * self.sigmoid() - positive


def target_slope(self: Tensor, pos_weight: Tensor | None) -> Tensor:
    """−x, with the positive part weighted."""
    if pos_weight is None:
        return -self
    log_sigmoid = TABLES["functional"]["logsigmoid"]
    return log_sigmoid(-self) - log_sigmoid(self) * pos_weight


@composite(at="functional")
def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Minus the log-probability of yes-or-no targets under probabilities ``input``.

    Raises:
        ValueError: target and input differ in shape.
        RuntimeError: an input outside [0, 1].
    """
    number = reduction_number(reduction, size_average, reduce)
    if target.shape != input.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is deprecated. "
            "Please ensure they have the same size."
        )
    if target.dtype is not input.dtype:
        raise RuntimeError(f"Found dtype {scalar_type(target)} but expected {scalar_type(input)}")
    floats_only(input._array, "binary_cross_entropy")
    if weight is not None and weight.shape != target.shape:
        weight = weight.expand(broadcast_shapes(target.shape, weight.shape))
    check_weight(weight, input, "binary_cross_entropy", same_dtype=False)
    if weight is not None and weight.shape != input.shape:
        raise RuntimeError(
            f"output with shape {list(input.shape)} doesn't match the broadcast shape {list(weight.shape)}"
        )
    return cross_entropy_of_probability(input, target, weight, number)


@composite(at="functional")
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """`binary_cross_entropy` of ``sigmoid(input)``, computed so that large logits do no harm.

    Raises:
        ValueError: target and input differ in shape.
        RuntimeError: targets that are whole numbers.
    """
    number = reduction_number(reduction, size_average, reduce)
    if target.shape != input.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    floats_only(input._array, "log_sigmoid_cpu")
    if not target.is_floating_point():
        raise RuntimeError(
            f"result type {scalar_type(input)} can't be cast to the desired output type {scalar_type(target)}"
        )
    if pos_weight is not None:
        common_shape(pos_weight.shape, target.shape)  # refuses what cannot be stretched
    check_weight(weight, input, "binary_cross_entropy_with_logits", same_dtype=False)
    return cross_entropy_of_logit(input, target, weight, pos_weight, number)
