"""Python's own ways out of a language sandbox. They all work and lead nowhere: the kernel stops what follows."""

from __future__ import annotations

import pytest

from engine.sandbox.ending import Ending
from tests.attacks.arena import EPERM, Arena


async def test_walking_subclasses_to_the_shell_starts_nothing(arena: Arena) -> None:
    fight = await arena.fight("""
        for kind in ().__class__.__base__.__subclasses__():
            if kind.__name__ == "_wrap_close":
                print(kind.__init__.__globals__["system"]("echo escaped"))
    """)
    assert fight.said not in ("", "0")
    assert "escaped" not in fight.said


async def test_walking_the_garbage_collector_to_exec_ends_the_run(arena: Arena) -> None:
    fight = await arena.fight("""
        import gc, sys
        found = [*gc.get_objects(), *sys.modules.values()]
        system = next(item for item in found if getattr(item, "__name__", "") == "posix")
        print("found")
        system.execv("/bin/sh", ["sh"])
    """)
    assert fight.ending is Ending.SYSTEM_CALL
    assert fight.said == "found"


async def test_walking_the_frames_finds_the_zygotes_variables_but_no_power(arena: Arena) -> None:
    fight = await arena.fight("""
        import sys
        frame = sys._getframe()
        found = {}
        while frame is not None:
            found.update({name: value for name, value in frame.f_locals.items() if name in ("confinement", "control")})
            frame = frame.f_back
        print(sorted(found))
        try:
            found["control"].send(b"end")
        except OSError as error:
            print("control", error.errno)
        try:
            found["confinement"].confine_child(0)
        except OSError as error:
            print("confinement", error.errno)
    """)
    found, *answers = fight.said.split("\n")
    assert found == "['confinement', 'control']"
    assert answers == ["control 1", "confinement 1"]


async def test_unpickling_a_shell_command_starts_nothing(arena: Arena) -> None:
    fight = await arena.fight("""
        import os, pickle
        class Attack:
            def __reduce__(self):
                return os.system, ("echo escaped",)
        print(pickle.loads(pickle.dumps(Attack())))
    """)
    assert fight.said not in ("", "0")
    assert "escaped" not in fight.said


async def test_importing_by_other_names_gives_nothing_more(arena: Arena) -> None:
    assert await arena.tried("__import__('importlib').import_module('os').open('/etc/passwd', 0)") == EPERM


async def test_the_finders_it_can_put_back_find_nothing(arena: Arena) -> None:
    fight = await arena.fight("""
        import importlib.machinery, sys
        sys.meta_path.insert(0, importlib.machinery.PathFinder)
        sys.path_hooks.append(importlib.machinery.FileFinder.path_hook((importlib.machinery.SourceFileLoader, [".py"])))
        import ftplib
        print(ftplib.FTP)
        import flask
    """)
    assert fight.said == "<ftplib.FTP is not available here>"
    assert fight.error == "ModuleNotFoundError"


async def test_writing_to_a_wild_address_is_a_crash_with_all_steps_so_far(arena: Arena) -> None:
    fight = await arena.fight("import ctypes\nprint('before')\nctypes.memset(1, 0, 1)\nprint('after')")
    assert fight.ending is Ending.CRASH
    assert fight.limit == "crash"
    assert fight.said == "before"
    assert fight.line == 3


async def test_broken_bytecode_harms_only_its_own_run(arena: Arena) -> None:
    fight = await arena.fight("""
        def victim():
            return 0
        print("before")
        victim.__code__ = victim.__code__.replace(co_code=bytes([100, 250] * 20), co_consts=())
        victim()
    """)
    assert fight.ending in (Ending.CRASH, Ending.ANSWERED)
    assert fight.said.startswith("before")


async def test_a_number_changed_in_the_interpreter_is_itself_again_in_the_next_run(arena: Arena) -> None:
    """The arena's honest run computes 42 in a fork that never saw this."""
    fight = await arena.fight("""
        import ctypes
        ctypes.c_int.from_address(id(42) + 24).value = 41
        print(6 * 7 == 41)
    """)
    assert fight.said == "True"


@pytest.mark.parametrize("name", ["print", "len", "isinstance", "getattr", "type", "compile", "exec", "open", "super"])
async def test_a_patched_builtin_harms_only_its_own_run(arena: Arena, name: str) -> None:
    await arena.fight(f"import builtins\nbuiltins.{name} = None\nprint(1)")


async def test_all_builtins_removed_harm_only_their_own_run(arena: Arena) -> None:
    await arena.fight("import builtins\nbuiltins.__dict__.clear()\nprint(1)")


async def test_a_patched_engine_harms_only_its_own_run(arena: Arena) -> None:
    await arena.fight("""
        import sys
        import torch
        torch.tensor = lambda *_, **__: 0
        for name, module in list(sys.modules.items()):
            if name.startswith("engine."):
                for key, value in list(vars(module).items()):
                    if callable(value) and not key.startswith("__"):
                        setattr(module, key, lambda *_, **__: None)
    """)
    fight = await arena.fight("import torch\nprint(torch.tensor(3.0).item())")
    assert fight.said == "3.0"


async def test_removed_modules_harm_only_their_own_run(arena: Arena) -> None:
    await arena.fight("import sys\nsys.modules.clear()\nprint(1)")


async def test_a_trace_function_cannot_reach_the_next_run(arena: Arena) -> None:
    await arena.fight("import sys\nsys.settrace(lambda *_: 1 / 0)\nsys.setprofile(lambda *_: 1 / 0)\nx = [1]\nx.sort()")


async def test_an_audit_hook_cannot_reach_the_next_run(arena: Arena) -> None:
    await arena.fight("import sys\nsys.addaudithook(lambda *_: 1 / 0)")
