"""Lies about the result: what is no trace of the snippet, by type and by content, is refused."""

from __future__ import annotations

import json

import pytest

from engine.sandbox.ending import Ending
from tests.attacks.arena import Arena
from tests.attacks.calls import number

FRAME = "import os, struct\ndef answer(content):\n    os.write(3, struct.pack('>Ic', len(content), b'D') + content)\n"
EMPTY = {
    "outcome": {"status": "ok"},
    "stdout": "forged",
    "scopes": [{"kind": "program", "title": ""}],
    "chapters": [],
    "nodes": [],
    "tensors": [],
    "steps": [{"kind": "ended", "status": "ok"}],
}

LIES = {
    "garbage": FRAME + "answer(b'garbage')",
    "nothing": FRAME + "answer(b'')",
    "not utf-8": FRAME + "answer(b'\\xff' * 100)",
    "brackets without end": FRAME + "answer(b'[' * 60_000)",
    "a number without end": FRAME + "answer(b'{\"folded\":' + b'9' * 60_000 + b'}')",
    "another snippet's trace": FRAME + f"answer({json.dumps({'code': 'other', **EMPTY})!r}.encode())",
    "an unknown field": FRAME + f"answer({json.dumps({'code': '', 'admin': True, **EMPTY})!r}.encode())",
    "half a surrogate": FRAME + 'answer(b\'{"code":"\\\\ud800"}\')',
    "a frame of another kind": "import os, struct\nos.write(3, struct.pack('>Ic', 1, b'X') + b'x')",
}


@pytest.mark.parametrize("code", LIES.values(), ids=LIES.keys())
async def test_a_lie_is_refused_and_said_to_be_one(arena: Arena, code: str) -> None:
    fight = await arena.fight(code)
    assert fight.ending is Ending.FORGED
    assert fight.limit == "forged"
    assert fight.trace.code == code
    assert "forged" not in fight.said


async def test_an_announced_flood_is_refused_before_it_is_read(arena: Arena) -> None:
    fight = await arena.fight("import os, struct\nprint('before')\nos.write(3, struct.pack('>Ic', 0xFFFFFFFF, b'D'))")
    assert fight.ending is Ending.SIZE
    assert fight.said == "before"


async def test_a_frame_that_never_ends_meets_the_wall_clock(hasty: Arena) -> None:
    fight = await hasty.fight(
        "import os, struct, time\nos.write(3, struct.pack('>Ic', 100, b'D'))\ntime.sleep(600)\nprint('after')"
    )
    assert fight.ending is Ending.WALL
    assert fight.line == 3


async def test_only_the_first_of_two_documents_counts(arena: Arena) -> None:
    """The recorder's own, which comes second, is not read any more."""
    fight = await arena.fight(FRAME + "answer(b'first')\nprint('honest')")
    assert fight.ending is Ending.FORGED
    assert "honest" not in fight.said


async def test_forging_ones_own_trace_is_possible_and_stays_with_its_author(arena: Arena) -> None:
    """The one attack that stays open: a run shares its process with the recorder. The next run is honest (`Arena`)."""
    fight = await arena.fight("""
        import sys
        frame = sys._getframe()
        while "content" not in frame.f_locals:
            frame = frame.f_back
        code = frame.f_locals["content"].decode()
        import json, os, struct
        end = {"kind": "ended", "status": "ok"}
        tables = {"nodes": [], "tensors": [], "chapters": [], "scopes": [{"kind": "program", "title": ""}]}
        said = "<b>forged</b>\\u202e"
        trace = {"code": code, "outcome": {"status": "ok"}, "stdout": said, "steps": [end], **tables}
        content = json.dumps(trace).encode()
        os.write(3, struct.pack(">Ic", len(content), b"D") + content)
    """)
    assert fight.ending is Ending.ANSWERED
    assert fight.trace.stdout == "<b>forged</b>\N{REPLACEMENT CHARACTER}"


async def test_a_forged_journal_deceives_nobody_either(hasty: Arena) -> None:
    fight = await hasty.fight("""
        import sys, time
        frame = sys._getframe()
        while "journal" not in frame.f_locals:
            frame = frame.f_back
        memory = frame.f_locals["journal"]._memory
        memory[:8] = (1 << 50).to_bytes(8, "little")
        memory[8:4096] = b"\\xff" * 4088
        time.sleep(600)
    """)
    assert fight.ending is Ending.WALL
    assert fight.trace.outcome.limit == "wall"
    assert len(fight.trace.steps) == 1


async def test_a_journal_with_wild_ids_is_refused(hasty: Arena) -> None:
    fight = await hasty.fight("""
        import sys, time
        frame = sys._getframe()
        while "journal" not in frame.f_locals:
            frame = frame.f_back
        journal = frame.f_locals["journal"]
        from engine.trace.events import NodeMade
        from engine.trace.tape import Batch
        journal.write(Batch([NodeMade(node=10 ** 6)], [], {}, {}))
        time.sleep(600)
    """)
    assert fight.trace.outcome.limit == "wall"
    assert all(step.scope == 0 for step in fight.trace.steps)
    assert len(fight.trace.steps) == 1


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("print('before')\nraise SystemExit(3)", "ok"),
        ("print('before')\nimport sys\nsys.exit()", "ok"),
        ("print('before')\nraise KeyboardInterrupt", "error"),
        ("print('before')\nraise GeneratorExit", "error"),
        ("print('before')\nclass Odd(BaseException): pass\nraise Odd", "error"),
        ("print('before')\nimport os\nos.abort()", "limit"),
    ],
    ids=["SystemExit", "sys.exit", "KeyboardInterrupt", "GeneratorExit", "an exception of its own", "abort"],
)
async def test_leaving_early_still_plays(arena: Arena, code: str, status: str) -> None:
    fight = await arena.fight(code)
    assert fight.said == "before"
    assert fight.trace.outcome.status == status


async def test_lone_surrogates_and_control_characters_are_printed_as_replacements(arena: Arena) -> None:
    fight = await arena.fight("print('\\ud800 \\x1b[31m \\x00 \\x9b')")
    assert fight.ending is Ending.ANSWERED
    assert "\x1b" not in fight.trace.stdout
    assert "\x00" not in fight.trace.stdout


async def test_an_error_whose_text_raises_still_plays(arena: Arena) -> None:
    fight = await arena.fight("class Mean(Exception):\n    def __str__(self): raise self\nraise Mean")
    assert fight.error == "Mean"


async def test_what_stays_in_memory_of_a_run_is_not_in_the_next(arena: Arena) -> None:
    """Scans the next run's heap for the previous source; the same scan finds the running snippet's own marker."""
    scan = """
import ctypes, errno, gc
FUTEX = @FUTEX@
library = ctypes.CDLL(None, use_errno=True)
at_once = (ctypes.c_long * 2)(0, 0)
wait, futex, address = library.syscall, ctypes.c_long(FUTEX), ctypes.c_void_p
def count(marker):
    spots = {id(item) >> 20 for item in [*gc.get_objects(), *range(100_000, 200_000, 7)]}
    spots |= {(id(bytes(1 << size)) >> 20) for size in range(5, 19)}
    near = {spot + offset for spot in spots for offset in (-1, 0, 1)}
    found = 0
    for spot in near:
        run = bytearray()
        for page in range(spot << 20, (spot + 1) << 20, 4096):
            # Waiting for a value reads it: EFAULT says that the page cannot be read, without a crash.
            if wait(futex, address(page), 128, 0xDEADBEEF, at_once, None, 0) and ctypes.get_errno() != errno.EFAULT:
                run += ctypes.string_at(page, 4096)
        found += run.count(marker)
    return found
""".replace("@FUTEX@", str(number("futex")))
    marker = "the-previous-person-wrote-this"
    before = await arena.pool.run(f"# {marker}\nx = '{marker}'\n{scan}\nprint(count(b'{marker}'))", deadline=120)
    document = json.loads(before.document)
    assert document["outcome"]["status"] == "ok", document["outcome"]  # a heap of so many pages costs work
    assert int(document["stdout"]) > 0, "the scan must find what is there, or it proves nothing"
    halves = marker[:12], marker[12:]
    for _ in range(3):
        fight = await arena.fight(f"{scan}\nprint(count(b''.join([b'{halves[0]}', b'{halves[1]}'])))")
        # The scan's own joined bytes are one hit; a copy of it may be another. The source held the marker three times.
        assert fight.said == "1"
