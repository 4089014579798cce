"""Attributes in one table per class (PEP 412), for the classes of which every operation makes instances.

Python keeps the names of instance attributes once per class, and reads them from there by position. But a name gets into that
table only while the first thirty or so instances are made; whoever sets another one later gets a dictionary of his own,
which makes the instance dearer and every access slower. So the names are told before there is any instance.
"""

from __future__ import annotations


def share_keys(kind: type, names: str) -> None:
    """Puts ``names`` (words) into the class's table, the most frequent first: an instance has room for all of them."""
    instance: object = object.__new__(kind)
    for name in names.split():
        setattr(instance, name, None)
