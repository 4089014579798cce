"""What a loop's turn is called."""

from __future__ import annotations

import pytest

from engine.trace.turns import split_title, turn_number, turn_title


@pytest.mark.parametrize("header", ["for epoch in range(20)", "while a[1:2] == b", "for key, value in {1: 2}.items()"])
def test_what_a_title_is_made_of_comes_back(header: str) -> None:
    title = turn_title(19, header)
    assert title == f"turn 19: {header}"
    assert split_title(title) == ("turn 19", header)
    assert turn_number(title) == 19
