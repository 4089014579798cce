"""``torch.func``: transforms of functions.

A transform differentiates with respect to an alias of each input, so that transforms nest: the inner result is connected to the
outer alias by the recorded graph.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from engine.autograd import backward as backward_pass
from engine.autograd.forward_switch import Level
from engine.autograd.modes import enable_grad, state
from engine.observe import state as observing
from engine.ops.core.batching import inside
from engine.ops.core.tangents import check_size, hold, tangent_of
from engine.tensor import Tensor, wrap
from engine.transforms.dual import check_differentiable, make_dual
from engine.transforms.dual_level import dual_level
from engine.transforms.forward import jvp_of
from engine.transforms.func_checks import (
    checked_argnums,
    checked_outputs,
    checked_primals,
    refuse_complex_scalar,
    refuse_whole_numbers,
    with_extra,
)
from engine.transforms.layers import UNDER_WAY, layer, reach_out
from engine.transforms.trees import drawn, flatten, rebuild, spec

Function = Callable[..., Any]
Argnums = int | tuple[int, ...]


REFUSES_HOOKS = "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with your use case."


@contextmanager
def transforming(name: str) -> Iterator[None]:
    """What runs inside is being transformed: recording is on, ``backward()`` and saved-tensor hooks are refused.

    Inference mode does not reach inside: a transform's derivatives are its own affair.

    Raises:
        RuntimeError: saved-tensor hooks are on.
    """
    refused, inference = state.saved_hooks_refused, state.inference
    if state.saved_hooks:
        raise RuntimeError(REFUSES_HOOKS)
    state.transforms.append(name)
    state.saved_hooks_refused = REFUSES_HOOKS
    UNDER_WAY.append([])
    lent = len(LENT)
    state.inference = False
    try:
        with enable_grad(), layer():
            yield
    finally:
        while len(LENT) > lent:
            tensor, tensor._layer = LENT.pop()
        aliases = UNDER_WAY.pop()
        if UNDER_WAY:
            UNDER_WAY[-1] += aliases
        state.transforms.pop()
        state.saved_hooks_refused, state.inference = refused, inference
        state.refresh()


def alias(tensor: Tensor) -> Tensor:
    """A tensor to differentiate with respect to: linked to the given one if that is itself tracked, with its tangent if it has one."""
    if tensor.requires_grad or (state.forward_level and tangent_of(tensor) is not None):
        linked: Tensor = tensor.view_as(tensor)
        if linked._node is not None:
            linked._node.stands_in = True
            linked._node.apply = pass_on  # no operator is recorded for it
        return linked if linked.requires_grad else linked._tracked()
    return (wrap(tensor._array) if tensor._inference else tensor.detach())._tracked()


LENT: list[tuple[Tensor, int]] = []
"""Tensors that are handed to the functions at work as they are, and the layer that each belongs to outside."""


def lend(value: Any) -> None:
    """What is handed to a function belongs to its transform meanwhile, as the aliases do: PyTorch wraps all arguments."""
    for leaf in flatten(value)[0]:
        if isinstance(leaf, Tensor):
            LENT.append((leaf, leaf._layer))
            inside(leaf)


def pass_on(gradients: list[Any]) -> list[Any]:
    """What a stand-in does to gradients: nothing."""
    return gradients


class Chosen(NamedTuple):
    """The arguments that a transform differentiates with respect to."""

    arguments: tuple[Any, ...]
    """All arguments, with aliases in place of the chosen ones."""
    originals: list[Tensor]
    aliases: list[Tensor]
    shape: Any
    """How the chosen part is nested."""

    def settled(self, results: list[Any], connected: bool) -> list[Any]:
        """What a transform gives back: the very argument where an alias of it was returned, the rest as `settled` says."""
        given = {id(alias): original for alias, original in zip(self.aliases, self.originals, strict=True)}
        return [given[id(each)] if id(each) in given else settled([each], connected)[0] for each in results]

    def extra(self, value: Any, connected: bool) -> Any:
        """The same for any nested value."""
        leaves, shape = flatten(value)
        return rebuild(shape, self.settled(leaves, connected))


def chosen(args: tuple[Any, ...], argnums: Argnums, kwargs: dict[str, Any] | None = None) -> Chosen:
    """The arguments with aliases in place of those of ``argnums``; the others are lent to the transform.

    Raises:
        ValueError: something among those of ``argnums`` is no tensor.
    """
    numbers = checked_argnums(argnums, len(args))
    lend([kwargs or {}, *(argument for number, argument in enumerate(args) if number not in numbers)])
    replaced, originals, aliases = list(args), [], []
    parts = []
    for number in numbers:
        leaves, shape = flatten(args[number])
        for leaf in leaves:
            if not isinstance(leaf, Tensor):
                raise ValueError(f"Thing passed to transform API must be Tensor, got {type(leaf)}")
        mine = [inside(alias(leaf)) for leaf in leaves]
        originals += leaves
        aliases += mine
        if UNDER_WAY:
            UNDER_WAY[-1] += mine
        replaced[number] = rebuild(shape, mine)
        parts.append(shape)
    return Chosen(tuple(replaced), originals, aliases, together(argnums, parts))


def together(argnums: Argnums, shapes: list[Any]) -> Any:
    """The shape of what is differentiated with respect to, of those of its parts: one argument is no tuple of one."""
    return shapes[0] if isinstance(argnums, int) else ("tuple", shapes)


def outer_leaves(outputs: list[Tensor]) -> bool:
    """Whether anything beyond the aliases is tracked in this graph: then the result must stay connected.

    Aliases of transforms that ran inside of this one are nobody's any more.
    """
    return reach_out([o.grad_fn for o in outputs if o.grad_fn is not None], {id(t) for t in UNDER_WAY[-1]})


def settled(results: list[Any], connected: bool) -> list[Any]:
    """Results of a transform: cut off unless something outside is tracked."""
    return results if connected else [cut_off(r) if isinstance(r, Tensor) else r for r in results]


def cut_off(result: Tensor) -> Tensor:
    """The result outside the graph; a tangent stays with it."""
    with observing.silent():
        tangent = tangent_of(result) if state.forward_level else None
        result = result.detach()
        if tangent is not None:
            hold(result, tangent.detach())
    return result


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


def gradients(outputs: list[Tensor], inputs: list[Tensor], seeds: list[Tensor]) -> list[Tensor]:
    """Recorded gradients, zeros where there is no path."""
    tracked = [(o, s) for o, s in zip(outputs, seeds, strict=True) if o.requires_grad]
    if not tracked:
        return [i.new_zeros(i.shape) for i in inputs]
    found = backward_pass.grad(
        [o for o, _ in tracked], inputs, [s for _, s in tracked], create_graph=True, allow_unused=True
    )
    return [i.new_zeros(i.shape) if g is None else g for g, i in zip(found, inputs, strict=True)]


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
        connected = outer_leaves(outputs)

    def pull_back(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        seeds, given_shape = flatten(cotangents)
        if given_shape != output_shape:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the function. "
                f"cotangents: {drawn(given_shape)}, primal output: {drawn(output_shape)}"
            )
        with enable_grad():
            found = gradients(outputs, picked.aliases, seeds)
        tracked = connected or any(s.requires_grad for s in seeds)
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
    checked_primals(leaves)
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
