"""Settings: all explained, read from the environment, refused with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.settings import Settings, SettingsError, table, variable


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_has_its_sentence(name: str) -> None:
    description = Settings.model_fields[name].description
    assert description
    assert description.endswith(".")


def test_the_environment_sets_them() -> None:
    settings = Settings.from_environment({"BACKPLAY_PORT": "9000", "BACKPLAY_BUILT": "elsewhere", "HOME": "ignored"})
    assert (settings.port, settings.built, settings.host) == (9000, Path("elsewhere"), "127.0.0.1")


def test_a_bad_value_is_refused_with_variable_value_and_meaning() -> None:
    with pytest.raises(SettingsError, match=r"BACKPLAY_PORT='ninety'.*TCP port"):
        Settings.from_environment({"BACKPLAY_PORT": "ninety"})


def test_the_table_lists_every_variable() -> None:
    printed = table()
    assert all(f"`{variable(name)}`" in printed for name in Settings.model_fields)
