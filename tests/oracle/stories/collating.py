"""From items to a batch: which kinds keep their shape, which have no batch, and how a program adds its own."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np

Pair = collections.namedtuple("Pair", "a b")  # noqa: PYI024 (as programs write it)


class _Own(list[Any]):
    """A kind of list."""


class _Named(dict[str, Any]):
    """A kind of mapping."""


class _Row(tuple[Any, ...]):
    """A kind of tuple."""

    __slots__ = ()


class _Plain:
    """Has no batch by itself."""


def _told(value: Any) -> tuple[str, str]:
    return type(value).__name__, repr(value)


def structures_keep_their_kind(torch: Any, say: Any) -> None:
    collate = torch.utils.data.default_collate
    batches: list[Any] = [
        [Pair(1, 2.0), Pair(3, 4.0)],
        [_Own([1, 2]), _Own([3, 4])],
        [_Named(a=1), _Named(a=2)],
        [_Row((1, 2)), _Row((3, 4))],
        [(1, 2), (3, 4)],
        [collections.OrderedDict(a=1, b=[2]), collections.OrderedDict(a=3, b=[4])],
        [collections.defaultdict(int, a=1), collections.defaultdict(int, a=3)],
        [range(2), range(2)],
        [[], []],
        ["a", "b"],
        [b"a", b"b"],
    ]
    for batch in batches:
        say(_told(collate(batch)))


def numbers_take_the_kind_of_the_first(torch: Any, say: Any) -> None:
    collate = torch.utils.data.default_collate
    for batch in (
        [1, 2.5],
        [1.5, 2],
        [True, 2],
        [np.float32(1), np.float32(2)],
        [np.bool_(1), np.bool_(0)],
        [np.ones(2, dtype="i2")] * 2,
    ):
        say(_told(collate(batch)))


def what_has_no_batch_is_refused(torch: Any, say: Any) -> None:
    collate = torch.utils.data.default_collate
    for batch in (
        [None, None],
        [{1}, {2}],
        [1j, 2j],
        [np.array(["a"])] * 2,
        [_Plain(), _Plain()],
        [],
        [{"a": 1}, {"b": 2}],
        [[1], [1, 2]],
        [torch.ones(2), torch.ones(3)],
        [torch.ones(2), 1],
        torch.arange(4).reshape(2, 2),
    ):
        say.error(lambda batch=batch: collate(batch))


def a_program_adds_a_kind_of_its_own(torch: Any, say: Any) -> None:
    inner = torch.utils.data._utils.collate

    def counted(batch: Any, *, collate_fn_map: Any = None) -> int:
        return len(batch)

    say(inner.collate([_Plain(), _Plain()], collate_fn_map={_Plain: counted}))
    say(inner.collate([[_Plain()], [_Plain()]], collate_fn_map={_Plain: counted}))
    say.error(lambda: inner.collate([torch.ones(1)]))
    say(inner.collate([torch.ones(1)] * 2, collate_fn_map={torch.Tensor: inner.collate_tensor_fn}))
    inner.default_collate_fn_map[_Plain] = counted
    try:
        say(list(torch.utils.data.DataLoader([(_Plain(), 1.0)] * 3, batch_size=2)))
    finally:
        del inner.default_collate_fn_map[_Plain]


def single_items_are_converted(torch: Any, say: Any) -> None:
    convert = torch.utils.data.default_convert
    for item in (
        np.ones(2),
        Pair(np.ones(1), "a"),
        [np.float32(1), {"a": np.ones(1)}],
        (1, np.ones(1)),
        _Named(a=np.ones(1)),
        _Own([np.ones(1)]),
        "abc",
    ):
        say(_told(convert(item)))
