"""From what holds on a machine to the level that its health check tells."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pytest

from engine.sandbox.confinement.layers import LAYERS, LEVELS, ON, Confinement, Report
from engine.sandbox.limits import Limits

ALL = dict.fromkeys(LAYERS, ON)


def level(states: Mapping[str, str] = MappingProxyType({}), user: int = 1000) -> str:
    return Report(layers={**ALL, **states}, user=user).level


def test_everything_on_is_full() -> None:
    assert level() == "full"


@pytest.mark.parametrize("missing", ["namespaces", "empty_root"])
def test_without_namespaces_it_is_container(missing: str) -> None:
    assert level({missing: "unshare: Operation not permitted"}) == "container"


def test_without_landlock_it_is_reduced() -> None:
    assert level({"landlock": "not in this kernel"}) == "reduced"


@pytest.mark.parametrize("missing", ["seccomp", "no_new_privileges", "rlimits"])
def test_without_what_carries_the_rest_it_is_none(missing: str) -> None:
    assert level({missing: "refused"}) == "none"


def test_root_is_no_sandbox() -> None:
    assert level(user=0) == "none"


def test_a_report_that_says_nothing_is_none() -> None:
    assert Report().level == "none"


def test_levels_are_ordered_from_weak_to_strong() -> None:
    assert LEVELS == ("none", "reduced", "container", "full")


def test_a_layer_that_does_not_exist_cannot_be_omitted() -> None:
    with pytest.raises(ValueError, match="no such layers"):
        Confinement(Limits(), omit=["secomp"])
