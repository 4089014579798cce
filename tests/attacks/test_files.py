"""Stopped by seccomp (EPERM: no call takes a path or opens a descriptor), Landlock and the empty root."""

from __future__ import annotations

import pytest

from tests.attacks.arena import EPERM, Arena
from tests.attacks.conftest import SECRET

REFUSED = {
    "read a file": "open('/etc/passwd').read()",
    "read with raw descriptors": "os.read(os.open('/etc/passwd', os.O_RDONLY), 10)",
    "write a file": "open('/srv/attack', 'w').write('x')",
    "create a file at the root": "open('/attack.py', 'x')",
    "make a directory": "os.mkdir('/srv/attack')",
    "make a symbolic link": "os.symlink('/etc/passwd', '/tmp/attack')",
    "make a hard link": "os.link('/etc/passwd', '/tmp/attack')",
    "rename": "os.rename('/etc/passwd', '/etc/attack')",
    "remove": "os.unlink('/etc/passwd')",
    "change a mode": "os.chmod('/etc/passwd', 0o777)",
    "change an owner": "os.chown('/etc/passwd', 0, 0)",
    "change times": "os.utime('/etc/passwd')",
    "cut a file": "os.truncate('/etc/passwd', 0)",
    "make a device": "os.mknod('/tmp/attack', 0o20666, os.makedev(1, 3))",
    "make a pipe with a name": "os.mkfifo('/tmp/attack')",
    "probe with stat": "os.stat('/etc/passwd')",
    "probe with access rights": "os.statvfs('/')",
    "list a directory": "os.listdir('/')",
    "walk into a directory": "os.chdir('/tmp')",
    "ask where it is": "__import__('posix').getcwd()",
    "read its own memory map": "open('/proc/self/maps').read()",
    "write its own memory": "open('/proc/self/mem', 'r+b')",
    "read its parent's environment": "open(f'/proc/{os.getppid()}/environ').read()",
    "read the first process's command line": "open('/proc/1/cmdline').read()",
    "follow a link in proc": "os.readlink('/proc/self/exe')",
    "list its descriptors": "os.listdir('/proc/self/fd')",
    "use shared memory": "open('/dev/shm/attack', 'w')",
    "read a device": "open('/dev/zero', 'rb').read(1)",
    "change its root": "os.open('/', os.O_DIRECTORY)",
    "set an extended attribute": "os.setxattr('/etc/passwd', 'user.x', b'1')",
    "duplicate a descriptor": "os.dup(3)",
    "read the host's answer pipe": "os.read(3, 10)",
    "write to standard output behind the recorder's back": "os.write(1, b'x')",
}


@pytest.mark.parametrize("statement", REFUSED.values(), ids=REFUSED.keys())
async def test_a_snippet_cannot(arena: Arena, statement: str) -> None:
    assert await arena.tried(statement) == EPERM


@pytest.mark.parametrize("call", ["openat2", "linkat", "truncate", "fchmodat2"])
async def test_a_newer_call_for_files_is_refused(arena: Arena, call: str) -> None:
    assert await arena.called(call, "-100", "b'/etc/passwd'", "room", "24", "0") == EPERM


@pytest.mark.parametrize("call", ["open_by_handle_at", "name_to_handle_at"])
async def test_opening_past_the_file_tree_ends_the_run(arena: Arena, call: str) -> None:
    assert await arena.called(call, "-100", "room", "0", "0", "0") == "SIGSYS"


async def test_every_descriptor_but_the_question_is_shut(arena: Arena) -> None:
    fight = await arena.fight("""
        import os
        opened = []
        for descriptor in range(64):
            if descriptor == 4:
                continue
            try:
                os.read(descriptor, 1)
                opened.append(descriptor)
            except OSError as error:
                assert error.errno == 1
        print(opened)
    """)
    assert fight.said == "[]"


async def test_the_question_pipe_holds_nothing_more(hasty: Arena) -> None:
    """The host keeps its end open, so reading on blocks until the wall clock ends it; nothing else can arrive there."""
    fight = await hasty.fight("import os\nprint('before')\nprint(os.read(4, 100))")
    assert fight.limit == "wall"
    assert fight.said == "before"


async def test_the_environment_holds_nothing_of_the_hosts(arena: Arena) -> None:
    fight = await arena.fight("import os\nprint(dict(os.environ))")
    assert SECRET not in fight.said
    assert "PATH" not in fight.said


async def test_a_module_that_was_not_loaded_ahead_is_said_to_be_missing(arena: Arena) -> None:
    fight = await arena.fight("import flask")
    assert fight.error == "ModuleNotFoundError"
    assert fight.trace.outcome.message.startswith("No module named 'flask'")
    assert "torch, numpy" in fight.trace.outcome.message


async def test_a_module_of_pythons_own_that_needs_files_is_a_stand_in_that_refuses(arena: Arena) -> None:
    fight = await arena.fight("import sqlite3\nprint('imported')\nsqlite3.connect('x')")
    assert (fight.said, fight.error) == ("imported", "ModuleNotFoundError")
    assert fight.trace.outcome.message == "No module named 'sqlite3' here, so sqlite3.connect cannot be used"
