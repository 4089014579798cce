"""Stopped by seccomp (EPERM: nothing to talk through can be made), the network and IPC namespaces, Landlock."""

from __future__ import annotations

import pytest

from tests.attacks.arena import EPERM, Arena

REFUSED = {
    "TCP": "__import__('_socket').socket(2, 1)",
    "TCP over IPv6": "__import__('_socket').socket(10, 1)",
    "UDP": "__import__('_socket').socket(2, 2)",
    "raw packets": "__import__('_socket').socket(2, 3, 1)",
    "netlink": "__import__('_socket').socket(16, 3)",
    "a unix socket, abstract or not": "__import__('_socket').socket(1, 1)",
    "the kernel's crypto sockets": "__import__('_socket').socket(38, 5)",
    "virtual machine sockets": "__import__('_socket').socket(40, 1)",
    "a pair of sockets": "__import__('_socket').socketpair()",
    "a pipe": "os.pipe()",
    "an event counter": "os.eventfd(0)",
}


@pytest.mark.parametrize("statement", REFUSED.values(), ids=REFUSED.keys())
async def test_a_snippet_cannot_open(arena: Arena, statement: str) -> None:
    assert await arena.tried(statement) == EPERM


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("shmget", ["0", "4096", "0o1666"]),
        ("msgget", ["0", "0o1666"]),
        ("semget", ["0", "1", "0o1666"]),
        ("mq_open", ["b'attack'", "66", "0o666", "None"]),
    ],
)
async def test_a_snippet_cannot_leave_objects_in_the_kernel(arena: Arena, call: str, arguments: list[str]) -> None:
    assert await arena.called(call, *arguments) == EPERM


@pytest.mark.parametrize("call", ["sendmsg", "sendto", "recvmsg", "fcntl", "dup3", "close"])
async def test_descriptors_it_inherited_cannot_be_used_otherwise(arena: Arena, call: str) -> None:
    assert await arena.called(call, "3", "room", "16", "0", "0", "0") == EPERM


async def test_a_name_cannot_be_looked_up(arena: Arena) -> None:
    fight = await arena.fight("import _socket\nprint(_socket.getaddrinfo('example.org', 80))")
    assert fight.error is not None
    assert fight.said == ""
