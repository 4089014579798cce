"""``torch.func``: ``grad``, ``vjp``, ``jvp`` and what is made of them (see `engine.transforms.aliases` for how they nest)."""

from __future__ import annotations

import functools
from typing import Any

from engine.autograd.forward_switch import Level
from engine.autograd.modes import enable_grad, state
from engine.ops.core.catalogue import TABLES
from engine.ops.core.tangents import check_size, tangent_of
from engine.tensor import Tensor
from engine.transforms.aliases import (
    RECORDED_OUTSIDE,
    Argnums,
    Function,
    chosen,
    cut_off,
    gradients,
    outer_leaves,
    reaches_out,
    settled,
    transforming,
)
from engine.transforms.dual import check_differentiable, make_dual
from engine.transforms.dual_level import dual_level
from engine.transforms.forward import jvp_of
from engine.transforms.func_checks import (
    checked_movement,
    checked_outputs,
    refuse_complex_scalar,
    refuse_whole_numbers,
    with_extra,
)
from engine.transforms.trees import drawn, flatten, rebuild, spec


def grad_and_value(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """A function that returns the gradient of a scalar function, and its value.

    Raises:
        RuntimeError: the function does not return a 0-d tensor.
    """

    @functools.wraps(func)
    def both(*args: Any, **kwargs: Any) -> Any:
        with transforming("grad"):
            picked = chosen(args, argnums, kwargs)
            value, extra = with_extra(func(*picked.arguments, **kwargs), has_aux, "grad_and_value(f)(*args)")
            if not isinstance(value, Tensor):
                raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(value)}")
            if value.dim() != 0:
                raise RuntimeError(
                    "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
                    f"{value.dim()} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
                )
            refuse_complex_scalar(value)
            connected = outer_leaves([value])
            found = gradients([value], picked.aliases, [value.new_ones(())])
            slopes = [slope if connected and outer_leaves([slope]) else cut_off(slope) for slope in found]
        gradient = rebuild(picked.shape, slopes)
        (final,) = picked.settled([value], connected)
        if has_aux:
            return gradient, (final, picked.extra(extra, connected))
        return gradient, final

    return both


def grad(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """A function that returns the gradient of a scalar function."""
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def slope(*args: Any, **kwargs: Any) -> Any:
        gradient, value = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return slope


def vjp(func: Function, *primals: Any, has_aux: bool = False) -> Any:
    """``(output, pull_back)``: ``pull_back(v)`` is ``vᵀ · J`` per primal."""
    with transforming("vjp"):
        picked = chosen(primals, tuple(range(len(primals))))
        output, extra = with_extra(func(*picked.arguments), has_aux, "vjp(f, *primals)")
        outputs, output_shape = flatten(output)
        checked_outputs(outputs, "vjp(f, *primals): expected f(*primals)")
        refuse_whole_numbers(outputs)
        reaching = reaches_out(outputs)
        connected = reaching and RECORDED_OUTSIDE[-1]

    def pull_back(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        seeds, given_shape = flatten(cotangents)
        if given_shape != output_shape:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the function. "
                f"cotangents: {drawn(given_shape)}, primal output: {drawn(output_shape)}"
            )
        with enable_grad():
            found = gradients(outputs, picked.aliases, seeds)
        tracked = state.grad_enabled and (reaching or any(s.requires_grad for s in seeds))
        return rebuild(picked.shape, settled(found, tracked))

    final = rebuild(output_shape, picked.settled(outputs, connected))
    return (final, pull_back, picked.extra(extra, connected)) if has_aux else (final, pull_back)


def jvp(
    func: Function, primals: tuple[Any, ...], tangents: tuple[Any, ...], *, strict: bool = False, has_aux: bool = False
) -> Any:
    """``(output, J · tangent)``.

    Raises:
        RuntimeError: the primals are no tuple, or the tangents are not like them.
    """
    if not isinstance(primals, tuple):
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    directions, given_shape = flatten(tangents)
    leaves, shape = flatten(primals)
    if given_shape != shape:
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals and tangents to have the same python structure. For example, if "
            "primals is a tuple of 3 tensors, tangents also must be. Got primals with structure "
            f"{spec(shape)} and tangents with structure {spec(given_shape)}"
        )
    checked_movement(leaves, directions)
    for leaf, direction in zip(leaves, directions, strict=True):
        check_size(leaf, direction)
        check_differentiable(leaf, direction)
    if not Level.entered and "jvp" not in state.transforms:
        return jvp_by_tangents(func, leaves, shape, directions, has_aux)
    with transforming("jvp"):
        picked = chosen(primals, tuple(range(len(primals))))
        output, extra = with_extra(func(*picked.arguments), has_aux, "jvp(f, primals, tangents)")
        outputs, shape = flatten(output)
        checked_outputs(outputs, "jvp(f, primals, tangents): expected f(*primals)")
        connected = outer_leaves(outputs)
        moved = [
            jvp_of(o, picked.aliases, directions, connected) if o.requires_grad else o.detach() * 0 for o in outputs
        ]
    tracked = connected or any(d.requires_grad for d in directions)
    final = rebuild(shape, settled(outputs, connected)), rebuild(shape, settled(moved, tracked))
    return (*final, picked.extra(extra, connected)) if has_aux else final


def jvp_by_tangents(func: Function, leaves: list[Tensor], shape: Any, directions: list[Tensor], has_aux: bool) -> Any:
    """`jvp` in forward mode, which has one level only: a jvp inside another differentiates backward twice instead."""
    with transforming("jvp"), dual_level():
        duals = [make_dual(leaf, direction) for leaf, direction in zip(leaves, directions, strict=True)]
        output, extra = with_extra(func(*rebuild(shape, duals)), has_aux, "jvp(f, primals, tangents)")
        outputs, output_shape = flatten(output)
        checked_outputs(outputs, "jvp(f, primals, tangents): expected f(*primals)")
        moved = [tangent_of(o) for o in outputs]
        if RECORDED_OUTSIDE[-1]:
            outputs = [TABLES["internal"]["alias"](o) if o.requires_grad else o for o in outputs]
        else:
            outputs, moved = settled(outputs, connected=False), settled(moved, connected=False)
    tangents = [o.detach() * 0 if t is None else t for o, t in zip(outputs, moved, strict=True)]
    final = rebuild(output_shape, outputs), rebuild(output_shape, tangents)
    return (*final, extra) if has_aux else final


def linearize(func: Function, *primals: Any) -> tuple[Any, Function]:
    """``(output, push_forward)``: the jvp at this point."""
    output = func(*primals)
    return output, lambda *tangents: jvp(func, primals, tangents)[1]


def functionalize(func: Function, *, remove: str = "mutations") -> Function:
    """The function itself: in-place writes need no removing here."""
    return func
