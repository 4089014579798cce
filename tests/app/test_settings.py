"""Settings: all explained, read from the environment, refused with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.settings import Settings, SettingsError, meant, table, variable


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


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("BACKPLAY_PUBLC", "BACKPLAY_PUBLIC"),
        ("BACKPLAY_RUNNER", "BACKPLAY_RUNNERS"),
        ("BACKPLAY_LOGLEVEL", "BACKPLAY_LOG_LEVEL"),
        ("BACKPLAY_FRAME_ANCESTOR", "BACKPLAY_FRAME_ANCESTORS"),
    ],
)
def test_a_misspelt_variable_is_refused_with_the_one_that_is_meant(name: str, near: str) -> None:
    with pytest.raises(SettingsError, match=f"{name} is no setting. Do you mean {near}?"):
        Settings.from_environment({name: "true"})


@pytest.mark.parametrize(
    "name", ["BACKPLAY_SERVICE_HOST", "BACKPLAY_SERVICE_PORT", "BACKPLAY_PORT_8000_TCP_ADDR", "BACKPLAY_TORCH_PYTHON"]
)
def test_variables_of_others_with_our_prefix_are_theirs(name: str) -> None:
    assert meant(name) is None
    Settings.from_environment({name: "10.0.0.1"})


def test_a_value_that_kubernetes_sets_is_told_from_a_mistake() -> None:
    with pytest.raises(SettingsError, match=r"BACKPLAY_PORT='tcp://10.0.0.1:8000'.*enableServiceLinks: false"):
        Settings.from_environment({"BACKPLAY_PORT": "tcp://10.0.0.1:8000"})


@pytest.mark.parametrize("value", ["a;b", "a,b", " a", "a\nb", "schön.example", "“none”", ""])
def test_what_cannot_stand_in_the_policy_is_refused_at_the_start(value: str) -> None:
    with pytest.raises(SettingsError, match="BACKPLAY_FRAME_ANCESTORS"):
        Settings.from_environment({"BACKPLAY_FRAME_ANCESTORS": value})


@pytest.mark.parametrize("value", ["*", "'none'", "'self' https://*.example.org:8443", "https://a.example http://b:80"])
def test_addresses_of_all_kinds_can_stand_in_the_policy(value: str) -> None:
    assert Settings.from_environment({"BACKPLAY_FRAME_ANCESTORS": value}).frame_ancestors == value
