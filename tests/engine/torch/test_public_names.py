"""``dir()`` shows no public name that PyTorch does not have: the engine's own attributes have an underscore, or are not listed."""

from __future__ import annotations

from operator import attrgetter

import pytest

from engine import torch
from tests.oracle.golden import golden
from tests.oracle.public_names import KINDS, looked_at, public

RECORDED = golden("public_names")
OURS = {name: thing for name, thing in looked_at(torch).items() if name in RECORDED}
OF_KINDS = {attrgetter(name)(torch): set(RECORDED[f"torch.{name}"]) for name in KINDS}
KNOWN = {"torch.distributions.Geometric": {"param_shape"}}
"""Names that PyTorch gives all others of a kind, and this one not."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OURS)
def test_a_public_name_is_one_of_pytorchs(name: str) -> None:
    bases = getattr(OURS[name], "__mro__", ())
    theirs = set(RECORDED[name]).union(*(OF_KINDS[base] for base in bases if base in OF_KINDS))
    assert public(OURS[name]) - theirs == KNOWN.get(name, set())


def test_most_of_what_was_recorded_is_here() -> None:
    assert len(OURS) > 0.9 * len(RECORDED)
