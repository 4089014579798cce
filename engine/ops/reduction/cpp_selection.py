"""Which of equal elements PyTorch picks: its C++ selection algorithms, step by step.

``topk``, and ``median`` of all elements, partition with the C++ library's nth_element, ``kthvalue`` with PyTorch's own quickselect.
Neither is stable, so among equals the index depends on the swaps. Both are followed here on a list of indices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Before = Callable[[int, int], bool]
"""Whether the element at the first index must come before that at the second."""


def nth_element(order: list[int], nth: int, before: Before) -> None:
    """Partitions ``order`` so that place ``nth`` holds what sorting would put there (libstdc++'s introselect)."""
    first, last = 0, len(order)
    while last - first > 3:
        cut = partition(order, first, last, before)
        if cut <= nth:
            first = cut
        else:
            last = cut
    insertion_sort(order, first, last, before)


def partition(order: list[int], first: int, last: int, before: Before) -> int:
    """Splits a range around the median of three of its elements; returns where the upper part begins."""
    middle = first + (last - first) // 2
    a, b, c = first + 1, middle, last - 1
    if before(order[a], order[b]):
        chosen = b if before(order[b], order[c]) else c if before(order[a], order[c]) else a
    else:
        chosen = a if before(order[a], order[c]) else c if before(order[b], order[c]) else b
    order[first], order[chosen] = order[chosen], order[first]
    pivot = order[first]
    low, high = first + 1, last
    while True:
        while before(order[low], pivot):
            low += 1
        high -= 1
        while before(pivot, order[high]):
            high -= 1
        if low >= high:
            return low
        order[low], order[high] = order[high], order[low]
        low += 1


def insertion_sort(order: list[int], first: int, last: int, before: Before) -> None:
    """Sorts a range; equals keep their order."""
    for i in range(first + 1, last):
        moving, hole = order[i], i
        while hole > first and before(moving, order[hole - 1]):
            order[hole] = order[hole - 1]
            hole -= 1
        order[hole] = moving


def quick_select(order: list[int], k: int, after: Before) -> None:
    """Puts at place ``k`` what sorting would put there (Hoare's way, as PyTorch's ``kthvalue`` does it)."""
    low, high = 0, len(order) - 1

    def swap(i: int, j: int) -> None:
        order[i], order[j] = order[j], order[i]

    while high > low:
        if high == low + 1:
            if after(order[low], order[high]):
                swap(low, high)
            return
        swap(low + (high - low) // 2, low + 1)
        for i, j in ((low + 1, high), (low, high), (low + 1, low)):
            if after(order[i], order[j]):
                swap(i, j)
        i, j, pivot = low + 1, high, order[low]
        while True:
            i += 1
            while after(pivot, order[i]):
                i += 1
            j -= 1
            while after(order[j], pivot):
                j -= 1
            if j < i:
                break
            swap(i, j)
        swap(low, j)
        if j <= k:
            low = i
        if j >= k:
            high = j - 1


def ascending(values: list[Any]) -> Before:
    """Smaller first, nan last."""
    return lambda i, j: values[i] < values[j] or (values[j] != values[j] and values[i] == values[i])


def descending(values: list[Any]) -> Before:
    """nan first, then larger before smaller."""
    return lambda i, j: values[i] > values[j] or (values[i] != values[i] and values[j] == values[j])


def top(values: list[Any], k: int, largest: bool) -> list[int]:
    """Indices of the k first, in order, as ``topk`` leaves them."""
    before = descending(values) if largest else ascending(values)
    order = list(range(len(values)))
    nth_element(order, k - 1, before)
    insertion_sort(order, 0, k - 1, before)
    return order[:k]
