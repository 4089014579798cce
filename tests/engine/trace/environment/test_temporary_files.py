"""Files of ``tempfile`` behave as on a machine, are forgotten when they are closed, and are named alike in every run."""

from __future__ import annotations

import tempfile

from engine.trace.play import play

PROGRAM = """
import os, tempfile, torch
with tempfile.NamedTemporaryFile(suffix='.pt') as file:
    torch.save(torch.arange(3), file)
    file.seek(0)
    print(torch.load(file), os.path.exists(file.name), file.name.endswith('.pt'))
print(os.path.exists(file.name), file.closed)
with tempfile.NamedTemporaryFile('w+', delete=False) as file:
    file.write('two\\nlines')
    file.seek(0)
    print(list(file))
print(open(file.name).read().split())
os.unlink(file.name)
with tempfile.TemporaryFile() as file:
    print(file.write(b'abc'), file.seek(0), file.read())
file.close()
with tempfile.TemporaryDirectory() as folder:
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        print(len(os.listdir(folder)), os.path.dirname(file.name) == folder)
print(os.path.exists(folder))
"""
NAMES = """
import tempfile
print(tempfile.mkdtemp(), tempfile.NamedTemporaryFile(prefix='run').name)
"""


def test_temporary_files_are_there_until_they_are_closed() -> None:
    trace = play(PROGRAM, words=False)
    assert trace.stdout.splitlines() == [
        "tensor([0, 1, 2]) True True",
        "False True",
        "['two\\n', 'lines']",
        "['two', 'lines']",
        "3 0 b'abc'",
        "1 True",
        "False",
    ]


def test_names_are_the_same_in_every_run() -> None:
    assert (
        play(NAMES, words=False).stdout
        == play(NAMES, words=False).stdout
        == "/snippet/tmp00000000 /snippet/run00000001\n"
    )


def test_outside_of_a_run_files_are_the_machine_s() -> None:
    before = tempfile.NamedTemporaryFile
    play(PROGRAM, words=False)
    assert tempfile.NamedTemporaryFile is before
