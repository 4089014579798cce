"""Imports of what is not here: silent until used, then refused in words."""

from __future__ import annotations

import sys

import pytest

from engine import torch
from engine.trace.play import play


@pytest.mark.parametrize(
    "name", ["ftplib", "xml.dom.minidom", "yaml", "torch.onnx", "torch.multiprocessing", "torch.ao.quantization"]
)
def test_importing_what_is_not_here_stops_no_run_and_leaves_nothing_behind(name: str) -> None:
    loaded = {
        key: sys.modules.pop(key)
        for key in list(sys.modules)
        if key.partition(".")[0] == name.partition(".")[0] != "torch"
    }
    try:
        assert play(f"import torch\nimport {name}\nprint('end')\n").stdout == "end\n"
        assert name not in sys.modules
        assert name.rpartition(".")[2] not in vars(torch)
    finally:
        sys.modules.update(loaded)


def test_what_a_part_of_pytorch_is_for_is_said_where_it_is_used() -> None:
    outcome = play("import torch\nimport torch.onnx\ntorch.onnx.export(torch.nn.Linear(1, 1), torch.ones(1))\n").outcome
    assert outcome.message.startswith(
        "No module named 'torch.onnx'\n\nPyTorch 2.13 has torch.onnx, this engine does not."
    )


def test_types_that_are_not_here_may_be_named_and_nothing_is_an_instance_of_them() -> None:
    code = (
        "import pandas as pd\nimport numpy as np\n"
        "def load(frame: pd.DataFrame | None, image: 'str | pd.Series' = None) -> pd.DataFrame: ...\n"
        "print(isinstance(np.ones(1), pd.DataFrame), isinstance(1, (int, pd.Series)))\n"
    )
    assert play(code).stdout == "False True\n"


@pytest.mark.parametrize("name", ["torchvision", "ftplib", "torch.onnx"])
@pytest.mark.parametrize("expected", ["ImportError", "(KeyError, ModuleNotFoundError)", "Exception as error", ""])
def test_an_import_with_another_way_out_takes_it(name: str, expected: str) -> None:
    sys.modules.pop(name, None)
    code = f"import torch\ntry:\n    import {name}\nexcept {expected}:\n    print('without')\n"
    assert play(code, words=False).stdout == "without\n"


def test_an_import_whose_failure_nobody_catches_has_no_other_way_out() -> None:
    code = "class NoDataException(Exception): pass\ntry:\n    import torchvision\nexcept NoDataException:\n    pass\nprint('on')\n"
    assert play(code, words=False).stdout == "on\n"


def test_a_part_of_pytorch_taken_by_name_is_refused_where_it_is_used() -> None:
    code = "try:\n    from torch import fx\nexcept KeyError:\n    pass\nprint('imported')\nfx.symbolic_trace(1)\n"
    trace = play(code)
    assert trace.stdout == "imported\n"
    assert trace.outcome.message.startswith("No module named 'torch.fx'")
