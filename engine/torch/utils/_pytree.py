"""``torch.utils._pytree``: nested tuples, lists and dictionaries taken apart and put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from engine.transforms.trees import flatten, rebuild


class TreeSpec(NamedTuple):
    """What is left of a nested value without its leaves."""

    shape: Any
    num_leaves: int


def tree_flatten(tree: Any) -> tuple[list[Any], TreeSpec]:
    """Its leaves in order, and the rest."""
    leaves, shape = flatten(tree)
    return leaves, TreeSpec(shape, len(leaves))


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Any:
    """The value again, with these leaves.

    Raises:
        ValueError: another number of leaves.
    """
    given = list(leaves)
    if len(given) != treespec.num_leaves:
        raise ValueError(
            f"treespec.unflatten(leaves): `leaves` has length {len(given)} but the spec refers to a pytree that holds "
            f"{treespec.num_leaves} items ({treespec})."
        )
    return rebuild(treespec.shape, given)


def tree_leaves(tree: Any) -> list[Any]:
    """Its leaves in order."""
    return flatten(tree)[0]


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any) -> Any:
    """A value of that form with the function's results for leaves; ``rests`` are more values of the same form."""
    leaves, shape = flatten(tree)
    return rebuild(shape, [func(*each) for each in zip(leaves, *(flatten(rest)[0] for rest in rests), strict=True)])


def tree_map_only(kind: Any, func: Callable[[Any], Any], tree: Any) -> Any:
    """The same for leaves of a type (or several) only."""
    return tree_map(lambda leaf: func(leaf) if isinstance(leaf, kind) else leaf, tree)


__all__ = ["TreeSpec", "tree_flatten", "tree_leaves", "tree_map", "tree_map_only", "tree_unflatten"]
