"""``torch.autograd.functional``: Jacobians, Hessians and their products with vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engine.autograd.modes import enable_grad, set_grad_enabled, state
from engine.ops.core.catalogue import TABLES
from engine.tensor import Tensor
from engine.transforms.functional_checks import (
    CONSTANT_GRADIENT,
    CONSTANT_JACOBIAN,
    IN_STRICT_MODE,
    Tensors,
    check_slopes,
    direction,
    filled,
    gradients,
    outputs_of,
    prepared,
    settled,
    single_output,
    tupled,
)

Function = Callable[..., Any]
ONE_OUTPUT = "user-provided function returns a single Tensor with a single element"
ONE_INPUT = "input to the user-provided function is a single Tensor with a single element"
INDEPENDENT = "The output of the user-provided function is independent of input {index}."
FORWARD_TRICK = (
    "The gradient with respect to the input is independent of entry {index} in the grad_outputs when using the double backward "
    "trick to compute forward mode gradients."
)
HESSIAN_TRICK = "The hessian of the user-provided function is independent of entry {index} in the grad_jacobian."
STRATEGIES = ("forward-mode", "reverse-mode")


def vjp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """``(outputs, vᵀ · J)``.

    Raises:
        RuntimeError: no ``v`` for a function with more than one output element, or what strict mode refuses.
    """
    with enable_grad():
        many, was_tuple = tupled(inputs, "inputs", "vjp")
        given = prepared(many, create_graph)
        outputs, outputs_tuple = outputs_of(func, given, "vjp", strict)
        vector = direction(v, outputs, outputs_tuple, "vjp", ONE_OUTPUT, create_graph)
    with set_grad_enabled(bool(create_graph or state.grad_enabled)):
        found = gradients(outputs, given, vector, create_graph)
        product = filled(found, given, strict, create_graph, INDEPENDENT, "jacobian")
    return settled(outputs, outputs_tuple, create_graph), settled(product, was_tuple, create_graph)


def jvp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """``(outputs, J · v)``, by differentiating the vjp with respect to its vector.

    Raises:
        RuntimeError: no ``v`` for more than one input element, or what strict mode refuses.
    """
    with enable_grad():
        many, many_tuple = tupled(inputs, "inputs", "jvp")
        given = prepared(many, create_graph)
        vector = direction(v, given, many_tuple, "jvp", ONE_INPUT, create_graph)
        outputs, was_tuple = outputs_of(func, given, "jvp", strict)
        seeds = tuple(o.new_zeros(o.shape).requires_grad_() for o in outputs)
        pulled = gradients(outputs, given, seeds, True)
        if strict:
            check_slopes(pulled, CONSTANT_GRADIENT)
    with set_grad_enabled(bool(create_graph or state.grad_enabled)):
        found = gradients(pulled, seeds, vector, create_graph)
        product = filled(found, outputs, strict, create_graph, FORWARD_TRICK, "jacobian")
    return settled(outputs, was_tuple, create_graph), settled(product, was_tuple, create_graph)


def vhp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """``(output, vᵀ · H)`` of a scalar function.

    Raises:
        RuntimeError: the function is not scalar, ``v`` does not fit, or what strict mode refuses.
    """
    with enable_grad():
        many, was_tuple = tupled(inputs, "inputs", "vhp")
        given = prepared(many, create_graph)
        vector = direction(v, given, was_tuple, "vhp", ONE_INPUT, create_graph)
        slopes, output = slopes_of(func, given, "vhp", strict)
    with set_grad_enabled(bool(create_graph or state.grad_enabled)):
        found = gradients(slopes, given, vector, create_graph)
        lost = "The jacobian of the user-provided function is independent of input {index}."
        product = filled(found, given, strict, create_graph, lost, "hessian")
    return settled((output,), False, create_graph), settled(product, was_tuple, create_graph)


def hvp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """``(output, H · v)`` of a scalar function, by differentiating ``vᵀ · H`` with respect to v.

    Raises:
        RuntimeError: as `vhp`.
    """
    with enable_grad():
        many, was_tuple = tupled(inputs, "inputs", "hvp")
        given = prepared(many, create_graph)
        vector = direction(v, given, was_tuple, "hvp", ONE_INPUT, create_graph)
        slopes, output = slopes_of(func, given, "hvp", strict)
        seeds = tuple(i.new_zeros(i.shape).requires_grad_() for i in given)
        pulled = gradients(slopes, given, seeds, True)
    with set_grad_enabled(bool(create_graph or state.grad_enabled)):
        found = gradients(pulled, seeds, vector, create_graph)
        product = filled(found, given, strict, create_graph, HESSIAN_TRICK, "hessian")
    return settled((output,), False, create_graph), settled(product, was_tuple, create_graph)


def slopes_of(func: Function, given: Tensors, name: str, strict: bool) -> tuple[tuple[Any, ...], Tensor]:
    """First derivatives of a scalar function, recorded, and its value."""
    outputs, was_tuple = outputs_of(func, given, name, strict)
    output = single_output(outputs, was_tuple, name)
    slopes = gradients((output,), given, None, True)
    if strict:
        check_slopes(slopes, CONSTANT_JACOBIAN)
    return slopes, output


def jacobian(
    func: Function,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian: one tensor of shape ``output.shape + input.shape`` per output and input.

    One backward pass per output element, whatever ``vectorize`` and ``strategy`` ask for: the numbers are the same.

    Raises:
        RuntimeError, NotImplementedError, AssertionError: for combinations of options that PyTorch refuses.
    """
    check_options(create_graph, strict, vectorize, strategy)
    with enable_grad():
        many, was_tuple = tupled(inputs, "inputs", "jacobian")
        given = prepared(many, create_graph)
        outputs, outputs_tuple = outputs_of(func, given, "jacobian", strict)
        if vectorize and strict:
            raise RuntimeError(
                "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. Please "
                "either set `strict=False` or `vectorize=False`."
            )
        blocks = [
            settled(rows_of(output, number, given, create_graph, strict), was_tuple, create_graph)
            for number, output in enumerate(outputs)
        ]
    return tuple(blocks) if outputs_tuple else blocks[0]


def check_options(create_graph: bool, strict: bool, vectorize: bool, strategy: str) -> None:
    """Raises RuntimeError, NotImplementedError, AssertionError: for combinations of options that PyTorch refuses."""
    where = "torch.autograd.functional.jacobian"
    if strategy not in STRATEGIES:
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs than inputs, '
            '"forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode":
        if create_graph:
            raise NotImplementedError(
                f'{where}: `create_graph=True` and `strategy="forward-mode"` are not supported together (yet). Please either set '
                '`create_graph=False` or `strategy="reverse-mode"`.'
            )
        if strict:
            raise RuntimeError(
                f'{where}: `strict=True` and `strategy="forward-mode"` are not supported together (yet). Please either set '
                '`strict=False` or `strategy="reverse-mode"`.'
            )
        if not vectorize:
            raise NotImplementedError(
                "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for `vectorize=True`."
            )


def _construct_standard_basis_for(tensors: Tensors, tensor_numels: tuple[int, ...]) -> tuple[Tensor, ...]:
    """The identity matrix of all elements together, cut into a block of columns per tensor: row i stands for element i."""
    total, start = sum(tensor_numels), 0
    blocks = []
    for tensor, count in zip(tensors, tensor_numels, strict=True):
        block = tensor.new_zeros((total, count))
        block.diagonal(-start).fill_(1)
        blocks.append(block)
        start += count
    return tuple(blocks)


def rows_of(output: Tensor, number: int, given: Tensors, create_graph: bool, strict: bool) -> list[Tensor]:
    """The Jacobian of one output with respect to each input, row by row.

    Raises:
        RuntimeError: with ``strict``, the output does not depend on an input, or its Jacobian depends on none.
    """
    flat = output.reshape(-1)
    rows: list[list[Tensor]] = [[] for _ in given]
    for j in range(flat.numel()):
        found = gradients((flat[j],), given, None, create_graph, retain=True)
        for index, (row, slope, one) in enumerate(zip(rows, found, given, strict=True)):
            if slope is None and strict:
                raise RuntimeError(
                    f"Output {number} of the user-provided function is independent of input {index}. {IN_STRICT_MODE}."
                )
            if slope is not None and strict and create_graph and not slope.requires_grad:
                raise RuntimeError(
                    f"The jacobian of the user-provided function is independent of input {number}. {IN_STRICT_MODE} when "
                    "create_graph=True."
                )
            row.append(one.new_zeros(one.shape) if slope is None else slope)
    stack = TABLES["torch"]["stack"]
    return [
        (stack(row, 0) if row else one.new_zeros((0, *one.shape))).view((*output.shape, *one.shape))
        for row, one in zip(rows, given, strict=True)
    ]


def hessian(
    func: Function,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The Hessian of a scalar function: the Jacobian of its gradient.

    Raises:
        RuntimeError: the function is not scalar, or what strict mode refuses.
    """
    many, was_tuple = tupled(inputs, "inputs", "hessian")
    check_options(create_graph, strict, vectorize, outer_jacobian_strategy)

    def scalar(*given: Tensor) -> Any:
        outputs, outputs_tuple = outputs_of(func, given, "hessian", strict)
        return single_output(outputs, outputs_tuple, "hessian").squeeze()

    def slope(*given: Tensor) -> Any:
        tracked = tuple(g if g.requires_grad else g.requires_grad_() for g in given)
        slopes: Sequence[Any] = jacobian(scalar, tracked, create_graph=True)
        if strict:
            check_slopes(slopes, CONSTANT_JACOBIAN)
        return slopes

    blocks = jacobian(slope, many, create_graph, strict, vectorize, outer_jacobian_strategy)
    return blocks if was_tuple else blocks[0][0]


__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]
