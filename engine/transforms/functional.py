"""``torch.autograd.functional``: Jacobians, Hessians and their products with vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.autograd.backward import grad
from engine.autograd.modes import enable_grad
from engine.tensor import Tensor

Function = Callable[..., Any]


def tupled(value: Any) -> tuple[tuple[Tensor, ...], bool]:
    """The value as a tuple, and whether it was one."""
    return (tuple(value), True) if isinstance(value, tuple | list) else ((value,), False)


def prepared(inputs: Any, create_graph: bool) -> tuple[tuple[Tensor, ...], bool]:
    """Inputs that may be differentiated: linked to the given ones if a graph is wanted, else cut off."""
    many, was_tuple = tupled(inputs)
    if create_graph:
        return tuple(i.view_as(i) if i.requires_grad else i.detach().requires_grad_() for i in many), was_tuple
    return tuple(i.detach().clone().requires_grad_() for i in many), was_tuple


def evaluated(func: Function, inputs: tuple[Tensor, ...], name: str) -> tuple[tuple[Tensor, ...], bool]:
    """The outputs as a tuple of tensors.

    Raises:
        TypeError: when the function returns anything else.
    """
    outputs, was_tuple = tupled(func(*inputs))
    for index, output in enumerate(outputs):
        if not isinstance(output, Tensor):
            raise TypeError(
                f"The outputs of the user-provided function given to {name} must be either a Tensor or a tuple of Tensors but "
                f"the value at index {index} has type {type(output)}."
            )
    return outputs, was_tuple


def unpacked(results: tuple[Any, ...], was_tuple: bool, create_graph: bool) -> Any:
    """Results as they were asked for, cut off unless a graph is wanted."""
    final = results if create_graph else tuple(r.detach() if isinstance(r, Tensor) else r for r in results)
    return final if was_tuple else final[0]


def gradients(
    outputs: tuple[Tensor, ...],
    inputs: tuple[Tensor, ...],
    seeds: Any,
    create_graph: bool,
    strict: bool,
    retain: bool | None = None,
) -> tuple[Tensor, ...]:
    """Gradients with zeros where an input was not used (or an error, if ``strict``)."""
    tracked = [(o, s) for o, s in zip(outputs, seeds, strict=True) if o.requires_grad]
    found: tuple[Any, ...] = (None,) * len(inputs)
    if tracked:
        found = grad(
            [o for o, _ in tracked],
            inputs,
            [s for _, s in tracked],
            retain_graph=retain,
            create_graph=create_graph,
            allow_unused=True,
        )
    filled = []
    for index, (gradient, given) in enumerate(zip(found, inputs, strict=True)):
        if gradient is None and strict:
            raise RuntimeError(
                f"The output of the user-provided function is independent of input {index}. This is not allowed in strict mode."
            )
        filled.append(given.new_zeros(given.shape) if gradient is None else gradient)
    return tuple(filled)


def vjp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """``(outputs, vᵀ · J)``.

    Raises:
        RuntimeError: no ``v`` for a function with more than one output element.
    """
    with enable_grad():
        given, was_tuple = prepared(inputs, create_graph)
        outputs, outputs_tuple = evaluated(func, given, "vjp")
        seeds = direction(v, outputs, "vjp")
        found = gradients(outputs, given, seeds, create_graph, strict)
    return unpacked(outputs, outputs_tuple, create_graph), unpacked(found, was_tuple, create_graph)


def direction(v: Any, like: tuple[Tensor, ...], name: str) -> tuple[Tensor, ...]:
    """The vector of a product; 1 for a single element."""
    if v is not None:
        return tupled(v)[0]
    if len(like) != 1 or like[0].numel() != 1:
        raise RuntimeError(
            f"The vector v can only be None if the user-provided function returns a single Tensor with a single element. ({name})"
        )
    return (like[0].new_ones(like[0].shape),)


def jvp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """``(outputs, J · v)``, by differentiating the vjp with respect to its vector."""
    with enable_grad():
        given, _ = prepared(inputs, create_graph)
        vector = direction(v, given, "jvp")
        outputs, was_tuple = evaluated(func, given, "jvp")
        seeds = tuple(o.new_zeros(o.shape).requires_grad_() for o in outputs)
        pulled = gradients(outputs, given, seeds, True, strict)
        found = gradients(pulled, seeds, vector, create_graph, strict)
    return unpacked(outputs, was_tuple, create_graph), unpacked(found, was_tuple, create_graph)


def jacobian(
    func: Function,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian: one tensor of shape ``output.shape + input.shape`` per output and input."""
    with enable_grad():
        given, was_tuple = prepared(inputs, create_graph)
        outputs, outputs_tuple = evaluated(func, given, "jacobian")
        blocks = []
        for output in outputs:
            rows: list[list[Tensor]] = [[] for _ in given]
            flat = output.reshape(-1)
            for j in range(flat.numel()):
                seed = flat.new_ones(())
                found = gradients((flat[j],), given, (seed,), create_graph, strict, retain=True)
                for row, gradient in zip(rows, found, strict=True):
                    row.append(gradient)
            blocks.append(
                tuple(
                    stacked(row).view((*output.shape, *i.shape)) if row else i.new_zeros((*output.shape, *i.shape))
                    for row, i in zip(rows, given, strict=True)
                )
            )
        if not create_graph:
            blocks = [tuple(b.detach() for b in block) for block in blocks]
    per_output = tuple(block if was_tuple else block[0] for block in blocks)
    return per_output if outputs_tuple else per_output[0]


def stacked(rows: list[Tensor]) -> Tensor:
    """Rows as one tensor."""
    from engine.ops.catalogue import TABLES

    made: Tensor = TABLES["torch"]["stack"](rows, 0)
    return made


def hessian(
    func: Function,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The Hessian of a scalar function, as the Jacobian of its gradient."""
    many, was_tuple = tupled(inputs)

    def slope(*given: Tensor) -> Any:
        result = jacobian(scalar(func), given if was_tuple else given[0], create_graph=True, strict=strict)
        return result

    return jacobian(slope, inputs if was_tuple else many[0], create_graph=create_graph, strict=strict)


def scalar(func: Function) -> Function:
    """The function, made to complain unless it returns one element.

    Raises:
        RuntimeError: in PyTorch's words.
    """

    def checked(*inputs: Tensor) -> Tensor:
        output = func(*inputs)
        if not isinstance(output, Tensor):
            raise RuntimeError("The function given to hessian should return a single Tensor")
        if output.numel() != 1:
            raise RuntimeError("The Tensor returned by the function given to hessian should contain a single element")
        squeezed: Tensor = output.squeeze()
        return squeezed

    return checked


def hvp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """``(output, H · v)``, by differentiating the gradient's vjp with respect to its vector."""
    with enable_grad():
        given, was_tuple = prepared(inputs, create_graph)
        vector = direction(v, given, "hvp")
        outputs, outputs_tuple = evaluated(func, given, "hvp")
        slope = gradients(outputs, given, direction(None, outputs, "hvp"), True, strict)
        seeds = tuple(s.new_zeros(s.shape).requires_grad_() for s in slope)
        pulled = gradients(slope, given, seeds, True, strict)
        found = gradients(pulled, seeds, vector, create_graph, strict)
    return unpacked(outputs, outputs_tuple, create_graph), unpacked(found, was_tuple, create_graph)


def vhp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """``(output, vᵀ · H)``."""
    with enable_grad():
        given, was_tuple = prepared(inputs, create_graph)
        vector = direction(v, given, "vhp")
        outputs, outputs_tuple = evaluated(func, given, "vhp")
        slope = gradients(outputs, given, direction(None, outputs, "vhp"), True, strict)
        found = gradients(slope, given, vector, create_graph, strict)
    return unpacked(outputs, outputs_tuple, create_graph), unpacked(found, was_tuple, create_graph)
