"""Losses as ``torch`` spells them: ATen's functions, which take the reduction as a number (0 none, 1 mean, 2 sum)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.ops.core.catalogue import TABLES
from engine.ops.core.declare import composite
from engine.ops.core.parameters import parameters_of
from engine.ops.neural.reduction import REDUCTIONS
from engine.tensor import Tensor

WORDS = {number: word for word, number in REDUCTIONS.items() if word != "elementwise_mean"}
SIGNATURES = {
    "hinge_embedding_loss": ("self", "target", "margin", "reduction"),
    "margin_ranking_loss": ("input1", "input2", "target", "margin", "reduction"),
    "cosine_embedding_loss": ("input1", "input2", "target", "margin", "reduction"),
    "triplet_margin_loss": ("anchor", "positive", "negative", "margin", "p", "eps", "swap", "reduction"),
    "poisson_nll_loss": ("input", "target", "log_input", "full", "eps", "reduction"),
    "binary_cross_entropy_with_logits": ("self", "target", "weight", "pos_weight", "reduction"),
    "ctc_loss": ("log_probs", "targets", "input_lengths", "target_lengths", "blank", "reduction", "zero_infinity"),
}
"""Parameters in ATen's order."""


def spelled(name: str, parameters: tuple[str, ...]) -> Callable[..., Tensor]:
    """``torch.<name>``: ``torch.nn.functional.<name>`` with ATen's parameters."""
    function = TABLES["functional"][name]
    takes_self = "self" in parameters_of(function).names

    def call(*args: Any, **kwargs: Any) -> Tensor:
        given = dict(zip(parameters, args, strict=False)) | kwargs
        if not takes_self and "self" in given:
            given["input"] = given.pop("self")
        if "reduction" in given:
            given["reduction"] = WORDS[int(given["reduction"])]
        return function(**given)

    call.__name__, call.__doc__ = name, function.__doc__
    return call


for name, parameters in SIGNATURES.items():
    composite(at="torch")(spelled(name, parameters))
