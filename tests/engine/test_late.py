"""A module that is imported when something is first asked of it."""

from __future__ import annotations

import sys

import pytest

from engine.late import Late


def test_the_module_is_imported_when_something_is_asked_of_it_and_not_before() -> None:
    sys.modules.pop("colorsys", None)
    colours = Late("colorsys")
    assert "colorsys" not in sys.modules
    assert colours.rgb_to_hsv(0.0, 0.0, 0.0) == (0.0, 0.0, 0.0)
    assert "colorsys" in sys.modules


def test_what_the_module_has_not_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="no_such_colour"):
        _ = Late("colorsys").no_such_colour
