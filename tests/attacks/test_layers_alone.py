"""Each escape meets at least two independent layers: with all but one taken away, the one that is left stops it.

What rests on one layer is listed in `RESTS_ON_SECCOMP`, and the list is tested too.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Collection

import msgspec
import pytest

from engine.sandbox.confinement.layers import LAYERS, ON
from engine.sandbox.ending import Ending
from engine.sandbox.frames import Kind
from engine.sandbox.limits import Limits
from engine.sandbox.worker import ZygoteWorker
from engine.trace.document import Trace
from tests.attacks.arena import attempt, system_call

CONNECT = "(lambda s: s.connect(('127.0.0.1', 9)))(__import__('_socket').socket(2, 1))"
BIND = "(lambda s: s.bind(('127.0.0.1', 0)))(__import__('_socket').socket(2, 1))"

HERE = "(ctypes.c_uint64 * 2)(ctypes.addressof(room), 8)"
THERE = "(ctypes.c_uint64 * 2)(id(None), 8)"

PYTHON: dict[str, tuple[str, dict[str, set[str]]]] = {
    # attack: the statement, and for each layer that stands alone the errnos it may stop it with
    "read a file": (
        "open('/etc/passwd').read()",
        {"seccomp": {"EPERM"}, "landlock": {"EACCES"}, "empty_root": {"ENOENT"}},
    ),
    "write a file": (
        "open('/srv/backplay-attack', 'w').write('x')",
        {"seccomp": {"EPERM"}, "landlock": {"EACCES"}, "empty_root": {"EROFS", "ENOENT"}},
    ),
    "make a directory": (
        "os.mkdir('/srv/backplay-attack')",
        {"seccomp": {"EPERM"}, "landlock": {"EACCES"}, "empty_root": {"ENOENT", "EROFS"}},
    ),
    "list a directory": (
        "os.listdir('/etc')",
        {"seccomp": {"EPERM"}, "landlock": {"EACCES"}, "empty_root": {"ENOENT"}},
    ),
    "probe with stat": ("os.stat('/etc/passwd')", {"seccomp": {"EPERM"}, "empty_root": {"ENOENT"}}),
    "read its parent's environment": (
        "open(f'/proc/{os.getppid()}/environ').read()",
        {"seccomp": {"EPERM"}, "landlock": {"EACCES"}, "empty_root": {"ENOENT"}},
    ),
    "run a program": (
        "os.execv('/bin/sh', ['sh'])",
        {"seccomp": {"SIGSYS"}, "landlock": {"EACCES"}, "empty_root": {"ENOENT"}},
    ),
    "connect over TCP": (CONNECT, {"seccomp": {"EPERM"}, "landlock": {"EACCES"}, "namespaces": {"ENETUNREACH"}}),
    "listen": (BIND, {"seccomp": {"EPERM"}, "landlock": {"EACCES"}}),
    "fork": ("os.fork()", {"seccomp": {"EPERM"}, "rlimits": {"EAGAIN"}}),
    "kill its parent": ("os.kill(os.getppid(), 9)", {"seccomp": {"EPERM"}, "landlock": {"EPERM"}}),
    "stop its parent": ("os.kill(os.getppid(), 19)", {"seccomp": {"EPERM"}, "landlock": {"EPERM"}}),
    "become root": ("os.setuid(0)", {"seccomp": {"EPERM"}, "capabilities": {"EPERM"}}),
    "open many files": ("[os.dup(3) for _ in range(9)]", {"seccomp": {"EPERM"}, "rlimits": {"EMFILE"}}),
}

RAW: dict[str, tuple[str, list[str], dict[str, set[str]]]] = {
    "mount": (
        "mount",
        ["b'none'", "b'/tmp'", "b'tmpfs'", "0", "None"],
        {"seccomp": {"SIGSYS"}, "capabilities": {"EPERM"}, "landlock": {"EPERM"}},
    ),
    "trace its parent": (
        "ptrace",
        ["16", "os.getppid()", "0", "0"],
        {"seccomp": {"SIGSYS"}, "landlock": {"EPERM"}},
    ),
    "read its parent's memory": (
        "process_vm_readv",
        ["os.getppid()", HERE, "1", THERE, "1", "0"],
        {"seccomp": {"SIGSYS"}, "landlock": {"EPERM"}},
    ),
    "change its root": ("chroot", ["b'/tmp'"], {"seccomp": {"SIGSYS"}, "capabilities": {"EPERM"}}),
    "lock memory": ("mlock", ["room", "4096"], {"seccomp": {"EPERM"}, "rlimits": {"EPERM", "ENOMEM"}}),
    "end the machine": ("reboot", ["0", "0", "0", "None"], {"seccomp": {"SIGSYS"}, "capabilities": {"EPERM"}}),
}

RESTS_ON_SECCOMP = {
    "memory that is writable and executable": ("mmap", ["0", "4096", "7", "0x22", "-1", "0"]),
    "user page faults on its own memory": ("userfaultfd", ["1"]),
    "a file in memory": ("memfd_create", ["b'x'", "0"]),
}
"""Calls that only the filter stops. None of them reaches anything by itself; each makes a next step easier."""

HELPERS = {"nobody", "no_new_privileges"}
"""They stop nothing by themselves; the others need them."""
NEEDS = {"empty_root": {"namespaces"}}


@contextlib.asynccontextmanager
async def only(standing: Collection[str]) -> AsyncIterator[ZygoteWorker]:
    """A worker with these layers and no others."""
    worker = ZygoteWorker(Limits(wall_seconds=4.0), omit=set(LAYERS) - set(standing), replace_suspicious=False)
    try:
        await worker.start()
        yield worker
    finally:
        await worker.stop()


Layered = Callable[[Collection[str]], Awaitable[ZygoteWorker]]


@pytest.fixture(scope="module")
async def layered() -> AsyncIterator[Layered]:
    """One worker per choice of layers, started when first asked for: most of an attack's time is starting it."""
    async with contextlib.AsyncExitStack() as stack:
        kept: dict[frozenset[str], ZygoteWorker] = {}

        async def with_only(standing: Collection[str]) -> ZygoteWorker:
            choice = frozenset(standing)
            if choice in kept:
                await kept[choice].renew()
            else:
                kept[choice] = await stack.enter_async_context(only(choice))
            return kept[choice]

        yield with_only


async def outcome(code: str, worker: ZygoteWorker, standing: Collection[str]) -> str:
    """How the attack ends under these layers."""
    refused = {name: worker.report.layers[name] for name in standing if worker.report.layers[name] != ON}
    if refused:
        pytest.skip(f"this system does not allow the layer: {refused}")
    attempt = await worker.ask(Kind.PLAY, code.encode())
    if attempt.ending is Ending.SYSTEM_CALL:
        return "SIGSYS"
    assert attempt.answer is not None, attempt.ending
    return msgspec.json.decode(attempt.answer, type=Trace).stdout.strip().removeprefix("calling\n")


PYTHON_CASES = [(name, layer) for name, (_, stops) in PYTHON.items() for layer in stops]
RAW_CASES = [(name, layer) for name, (_, _, stops) in RAW.items() for layer in stops]


@pytest.mark.parametrize(
    ("name", "layer"), PYTHON_CASES, ids=[f"{name}, {layer} alone" for name, layer in PYTHON_CASES]
)
async def test_an_attack_is_stopped_by(layered: Layered, name: str, layer: str) -> None:
    statement, stops = PYTHON[name]
    standing = HELPERS | {layer} | NEEDS.get(layer, set())
    assert await outcome(attempt(statement), await layered(standing), standing) in stops[layer]


@pytest.mark.parametrize(("name", "layer"), RAW_CASES, ids=[f"{name}, {layer} alone" for name, layer in RAW_CASES])
async def test_a_raw_call_is_stopped_by(layered: Layered, name: str, layer: str) -> None:
    call, arguments, stops = RAW[name]
    standing = HELPERS | {layer} | NEEDS.get(layer, set())
    assert await outcome(system_call(call, *arguments), await layered(standing), standing) in stops[layer]


@pytest.mark.parametrize("name", RESTS_ON_SECCOMP)
async def test_what_rests_on_one_layer_is_listed_as_such(layered: Layered, name: str) -> None:
    call, arguments = RESTS_ON_SECCOMP[name]
    with_it, others = HELPERS | {"seccomp"}, set(LAYERS) - {"seccomp", "rlimits"}
    assert await outcome(system_call(call, *arguments), await layered(with_it), with_it) in ("EPERM", "SIGSYS")
    without = await outcome(system_call(call, *arguments), await layered(others), others)
    assert without.startswith("GOT"), f"another layer gives {without}: take it off the list"


@pytest.mark.parametrize(
    "name", ["read a file", "list a directory", "probe with stat", "listen", "fork", "open many files"]
)
async def test_without_any_layer_the_attack_succeeds(name: str) -> None:
    """The control: an attack that fails anyway would prove nothing about the layers."""
    statement, _ = PYTHON[name]
    async with only(()) as worker:
        assert (await outcome(attempt(statement), worker, ())).startswith("GOT")
