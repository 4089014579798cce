"""What ``torch.autograd.functional`` accepts, and what its strict mode refuses: a result that does not depend on an input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.autograd.backward import grad
from engine.tensor import Tensor

Tensors = tuple[Tensor, ...]
IN_STRICT_MODE = "This is not allowed in strict mode"


def tupled(value: Any, what: str, function: str) -> tuple[Tensors, bool]:
    """The value as a tuple of tensors, and whether it was a tuple.

    Raises:
        TypeError: something in it is no tensor.
    """
    was_tuple = isinstance(value, tuple)
    many = value if was_tuple else (value,)
    for index, one in enumerate(many):
        if not isinstance(one, Tensor):
            whose = f"value at index {index}" if was_tuple else f"given {what}"
            raise TypeError(
                f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but the {whose} has type {type(one)}."
            )
    return many, was_tuple


def outputs_of(func: Any, inputs: Tensors, function: str, strict: bool) -> tuple[Tensors, bool]:
    """What the person's function returns, as a tuple of tensors.

    Raises:
        TypeError: it returns something else.
        RuntimeError: strict, and an output does not require grad.
    """
    outputs, was_tuple = tupled(func(*inputs), "outputs of the user-provided function", function)
    if strict:
        for index, output in enumerate(outputs):
            if not output.requires_grad:
                raise RuntimeError(
                    f"Output {index} of the user-provided function does not require gradients. The outputs must be computed in a "
                    "differentiable manner from the input when running in strict mode."
                )
    return outputs, was_tuple


def single_output(outputs: Tensors, was_tuple: bool, function: str) -> Tensor:
    """The one number that a Hessian is of.

    Raises:
        RuntimeError: there are several.
    """
    if was_tuple:
        raise RuntimeError(f"The function given to {function} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {function} should contain a single element")
    return outputs[0]


def direction(
    v: Any, like: Tensors, like_tuple: bool, function: str, missing: str, create_graph: bool
) -> Tensors | None:
    """The vector of a product, which must be like the inputs or outputs; None stands for 1.

    Raises:
        RuntimeError: it is missing for more than one element, or has another size.
    """
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(f"The vector v can only be None if the {missing}.")
        return None
    vector = prepared(tupled(v, "v", function)[0], create_graph, differentiable=False)
    if len(vector) != len(like):
        if like_tuple:
            raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(vector)}.")
        raise RuntimeError("The given v should contain a single Tensor.")
    for index, (one, other) in enumerate(zip(vector, like, strict=True)):
        if one.shape != other.shape:
            entry = f"Entry {index} in " if like_tuple else ""
            raise RuntimeError(f"{entry}v has invalid size: should be {other.shape} but got {one.shape}.")
    return vector


def prepared(tensors: Tensors, create_graph: bool, differentiable: bool = True) -> Tensors:
    """Tensors that may be differentiated: linked to the given ones if a graph is wanted, else cut off."""
    return tuple(
        t.view_as(t) if create_graph and t.requires_grad else t.detach().requires_grad_(differentiable) for t in tensors
    )


def gradients(
    outputs: Sequence[Any], inputs: Tensors, seeds: Tensors | None, create_graph: bool, retain: bool | None = None
) -> tuple[Any, ...]:
    """Gradients, None where an input was not used."""
    given = (None,) * len(outputs) if seeds is None else seeds
    tracked = [(o, s) for o, s in zip(outputs, given, strict=True) if o is not None and o.requires_grad]
    if not tracked:
        return (None,) * len(inputs)
    found: tuple[Any, ...] = grad(
        [o for o, _ in tracked],
        inputs,
        [s for _, s in tracked],
        retain_graph=retain,
        create_graph=create_graph,
        allow_unused=True,
    )
    return found


def filled(found: Sequence[Any], like: Tensors, strict: bool, create_graph: bool, lost: str, what: str) -> Tensors:
    """Zeros in place of missing gradients.

    ``lost`` says, with ``{index}``, what a missing gradient means; ``what`` (jacobian, hessian) is constant if it needs none.

    Raises:
        RuntimeError: strict, and one is missing or constant.
    """
    complete = []
    for index, (one, other) in enumerate(zip(found, like, strict=True)):
        if one is None and strict:
            raise RuntimeError(f"{lost.format(index=index)} {IN_STRICT_MODE}.")
        if one is not None and strict and create_graph and not one.requires_grad:
            raise RuntimeError(
                f"The {what} of the user-provided function is independent of input {index}. {IN_STRICT_MODE} when "
                "create_graph=True."
            )
        complete.append(other.new_zeros(other.shape) if one is None else one)
    return tuple(complete)


def check_slopes(slopes: Sequence[Any], meaning: str) -> None:
    """In strict mode, first derivatives must depend on the inputs.

    Raises:
        RuntimeError: one is missing, or constant (``meaning`` says so, with ``{index}``).
    """
    for index, slope in enumerate(slopes):
        if slope is None:
            raise RuntimeError(
                f"The output of the user-provided function is independent of input {index}. {IN_STRICT_MODE}."
            )
        if not slope.requires_grad:
            raise RuntimeError(meaning.format(index=index))


CONSTANT_GRADIENT = (
    "The gradient with respect to input {index} is independent of the inputs of the user-provided function. "
    f"{IN_STRICT_MODE}."
)
CONSTANT_JACOBIAN = (
    "While computing the hessian, found that the jacobian of the user-provided function with respect to input {index} is "
    f"independent of the input. {IN_STRICT_MODE}. You should ensure that your function is twice differentiable and "
    "that the jacobian depends on the inputs (this would be violated by a linear function for example)."
)


def settled(results: Sequence[Any], was_tuple: bool, create_graph: bool) -> Any:
    """Results as they were asked for, cut off unless a graph is wanted."""
    final = tuple(results) if create_graph else tuple(r.detach() for r in results)
    return final if was_tuple else final[0]
