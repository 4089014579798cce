"""Texts that come from a snippet, made fit for JSON."""

from __future__ import annotations


def encodable(text: str) -> str:
    """The text with lone surrogates escaped: they are legal in Python strings and illegal in UTF-8, so in JSON."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="backslashreplace").decode()
    return text
