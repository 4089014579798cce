"""Every limit is said with its reason."""

from __future__ import annotations

import dataclasses

import pytest

from engine.sandbox.limits import Limits


@pytest.mark.parametrize(("name", "number", "unit", "reason"), Limits.described(), ids=lambda item: str(item)[:20])
def test_every_limit_has_a_number_a_unit_and_a_reason(name: str, number: float, unit: str, reason: str) -> None:
    assert number > 0
    assert unit
    assert len(reason.split()) >= 4, f"{name} needs a reason that a maintainer can judge"


def test_limits_cannot_be_changed_behind_a_readers_back() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Limits().cpu_seconds = 9  # type: ignore[misc]
