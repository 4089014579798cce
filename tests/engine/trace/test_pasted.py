"""What comes along when code is pasted: imports of other packages, notebook commands, tracebacks, deep recursion."""

from __future__ import annotations

import pytest

from engine.trace.play import play


@pytest.mark.parametrize(
    "code",
    [
        "import matplotlib.pyplot as plt\nn, bins, patches = plt.hist([1])\nfig, (a, b, c) = plt.subplots(1, 3)\n",
        "import matplotlib\nmatplotlib.use('Agg')\nfrom mpl_toolkits.mplot3d import Axes3D\n",
        "from torch.utils.tensorboard import SummaryWriter\nw = SummaryWriter()\nw.add_scalar('loss', 1.0, 0)\n",
        "from torchsummary import summary\nsummary(None, (1, 2))\n",
        "from tqdm.auto import tqdm\nfor i in tqdm(range(2)): pass\n",
        "import wandb\nwandb.init()\n",
        "import torchvision\nfrom sklearn.datasets import load_iris\n",
    ],
)
def test_what_only_shows_or_is_only_imported_does_not_stop_a_run(code: str) -> None:
    assert play(code + "print('end')\n").stdout == "end\n"


@pytest.mark.parametrize(
    ("code", "line", "advice"),
    [
        ("x = 1\n%matplotlib inline\n", 2, "notebook"),
        ("!pip install torch\n", 1, "notebook"),
        (">>> import torch\n", 1, "console"),
        ("```python\nimport torch\n```\n", 1, "page"),
        ("$ python train.py\n", 1, "terminal"),
        ("import nobody_knows_this\n", 1, "Remove the import"),
        ("import spacy\nspacy.load('en')\n", 2, "Remove the import"),
        ("from torchvision import datasets\nd = datasets.MNIST('.')\n", 2, "by hand"),
        ("import torch\nimport torch.onnx\ntorch.onnx.export(1)\n", 3, "Remove the import"),
        ("import torch.multiprocessing as mp\nmp.spawn(print)\n", 2, "Remove the import"),
        ("import ftplib\nftplib.FTP('a')\n", 2, "Remove the import"),
        ("from imaplib import IMAP4\nclass P(IMAP4): pass\n", 2, "Remove the import"),
    ],
)
def test_what_cannot_be_played_says_at_its_line_what_to_do(code: str, line: int, advice: str) -> None:
    outcome = play(code).outcome
    assert outcome.status == "error"
    assert outcome.span is not None
    assert outcome.span.line == line
    assert advice in outcome.advice


def test_a_printed_traceback_shows_the_snippets_frames_alone() -> None:
    code = (
        "import sys, traceback\nimport torch\ndef f(x):\n    return x.view(5)\n"
        "try:\n    f(torch.ones(2))\nexcept RuntimeError:\n    traceback.print_exc(file=sys.stdout)\n"
        "    print([frame.name for frame in traceback.extract_tb(sys.exc_info()[2])])\n"
    )
    lines = play(code).stdout.splitlines()
    assert [line for line in lines if line.startswith("  File")] == [
        '  File "snippet.py", line 6, in <module>',
        '  File "snippet.py", line 4, in f',
    ]
    assert lines[-1] == "['<module>', 'f']"


def test_the_engines_own_frames_are_seen_again_after_a_run() -> None:
    import traceback

    import engine.torch as torch

    play("import torch\n")
    with pytest.raises(RuntimeError) as caught:
        torch.ones(2).view(5)
    assert any("engine" in frame.filename for frame in traceback.extract_tb(caught.tb))


@pytest.mark.parametrize("body", ["f(n + 1)", "n * f(n - 1)", "f(n.exp())"])
def test_endless_recursion_ends_in_pythons_words_whatever_ran_last(body: str) -> None:
    outcome = play(f"import torch\ndef f(n):\n    return {body}\nf(torch.tensor(0.0))\n").outcome
    assert (outcome.error, outcome.message) == (
        "RecursionError",
        "maximum recursion depth exceeded while calling a Python object",
    )
