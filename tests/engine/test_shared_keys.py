"""Attributes are found by their position in a table that a class's instances share, however late they are set."""

from __future__ import annotations

import gc
from typing import Any

from engine import torch
from engine.shared_keys import share_keys


def own_dictionary(instance: object) -> bool:
    """Whether the instance has left its class's table: then the collector finds a dictionary of its own in it."""
    return any(type(found) is dict for found in gc.get_referents(instance))


def made(kind: Any) -> Any:
    """An instance whose second attribute comes after many that did without."""
    crowd = [kind() for _ in range(100)]
    for each in crowd:
        each.first = 1
    late = kind()
    late.first, late.second, late.third = 1, 2, 3
    return late


def test_attributes_told_beforehand_stay_in_the_table_and_others_do_not() -> None:
    class Told: ...

    class Untold: ...

    share_keys(Told, "first second third")
    assert not own_dictionary(made(Told))
    assert own_dictionary(made(Untold))


def test_results_and_nodes_that_come_after_many_plain_tensors_stay_in_their_tables() -> None:
    plain = [torch.ones(()) for _ in range(100)]
    leaf = torch.tensor(2.0, requires_grad=True)
    results = [leaf * number for number in plain]
    squares = torch.ones(3, requires_grad=True) * 2
    assert not any(map(own_dictionary, (results[-1], results[-1].grad_fn, squares, squares.grad_fn)))
