"""``torch.func``: transforms of functions.

A transform differentiates with respect to an alias of each input, so that transforms nest: the inner result is connected to the
outer alias by the recorded graph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.autograd import backward as backward_pass
from engine.autograd.modes import enable_grad
from engine.autograd.node import AccumulateGrad
from engine.tensor import Tensor
from engine.transforms.forward import jvp_of
from engine.transforms.trees import flatten, rebuild
from engine.transforms.vmap import vmap

Function = Callable[..., Any]
Argnums = int | tuple[int, ...]


def alias(tensor: Tensor) -> Tensor:
    """A tensor to differentiate with respect to: linked to the given one if that is itself tracked."""
    linked: Tensor = tensor.view_as(tensor) if tensor.requires_grad else tensor.detach().requires_grad_()
    return linked


def chosen(args: tuple[Any, ...], argnums: Argnums) -> tuple[tuple[Any, ...], list[Tensor], Any]:
    """The arguments with aliases in place, the flat aliases, and the shape of the chosen part."""
    numbers = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    replaced, aliases = list(args), []
    parts = []
    for number in numbers:
        leaves, shape = flatten(args[number])
        mine = [alias(leaf) if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        aliases += [m for m in mine if isinstance(m, Tensor)]
        replaced[number] = rebuild(shape, mine)
        parts.append(shape)
    return tuple(replaced), aliases, parts[0] if isinstance(argnums, int) else ("tuple", parts)


def outer_leaves(outputs: list[Tensor], inner: list[Tensor]) -> bool:
    """Whether anything beyond the aliases is tracked in this graph: then the result must stay connected."""
    own = {id(t) for t in inner}
    if any(t._grad_fn is not None for t in inner):
        return True
    seen, stack = set(), [o.grad_fn for o in outputs if o.grad_fn is not None]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, AccumulateGrad) and id(node.variable) not in own:
            return True
        stack += [child for child, _ in node.edges if child is not None]
    return False


def settled(results: list[Tensor], connected: bool) -> list[Tensor]:
    """Results of a transform: cut off unless something outside is tracked."""
    return results if connected else [r.detach() for r in results]


def grad_and_value(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """A function that returns the gradient of a scalar function, and its value.

    Raises:
        RuntimeError: the function does not return a 0-d tensor.
    """

    def both(*args: Any, **kwargs: Any) -> Any:
        with enable_grad():
            replaced, aliases, shape = chosen(args, argnums)
            returned = func(*replaced, **kwargs)
            value, extra = returned if has_aux else (returned, None)
            if not isinstance(value, Tensor):
                raise RuntimeError(
                    f"grad_and_value(f)(*args): Expected f(*args) to return tensor(s), got unsupported type {type(value)}"
                )
            if value.dim() != 0:
                raise RuntimeError(
                    "grad_and_value(f)(*args): Expected f(*args) to return a scalar tensor, got tensor with "
                    f"{value.dim()} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
                )
            connected = outer_leaves([value], aliases)
            found = gradients([value], aliases, [value.new_ones(())])
        gradient = rebuild(shape, settled(found, connected))
        (final,) = settled([value], connected)
        if has_aux:
            return gradient, (final, cut(extra, connected))
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


def cut(value: Any, connected: bool) -> Any:
    """Any nested value with its tensors cut off unless something outside is tracked."""
    leaves, shape = flatten(value)
    return rebuild(shape, [leaf.detach() if isinstance(leaf, Tensor) and not connected else leaf for leaf in leaves])


def grad(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """A function that returns the gradient of a scalar function."""
    both = grad_and_value(func, argnums, has_aux)

    def slope(*args: Any, **kwargs: Any) -> Any:
        gradient, value = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return slope


def vjp(func: Function, *primals: Any, has_aux: bool = False) -> Any:
    """``(output, pull_back)``: ``pull_back(v)`` is ``vᵀ · J`` per primal."""
    with enable_grad():
        replaced, aliases, shape = chosen(primals, tuple(range(len(primals))))
        returned = func(*replaced)
        output, extra = returned if has_aux else (returned, None)
        outputs, output_shape = flatten(output)
        connected = outer_leaves(outputs, aliases)

    def pull_back(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        seeds, _ = flatten(cotangents)
        with enable_grad():
            found = gradients(outputs, aliases, seeds)
        tracked = connected or any(s.requires_grad for s in seeds)
        return rebuild(shape, settled(found, tracked))

    final = rebuild(output_shape, settled(outputs, connected))
    return (final, pull_back, cut(extra, connected)) if has_aux else (final, pull_back)


def jvp(
    func: Function, primals: tuple[Any, ...], tangents: tuple[Any, ...], *, strict: bool = False, has_aux: bool = False
) -> Any:
    """``(output, J · tangent)``."""
    with enable_grad():
        replaced, aliases, _ = chosen(tuple(primals), tuple(range(len(primals))))
        returned = func(*replaced)
        output, extra = returned if has_aux else (returned, None)
        outputs, shape = flatten(output)
        connected = outer_leaves(outputs, aliases)
        directions, _ = flatten(tuple(tangents))
        moved = [jvp_of(o, aliases, directions) if o.requires_grad else o.detach() * 0 for o in outputs]
    tracked = connected or any(d.requires_grad for d in directions)
    final = rebuild(shape, settled(outputs, connected)), rebuild(shape, settled(moved, tracked))
    return (*final, cut(extra, connected)) if has_aux else final


def jacrev(
    func: Function, argnums: Argnums = 0, *, has_aux: bool = False, chunk_size: int | None = None, **_: Any
) -> Function:
    """A function that returns the Jacobian, one backward pass per output element."""

    def jacobian(*args: Any, **kwargs: Any) -> Any:
        with enable_grad():
            replaced, aliases, shape = chosen(args, argnums)
            returned = func(*replaced, **kwargs)
            output, extra = returned if has_aux else (returned, None)
            outputs, output_shape = flatten(output)
            connected = outer_leaves(outputs, aliases)
            blocks = [rebuild(shape, settled(rows_of(o, aliases), connected)) for o in outputs]
        made = rebuild(output_shape, blocks)
        return (made, cut(extra, connected)) if has_aux else made

    return jacobian


def rows_of(output: Tensor, inputs: list[Tensor]) -> list[Tensor]:
    """The Jacobian of one output: ``output.shape + input.shape`` per input."""
    flat = output.reshape(-1)
    rows = [gradients([flat[j]], inputs, [flat.new_ones(())]) for j in range(flat.numel())]
    return [
        (stack([row[n] for row in rows]) if rows else i.new_zeros((0, *i.shape))).reshape((*output.shape, *i.shape))
        for n, i in enumerate(inputs)
    ]


def stack(tensors: list[Tensor]) -> Tensor:
    """``torch.stack`` along a new first dimension."""
    from engine.ops.catalogue import TABLES

    made: Tensor = TABLES["torch"]["stack"](tensors, 0)
    return made


def jacfwd(func: Function, argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error") -> Function:
    """A function that returns the Jacobian; the same numbers as `jacrev`, defined by forward mode."""
    return jacrev(func, argnums, has_aux=has_aux)


def hessian(func: Function, argnums: Argnums = 0) -> Function:
    """A function that returns the Hessian."""
    return jacfwd(jacrev(func, argnums), argnums)


def linearize(func: Function, *primals: Any) -> tuple[Any, Function]:
    """``(output, push_forward)``: the jvp at this point."""
    output = func(*primals)
    return output, lambda *tangents: jvp(func, primals, tangents)[1]


def functionalize(func: Function, *, remove: str = "mutations") -> Function:
    """The function itself: in-place writes need no removing here."""
    return func


__all__ = [
    "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "vjp", "vmap",
]  # fmt: skip
