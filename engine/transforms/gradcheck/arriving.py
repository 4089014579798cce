"""What arrives at a derivative besides one ordinary gradient: zeros, nothing at all, or several gradients at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engine import observe
from engine.autograd.backward import grad
from engine.autograd.undefined_gradient import UndefinedGrad
from engine.tensor import Tensor, wrap
from engine.transforms.batched import grad as batched_grad
from engine.transforms.gradcheck.jacobians import Checked, GradcheckError, differentiable
from engine.transforms.gradcheck.sparse import in_full, misfit


def check_what_arrives(
    func: Callable[..., Any],
    given: Sequence[Any],
    outputs: list[Tensor],
    checked: Checked,
    batched: bool,
    undefined: bool,
) -> None:
    """Raises GradcheckError: backward is wrong for gradients that are zero, or missing, or several at once."""
    if batched:
        check_batches(outputs, checked)
    with observe.state.part("gradcheck: a gradient of 0 arrives"):
        check_zero_seeds(outputs, checked)
    if undefined:
        with observe.state.part("gradcheck: no gradient arrives"):
            check_undefined(func, given, checked, len(outputs))


def check_zero_seeds(outputs: list[Tensor], checked: Checked) -> None:
    """Raises GradcheckError: gradients are not zero, or not of the input's kind, when what comes in is zero."""
    seeds = [wrap(np.zeros_like(np.asarray(o._array))) for o in outputs]
    found = grad(outputs, [t for _, t in checked], seeds, allow_unused=True)
    if all(g is None for g in found):
        raise GradcheckError("no Tensors requiring grad found in input")
    for gradient, (_, tensor) in zip(found, checked, strict=True):
        if gradient is None:
            continue
        wrong = misfit(gradient, tensor)
        if wrong:
            raise GradcheckError(wrong)
        if np.any(in_full(gradient)):
            raise GradcheckError("backward not multiplied by grad_output")
        if gradient.dtype != tensor.dtype:
            raise GradcheckError("grad is incorrect type")
        if gradient.shape != tensor.shape:
            raise GradcheckError("grad is incorrect size")


UNBATCHED = (
    "gradcheck or gradgradcheck failed while testing batched gradient computation. Where a derivative cannot run on several gradients "
    "at once, leave this check out: check_batched_grad=False."
)


def check_batches(outputs: list[Tensor], checked: Checked) -> None:
    """Raises GradcheckError: several products at once differ from one after the other."""
    wanted = [t for _, t in checked]
    rng = np.random.RandomState(0)
    for o, output in enumerate(outputs):
        seeds = wrap(rng.standard_normal((2, *output.shape)).astype(output._array.dtype))
        options = {"retain_graph": True, "allow_unused": True}
        try:
            together = batched_grad(output, wanted, seeds, is_grads_batched=True, **options)
        except RuntimeError as error:
            raise GradcheckError(f"While computing batched gradients, got: {error}\n\n{UNBATCHED}") from error
        single = [grad(output, wanted, seeds[row], **options) for row in range(2)]
        for i, batch in enumerate(together):
            if batch is not None and not np.allclose(in_full(batch), [in_full(row[i]) for row in single]):
                raise GradcheckError(
                    f"For output {o} and input {i}: batched gradients differ from those computed one by one.\n\n{UNBATCHED}"
                )


def check_undefined(func: Callable[..., Any], given: Sequence[Any], checked: Checked, count: int) -> None:
    """Raises GradcheckError: a derivative cannot cope with a gradient that did not arrive, or makes one of nothing."""
    choices: list[set[int]] = [set(range(count))]
    if count > 1:
        choices += [{number} for number in range(count)]
    runs = [
        [UndefinedGrad()(o) if n in cut else o for n, o in enumerate(differentiable(func(*given)))] for cut in choices
    ]
    for outputs in runs:
        seeds = [wrap(np.zeros_like(np.asarray(o._array))) for o in outputs]
        try:
            found = grad(outputs, [t for _, t in checked], seeds, allow_unused=True)
        except RuntimeError as error:
            warn_of_undefined()
            raise GradcheckError(f"Expected backward function to handle undefined output grads. {SEE_NOTES}") from error
        if any(g is not None and np.any(in_full(g)) for g in found):
            warn_of_undefined()
            raise GradcheckError(
                f"Expected all input grads to be undefined or zero when all output grads are undefined or zero. {SEE_NOTES}"
            )


SEE_NOTES = 'Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'


def warn_of_undefined() -> None:
    """Says which option turns the check off."""
    warnings.warn(
        "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may break existing "
        'callers of this function. If this is true for you, you can call this function with "check_undefined_grad=False" to '
        "disable the feature",
        UserWarning,
        stacklevel=5,
    )
