"""Each client gets the coding it can read."""

from __future__ import annotations

import gzip

import pytest

from app import compression

from .conftest import Exchange


@pytest.mark.parametrize(
    ("header", "coding"),
    [
        (None, "identity"),
        ("", "identity"),
        ("gzip, deflate", "gzip"),
        ("gzip, deflate, br, zstd", "zstd"),
        ("zstd;q=0, gzip;q=0.5", "gzip"),
        ("*", "zstd"),
        ("*;q=0.1, zstd;q=0", "gzip"),
        ("identity", "identity"),
        ("gzip;q=nonsense", "identity"),
        ("GZIP", "gzip"),
    ],
)
def test_the_best_accepted_coding_is_chosen(header: str | None, coding: str) -> None:
    assert compression.accepted(header) == coding


@pytest.mark.parametrize("coding", ["zstd", "gzip", "identity"])
def test_a_packed_trace_survives_every_coding(coding: str) -> None:
    body = b'{"steps": []}' * 1000
    sent = compression.recode(compression.pack(body), coding)
    read = {"zstd": compression.unpack, "gzip": gzip.decompress, "identity": bytes}[coding]
    assert read(sent) == body


@pytest.mark.parametrize("coding", ["zstd", "gzip", "identity"])
def test_a_trace_says_how_it_is_coded_and_that_it_varies(ask: Exchange, coding: str) -> None:
    answer = ask("POST", "/api/runs", json={"code": "x = 1" * 1000}, headers={"Accept-Encoding": coding})
    assert answer.headers.get("Content-Encoding", "identity") == coding
    assert "Accept-Encoding" in answer.headers["Vary"]
    body = (
        compression.unpack(answer.content)
        if coding == "zstd" and not answer.content.startswith(b"{")
        else answer.content
    )
    assert body.startswith(b'{"code"')
