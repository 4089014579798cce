"""Files under relative paths live in memory as long as the run, and behave as files do; none is written on the machine."""

from __future__ import annotations

import builtins
import os
import tempfile
from pathlib import Path

import pytest

from engine.torch import serialization
from engine.trace.play import play

CHECKPOINTS = """
import os, torch
os.makedirs('runs/a', exist_ok=True)
os.makedirs('runs/a', exist_ok=True)
torch.save({'epoch': 3}, 'runs/a/last.pt')
print(os.path.exists('runs/a/last.pt'), os.path.isfile('runs/a'), os.path.isdir('runs'), os.listdir('runs'))
print(torch.load('./runs/a/../a/last.pt'), os.path.getsize('runs/a/last.pt') > 10)
os.replace('runs/a/last.pt', 'best.pt')
print(os.listdir('runs/a'), os.path.exists('best.pt'))
os.remove('best.pt')
print(os.path.exists('best.pt'))
"""
PATHS = """
from pathlib import Path
import torch, glob, shutil
folder = Path('ckpt')
folder.mkdir(parents=True, exist_ok=True)
for epoch in range(2):
    torch.save(torch.ones(epoch), folder / f'e{epoch}.pt')
(folder / 'note.txt').write_text('two\\nlines')
print(sorted(p.name for p in folder.glob('*.pt')), sorted(glob.glob('ckpt/*')))
print((folder / 'note.txt').read_text().splitlines(), (folder / 'e1.pt').exists(), folder.is_dir())
(folder / 'note.txt').unlink()
print([p.name for p in folder.iterdir()])
print(shutil.copyfile('ckpt/e1.pt', 'ckpt/best.pt'), shutil.copy('ckpt/e0.pt', '.'), torch.load('ckpt/best.pt'))
shutil.move('e0.pt', 'moved.pt')
print(sorted(glob.glob('*.pt')))
shutil.rmtree(folder)
print(folder.exists())
"""
MODES = """
import json, pickle, csv
import numpy as np
with open('log.txt', 'w') as f:
    print('epoch 1', file=f)
with open('log.txt', 'a') as f:
    f.write('epoch 2\\n')
print(open('log.txt').readlines(), f.closed, f.mode, f.name)
with open('m.json', 'w') as f:
    json.dump({'loss': [0.5]}, f)
print(json.load(open('m.json')))
with open('m.pkl', 'wb') as f:
    pickle.dump((1, 2), f)
print(pickle.load(open('m.pkl', 'rb')))
with open('m.csv', 'w', newline='') as f:
    csv.writer(f).writerows([['epoch', 'loss'], [1, 0.5]])
print([line.strip() for line in open('m.csv')])
np.save('a.npy', np.ones(2))
print(np.load('a.npy'))
with open('log.txt', 'r+') as f:
    f.write('EPOCH')
    f.seek(0)
    print(f.read(7))
"""
ABSOLUTE = """
import os, tempfile, torch
from pathlib import Path
here = os.path.dirname(os.path.abspath(__file__))
print(here == os.getcwd() == str(Path.cwd()) == str(Path(__file__).resolve().parent), os.path.relpath(os.path.join(here, 'a')))
folder = os.path.join(os.getcwd(), 'ckpt')
os.makedirs(folder, exist_ok=True)
torch.save(torch.ones(1), os.path.join(folder, 'm.pt'))
(Path.cwd() / 'ckpt' / 'log.txt').write_text('epoch 1')
print(os.listdir('ckpt') == os.listdir(folder) == ['m.pt', 'log.txt'], os.path.isdir(here), Path('ckpt').resolve().exists())
print(torch.load('ckpt/m.pt'), torch.load(folder + '/m.pt'), open(os.path.abspath('ckpt/log.txt')).read())
with tempfile.TemporaryDirectory() as folder:
    torch.save(torch.zeros(1), os.path.join(folder, 'best.pt'))
    print(torch.load(os.path.join(folder, 'best.pt')), os.listdir(folder))
print(os.path.exists(folder))
"""


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        (ABSOLUTE, "True a\nTrue True True\ntensor([1.]) tensor([1.]) epoch 1\ntensor([0.]) ['best.pt']\nFalse\n"),
        (CHECKPOINTS, "True False True ['a']\n{'epoch': 3} True\n[] True\nFalse\n"),
        (
            PATHS,
            (
                "['e0.pt', 'e1.pt'] ['ckpt/e0.pt', 'ckpt/e1.pt', 'ckpt/note.txt']\n['two', 'lines'] True True\n"
                "['e0.pt', 'e1.pt']\nckpt/best.pt ./e0.pt tensor([1.])\n['moved.pt']\nFalse\n"
            ),
        ),
        (
            MODES,
            "['epoch 1\\n', 'epoch 2\\n'] True a log.txt\n{'loss': [0.5]}\n(1, 2)\n['epoch,loss', '1,0.5']\n[1. 1.]\nEPOCH 1\n",
        ),
    ],
)
def test_program_finds_what_it_wrote(code: str, printed: str) -> None:
    trace = play(code, words=False)
    assert (trace.outcome.message, trace.stdout) == ("", printed)


@pytest.mark.parametrize(
    ("code", "error", "message"),
    [
        ("open('data.csv')", "FileNotFoundError", "[Errno 2] No such file or directory: 'data.csv'"),
        ("open('a/b.txt', 'w')", "FileNotFoundError", "[Errno 2] No such file or directory: 'a/b.txt'"),
        ("import torch\ntorch.save(1, 'a/b.pt')", "RuntimeError", "Parent directory a does not exist."),
        ("import os\nos.mkdir('a')\nos.mkdir('a')", "FileExistsError", "[Errno 17] File exists: 'a'"),
        ("import os\nos.remove('a')", "FileNotFoundError", "[Errno 2] No such file or directory: 'a'"),
        ("import os\nos.mkdir('a')\nopen('a/b', 'x')\nos.rmdir('a')", "OSError", "[Errno 39] Directory not empty: 'a'"),
        ("f = open('a', 'w')\nf.read()", "UnsupportedOperation", "not readable"),
        ("open('a', 'w')\nopen('a', 'rb').write(b'')", "UnsupportedOperation", "write"),
        ("open('a', 'w')\nopen('a', 'x')", "FileExistsError", "[Errno 17] File exists: 'a'"),
        ("open('a', 'q')", "ValueError", "invalid mode: 'q'"),
    ],
)
def test_misuse_is_refused_as_files_refuse_it(code: str, error: str, message: str) -> None:
    outcome = play(code, words=False).outcome
    assert (outcome.error, outcome.message.split("\n")[0]) == (error, message)


ABSOLUTE = """
import os, torch
from pathlib import Path
os.makedirs('/content/models/a', exist_ok=True)
torch.save(torch.ones(1), '/content/models/a/m.pt')
print(os.listdir('/content/models'), os.path.getsize('/content/models/a/m.pt') > 10, torch.load('/content/models/a/m.pt'))
with open('/tmp/backplay-run.log', 'w') as f:
    f.write('one')
print(os.listdir('/tmp'), Path('/tmp/backplay-run.log').read_text(), os.path.exists('/tmp/other'), os.path.isdir('/home'))
open('here.txt', 'w').write('x')
print(os.getcwd(), os.path.abspath('here.txt'), os.path.exists(os.path.abspath('here.txt')), Path.cwd() / 'a')
print(os.listdir(os.getcwd()), os.path.exists(os.path.join(os.getcwd(), 'here.txt')), Path('here.txt').resolve().exists())
"""


def test_paths_where_people_put_their_files_are_the_runs_own_too() -> None:
    trace = play(ABSOLUTE, words=False)
    assert trace.stdout.splitlines() == [
        "['a'] True tensor([1.])",
        "['backplay-run.log'] one False True",
        "/snippet /snippet/here.txt True /snippet/a",
        "['here.txt'] True True",
    ]
    assert not Path("/tmp/backplay-run.log").exists()


def test_a_file_where_no_folder_is_cannot_be_written() -> None:
    outcome = play("open('/tmp/absent/a.txt', 'w')", words=False).outcome
    assert outcome.message.split("\n")[0] == "[Errno 2] No such file or directory: '/tmp/absent/a.txt'"


def test_next_run_and_the_machine_see_nothing_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    own = builtins.open, os.stat, os.listdir, os.getcwd, tempfile.tempdir, serialization.shortest
    play("import os\nos.mkdir('a')\nopen('b', 'w').write('x')", words=False)
    assert (builtins.open, os.stat, os.listdir, os.getcwd, tempfile.tempdir, serialization.shortest) == own
    assert os.listdir() == []
    assert play("import os\nprint(os.listdir(), os.path.exists('b'))", words=False).stdout == "[] False\n"
