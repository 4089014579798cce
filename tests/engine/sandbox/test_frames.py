"""Messages between host, zygote and child arrive whole or not at all."""

from __future__ import annotations

import os

import pytest

from engine.sandbox import frames
from engine.sandbox.frames import HEADER, Assembler, FrameError, Kind, TooLong, pack


def test_a_frame_arrives_whole_whatever_the_pieces() -> None:
    frame = pack(Kind.DOCUMENT, b"content")
    assembler = Assembler(100)
    arrived = [assembler.feed(frame[index : index + 1]) for index in range(len(frame))]
    assert arrived[:-1] == [None] * (len(frame) - 1)
    assert arrived[-1] == (Kind.DOCUMENT, b"content")


def test_what_follows_a_whole_frame_is_ignored() -> None:
    assert Assembler(100).feed(pack(Kind.DOCUMENT, b"first") + pack(Kind.DOCUMENT, b"second")) == (
        Kind.DOCUMENT,
        b"first",
    )


def test_an_announced_length_is_refused_before_the_content_is_read() -> None:
    with pytest.raises(TooLong, match="announces 4294967295 bytes; at most 100"):
        Assembler(100).feed(HEADER.pack(0xFFFFFFFF, b"D"))


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(FrameError, match="unknown kind"):
        Assembler(100).feed(b"\0\0\0\1\0x")


def test_an_empty_frame_is_a_frame() -> None:
    assert Assembler(100).feed(pack(Kind.PLAY, b"")) == (Kind.PLAY, b"")


def test_send_and_receive_are_each_others_opposite() -> None:
    out, into = os.pipe()
    try:
        frames.send(into, Kind.FINISH, b"x" * 1000)
        assert frames.receive(out, 1000) == (Kind.FINISH, b"x" * 1000)
    finally:
        os.close(out)
        os.close(into)


def test_a_pipe_that_closes_in_the_middle_gives_nothing() -> None:
    out, into = os.pipe()
    os.write(into, pack(Kind.PLAY, b"half")[:-1])
    os.close(into)
    try:
        assert frames.receive(out, 1000) is None
    finally:
        os.close(out)
