"""Texts that come from a snippet, made fit for JSON."""

from __future__ import annotations

from typing import Any


def encodable(text: str) -> str:
    """The text with lone surrogates escaped: they are legal in Python strings and illegal in UTF-8, so in JSON."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="backslashreplace").decode()
    return text


def written(value: Any) -> str:
    """How Python writes a plain value; of a whole number that it refuses to write (`sys.set_int_max_str_digits`), that it is one."""
    try:
        return repr(value)
    except ValueError:
        return "a number of very many digits"
