"""Random programs of views and in-place writes run on the engine as they ran on real PyTorch."""

from __future__ import annotations

import json

import pytest

from engine import torch
from tests.oracle.golden import as_json, differences, golden
from tests.oracle.view_programs import observe, program

RECORDED = golden("views")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", list(RECORDED))
def test_views_and_writes_do_what_they_did_on_pytorch(seed: str) -> None:
    ours = as_json(observe(int(seed), torch))
    found = list(differences(ours, RECORDED[seed], relative=1e-8, absolute=1e-12))
    assert not found, "\n".join([*program(int(seed))[0], *found])


def test_the_programs_are_as_varied_as_they_claim() -> None:
    """Guards the generator: a recording of trivial programs would prove nothing."""
    text = json.dumps(RECORDED)
    for name in ("CopySlices", "AsStridedBackward0", "CopyBackwards", "IndexPutBackward0", "UnsqueezeBackward1"):
        assert text.count(name) > 10
    assert sum(bool(seen["errors"]) for seen in RECORDED.values()) > 50
    assert sum(isinstance(seen["gradients"], list) and len(seen["gradients"]) == 2 for seen in RECORDED.values()) > 50
