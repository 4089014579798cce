"""`not_like_pytorch` is true: what it lists is missing or different, and nothing is missing that it does not list."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from engine import torch
from engine.errors import NotHere
from engine.tensor import Tensor
from engine.torch.missing import MissingAttribute, known
from tests.oracle.not_like_pytorch import DIFFERENT, NOT_HERE, Difference
from tests.oracle.program_outcome import observe

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden" / "differences.json").read_text(encoding="utf-8")
)
PLACES = ("torch", "Tensor", "torch.nn.functional", "torch.linalg", "torch.fft", "torch.special")


def at(place: str) -> Any:
    """The module or class of that name."""
    found: Any = Tensor if place == "Tensor" else torch
    for part in [] if place == "Tensor" else place.split(".")[1:]:
        found = getattr(found, part)
    return found


def is_missing(place: str, name: str) -> bool:
    """Whether asking for the name is refused."""
    if place == "Tensor":
        return isinstance(vars(Tensor).get(name), MissingAttribute)
    return not hasattr(at(place), name)


def listed(place: str) -> list[str]:
    """The names said to be missing there."""
    return [name for places in NOT_HERE.values() for name in places.get(place, "").split()]


@pytest.mark.parametrize("place", PLACES)
def test_every_missing_name_is_listed_with_its_reason(place: str) -> None:
    unlisted = {name for name in known()[place] if is_missing(place, name)} - set(listed(place))
    assert not unlisted, f"{place} lacks these names of PyTorch: give them, or say why not in not_like_pytorch"


@pytest.mark.parametrize("place", PLACES)
def test_every_listed_name_is_missing(place: str) -> None:
    here = [name for name in listed(place) if not is_missing(place, name)]
    assert not here, f"{place} has these names by now: strike them from not_like_pytorch"


@pytest.mark.parametrize("place", PLACES)
def test_a_name_is_listed_once_and_is_pytorchs(place: str) -> None:
    assert not [name for name, count in Counter(listed(place)).items() if count > 1]
    assert not set(listed(place)) - known()[place]


@pytest.mark.parametrize(
    ("place", "name"), [(place, name) for place in PLACES for name in sorted(listed(place)) if not name.startswith("_")]
)
def test_asking_for_a_missing_name_says_that_pytorch_has_it_and_we_have_not(place: str, name: str) -> None:
    spelled = f"torch.Tensor.{name}" if place == "Tensor" else f"{place}.{name}"
    with pytest.raises(NotHere, match=r"has no attribute") as refusal:
        getattr(torch.ones(1) if place == "Tensor" else at(place), name)
    assert f"PyTorch 2.13 has {spelled}, this engine does not." in str(refusal.value)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("difference", DIFFERENT, ids=lambda d: d.operator)
def test_what_is_said_to_differ_differs(difference: Difference) -> None:
    ours = json.loads(json.dumps(observe(difference.program, torch)))
    assert ours != GOLDEN[difference.program], "this is like PyTorch by now: strike it from not_like_pytorch"
