"""Switches of a module that hold for the time of a ``with``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def set_inside(namespace: dict[str, Any], **wanted: Any) -> Iterator[None]:
    """The names of ``namespace`` mean what is ``wanted`` inside, and what they meant before afterwards."""
    before = {name: namespace[name] for name in wanted}
    namespace.update(wanted)
    try:
        yield
    finally:
        namespace.update(before)
