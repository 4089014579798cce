"""What runs inside a transform of ``torch.func``: aliases of the arguments, and results that let go of them.

A transform differentiates with respect to an alias of each input, so that transforms nest: the inner result is connected to the
outer alias by the recorded graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from engine.autograd import backward as backward_pass
from engine.autograd.modes import enable_grad, state
from engine.observe import state as observing
from engine.ops.core.batching import inside
from engine.ops.core.tangents import hold, tangent_of
from engine.tensor import Tensor, wrap
from engine.transforms.func_checks import checked_argnums
from engine.transforms.layers import UNDER_WAY, layer, reach_out
from engine.transforms.trees import flatten, rebuild

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
    RECORDED_OUTSIDE.append(state.grad_enabled)
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
        RECORDED_OUTSIDE.pop()
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


RECORDED_OUTSIDE: list[bool] = []
"""Per transform at work, whether what stands around it is recorded: ``no_grad`` around a derivative cuts it off, not up."""


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
    """Whether the results must stay connected: something beyond the aliases is tracked, and what stands around records."""
    return RECORDED_OUTSIDE[-1] and reaches_out(outputs)


def reaches_out(outputs: list[Tensor]) -> bool:
    """Whether anything beyond the aliases is tracked in this graph.

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


def gradients(outputs: list[Tensor], inputs: list[Tensor], seeds: list[Tensor]) -> list[Tensor]:
    """Recorded gradients, zeros where there is no path."""
    tracked = [(o, s) for o, s in zip(outputs, seeds, strict=True) if o.requires_grad]
    if not tracked:
        return [i.new_zeros(i.shape) for i in inputs]
    found = backward_pass.grad(
        [o for o, _ in tracked], inputs, [s for _, s in tracked], create_graph=True, allow_unused=True
    )
    return [i.new_zeros(i.shape) if g is None else g for g, i in zip(found, inputs, strict=True)]
