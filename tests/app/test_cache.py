"""The cache: each different work once, within its bytes, and nothing kept that is not worth it."""

from __future__ import annotations

import asyncio

import pytest

from app.cache import Cache, Made


class Work:
    """Makes a value, and counts."""

    def __init__(self, value: bytes = b"value", keep: bool = True) -> None:
        self.value, self.keep, self.calls = value, keep, 0
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self) -> Made:
        self.calls += 1
        await self.gate.wait()
        return self.value, self.keep


async def test_equal_requests_at_once_work_once() -> None:
    cache, work = Cache(100), Work()
    work.gate.clear()
    waiting = [asyncio.create_task(cache.get("key", work)) for _ in range(64)]
    await asyncio.sleep(0)
    work.gate.set()
    assert await asyncio.gather(*waiting) == [b"value"] * 64
    assert (work.calls, cache.misses, cache.hits) == (1, 1, 63)


async def test_what_was_made_is_kept() -> None:
    cache, work = Cache(100), Work()
    await cache.get("key", work)
    await asyncio.sleep(0)
    assert await cache.get("key", work) == b"value"
    assert work.calls == 1


async def test_what_is_not_worth_keeping_is_made_again() -> None:
    cache, work = Cache(100), Work(keep=False)
    for _ in range(2):
        assert await cache.get("key", work) == b"value"
        await asyncio.sleep(0)
    assert work.calls == 2


async def test_the_least_recently_used_goes_first() -> None:
    cache = Cache(10)
    works = {name: Work(b"1234") for name in "abc"}
    for name in ("a", "b", "a", "c", "a", "b"):  # c drops b, for a was used since
        await cache.get(name, works[name])
        await asyncio.sleep(0)
    assert {name: work.calls for name, work in works.items()} == {"a": 1, "b": 2, "c": 1}
    assert cache.size <= cache.capacity


async def test_a_value_larger_than_the_cache_is_not_kept() -> None:
    cache = Cache(3)
    await cache.get("key", Work(b"1234"))
    await asyncio.sleep(0)
    assert cache.size == 0


async def test_a_failure_reaches_all_who_wait_and_is_forgotten() -> None:
    cache = Cache(100)

    async def fail() -> Made:
        await asyncio.sleep(0)
        raise OSError("gone")

    outcomes = await asyncio.gather(*(cache.get("key", fail) for _ in range(3)), return_exceptions=True)
    assert [str(outcome) for outcome in outcomes] == ["gone"] * 3
    assert await cache.get("key", Work()) == b"value"


async def test_one_who_leaves_takes_nothing_from_the_others() -> None:
    cache, work = Cache(100), Work()
    work.gate.clear()
    leaver, stayer = (asyncio.create_task(cache.get("key", work)) for _ in range(2))
    await asyncio.sleep(0)
    leaver.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaver
    work.gate.set()
    assert await stayer == b"value"
