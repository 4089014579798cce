"""A traceback that a snippet prints shows the snippet, and each error once."""

from __future__ import annotations

import traceback

import pytest

from engine.trace.play import play

PRINTED = """\
import torch, traceback
try:
    {statement}
except Exception:
    print(traceback.format_exc())
"""
AGAIN = "During handling of the above exception"


@pytest.mark.parametrize(
    "statement",
    [
        "torch.ones(2) @ torch.ones(3)",
        "torch.ones(2, 3).sum(5)",
        "torch.nn.Linear(2, 3)(torch.ones(4))",
        "torch.nn.Embedding(2, 2)(torch.tensor([5]))",
        "torch.nn.Linear('a', 2)",
        "torch.ones(2).index_select(0, torch.tensor([9]))",
        "torch.gather(torch.ones(2), 0, torch.tensor([9]))",
    ],
)
def test_an_error_of_the_engine_is_told_once(statement: str) -> None:
    printed = play(PRINTED.format(statement=statement), words=False).stdout
    assert printed.count("Traceback (most recent call last)") == 1
    assert AGAIN not in printed
    assert f'File "snippet.py", line 3, in <module>\n    {statement}' in printed
    assert "engine" not in printed


@pytest.mark.parametrize("source", ["", " from error"])
def test_what_the_snippet_itself_caught_stays_told(source: str) -> None:
    statement = f"""try: torch.ones(2) @ torch.ones(3)
    except RuntimeError as error: raise ValueError('other shapes'){source}"""
    printed = play(PRINTED.format(statement=statement), words=False).stdout
    assert printed.count("Traceback (most recent call last)") == 2
    assert printed.index("inconsistent tensor size") < printed.index("ValueError: other shapes")


def test_an_error_inside_a_hook_stays_told_though_the_engine_called_it() -> None:
    code = """\
import torch, traceback
def hook(gradient):
    raise ValueError("mine")
x = torch.ones(2, requires_grad=True)
x.register_hook(hook)
try:
    try:
        x.sum().backward()
    except ValueError:
        torch.ones(2) @ torch.ones(3)
except RuntimeError:
    print(traceback.format_exc())
"""
    printed = play(code, words=False).stdout
    assert printed.index("ValueError: mine") < printed.index(AGAIN) < printed.index("inconsistent tensor size")


def test_where_there_is_no_error_python_says_so() -> None:
    assert play("import traceback\nprint(traceback.format_exc())", words=False).stdout == "NoneType: None\n\n"


def test_after_a_run_tracebacks_are_pythons_own() -> None:
    own = traceback.TracebackException, traceback.walk_tb
    play("1 / 0", words=False)
    assert (traceback.TracebackException, traceback.walk_tb) == own
