"""Importing the drop-in leaves the interpreter as it was."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("collecting", [True, False])
def test_the_garbage_collector_is_as_it_was_before_the_import(collecting: bool) -> None:
    before = "" if collecting else "gc.disable(); "
    program = f"import gc; {before}import engine.torch; print(gc.isenabled())"
    told = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert told == f"{collecting}\n"
