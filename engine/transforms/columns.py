"""`jacfwd` by its definition, a push forward per input element: where a custom ``autograd.Function`` brings its own ``jvp``.

Everywhere else the graph of one run gives the same columns (`engine.transforms.jacobians.columns_of`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from engine.autograd.function import Function
from engine.autograd.function_node import BackwardCFunction
from engine.autograd.node import Node
from engine.ops.core.catalogue import TABLES
from engine.tensor import Tensor
from engine.transforms.trees import flatten, rebuild

OWN: Callable[..., Any] = Function.jvp
"""What a Function that has no ``jvp`` of its own inherits."""


class HasOwnJvp(BaseException):
    """Ends that one run: a custom Function on the way says itself how tangents move."""


def watched(func: Callable[..., Any]) -> Callable[..., Any]:
    """The function; its run ends with `HasOwnJvp` if what it returns went through such a Function.

    Raises:
        RuntimeError: it went through one that has no rule for vmap, by which PyTorch pushes all directions at once.
        NotImplementedError: it went through one that has no ``jvp``.
    """

    def run(*args: Any, **kwargs: Any) -> Any:
        returned = func(*args, **kwargs)
        given, results = (
            [leaf for leaf in flatten(value)[0] if isinstance(leaf, Tensor)] for value in (args, returned)
        )
        nodes = behind([result.grad_fn for result in results])
        starts = {id(tensor._gradient_edge()[0]) for tensor in given if tensor.requires_grad}
        functions = [node._forward_cls for node in leading_to(starts, nodes) if isinstance(node, BackwardCFunction)]
        for function in functions:
            function._check_batchable()
        for function in functions:
            if function.jvp is OWN:
                function.jvp(None)
        if functions:
            raise HasOwnJvp
        return returned

    return run


def leading_to(starts: set[int], nodes: list[Node]) -> list[Node]:
    """Those of the nodes from which gradients come to one of ``starts`` (ids)."""
    leading: dict[int, Node] = {}
    for node in sorted(nodes, key=lambda node: node.sequence_nr):
        if any(id(receiver) in starts or id(receiver) in leading for receiver, _ in node.edges):
            leading[id(node)] = node
    return list(leading.values())


def behind(nodes: Iterable[Node | None]) -> list[Node]:
    """All nodes that these lead to, themselves among them."""
    waiting, seen = [node for node in nodes if node is not None], {}
    while waiting:
        node = waiting.pop()
        if id(node) not in seen:
            seen[id(node)] = node
            waiting += [receiver for receiver, _ in node.edges if receiver is not None]
    return list(seen.values())


def jacobian_by_columns(
    jvp: Callable[..., Any],
    func: Callable[..., Any],
    picked: tuple[Any, ...],
    put_back: Callable[..., tuple[Any, ...]],
    block_shape: Any,
    has_aux: bool,
    kwargs: dict[str, Any],
) -> Any:
    """The Jacobian of ``func`` with respect to the picked arguments, as `jacrev` gives it.

    Args:
        jvp: ``torch.func.jvp``.
        picked: the arguments to differentiate with respect to.
        put_back: all arguments, with others in place of the picked ones.
        block_shape: how the blocks of one output are arranged.
    """
    leaves, shape = flatten(picked)
    zeros = [leaf.new_zeros(leaf.shape) for leaf in leaves]
    columns: list[list[list[Tensor]]] = []
    output_shape: Any = None
    extra: Any = None
    for position, leaf in enumerate(leaves):
        pushed = []
        for place in range(leaf.numel()):
            direction = leaf.new_zeros((leaf.numel(),))
            direction[place] = 1
            tangents = [direction.view(leaf.shape) if n == position else z for n, z in enumerate(zeros)]
            moved = jvp(
                lambda *given: func(*put_back(*given), **kwargs), picked, rebuild(shape, tangents), has_aux=has_aux
            )
            extra = moved[2] if has_aux else None
            parts, output_shape = flatten(moved[1])
            pushed.append(parts)
        columns.append(pushed)
    stack = TABLES["torch"]["stack"]
    blocks = [
        rebuild(
            block_shape,
            [
                stack([parts[number] for parts in pushed], -1).reshape((*pushed[0][number].shape, *leaf.shape))
                for leaf, pushed in zip(leaves, columns, strict=True)
            ],
        )
        for number in range(len(columns[0][0]))
    ]
    made = rebuild(output_shape, blocks)
    return (made, extra) if has_aux else made
