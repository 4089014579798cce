"""The OpenAPI document tells what is really sent."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from app.api.openapi import components, sentences
from app.problems import MEDIA_TYPE, ProblemDetails
from engine.sandbox.confinement.layers import LEVELS
from engine.trace.diagnosis.causes import CAUSES
from engine.trace.document import Trace
from engine.trace.events import Event, Line
from engine.trace.outcome.ending import LIMITS
from engine.trace.play import play
from tests.app.api.test_runs import WRONG_INPUT
from tests.app.conftest import Exchange


@pytest.fixture
def document(ask: Exchange) -> dict[str, Any]:
    answer = ask("GET", "/openapi.json")
    assert answer.status_code == 200
    described: dict[str, Any] = answer.json()
    return described


def references(node: object) -> set[str]:
    """Every ``$ref`` below ``node``."""
    if isinstance(node, list):
        return set().union(*map(references, node))
    if isinstance(node, dict):
        own = {node["$ref"]} if isinstance(node.get("$ref"), str) else set()
        return own.union(*map(references, node.values()))
    return set()


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    assert references(document)
    assert all(reference.removeprefix("#/components/schemas/") in schemas for reference in references(document))


def test_a_run_is_described_from_request_to_trace(document: dict[str, Any]) -> None:
    operation = document["paths"]["/api/runs"]["post"]
    assert operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].endswith("/RunRequest")
    assert operation["responses"]["200"]["content"]["application/json"]["schema"]["$ref"].endswith("/Trace")
    assert set(operation["responses"]) == {"200", "400", "408", "413", "415", "422", "500", "503"}


def test_every_refusal_of_a_run_is_described_by_an_example_of_its_own_kind(document: dict[str, Any]) -> None:
    answers = document["paths"]["/api/runs"]["post"]["responses"]
    told = set()
    for status, answer in answers.items():
        assert "X-Request-Id" in answer["headers"]
        for kind, example in answer["content"].get(MEDIA_TYPE, {}).get("examples", {}).items():
            details = msgspec.convert(example["value"], ProblemDetails)
            assert (details.type, details.status) == (f"problems/{kind}", int(status))
            assert f"`{kind}`" in answer["description"]
            told.add((int(status), kind))
    assert told == {*WRONG_INPUT, (408, "slow-body"), (500, "internal-error"), (503, "overloaded")}
    assert "Retry-After" in answers["503"]["headers"]


def test_the_example_request_is_one_that_plays(document: dict[str, Any], ask: Exchange) -> None:
    example = document["paths"]["/api/runs"]["post"]["requestBody"]["content"]["application/json"]["example"]
    assert ask("POST", "/api/runs", json=example).status_code == 200
    assert play(example["code"]).stdout == "tensor(6.)\n"


def test_words_that_a_sentence_lists_are_words_that_occur(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    causes, limits = (
        set(re.findall(r"`(\w+)`", schemas[name]["properties"][field]["description"]))
        for name, field in (("Reason", "cause"), ("Outcome", "limit"))
    )
    assert causes < set(CAUSES)
    assert limits == set(LIMITS)
    assert re.findall(r"`(\w+)`", schemas["Health"]["properties"]["sandbox"]["description"]) == list(reversed(LEVELS))


def test_the_traces_fields_are_there_with_their_sentences(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    assert set(schemas["Trace"]["properties"]) == {field.encode_name for field in msgspec.structs.fields(Trace)}
    assert schemas["Node"]["properties"]["name"]["description"].startswith("PyTorch's class name")
    assert schemas["Line"]["properties"]["span"]["description"].startswith("The columns of the snippet")


def test_every_field_has_its_sentence(document: dict[str, Any]) -> None:
    silent = [
        f"{name}.{field}"
        for name, schema in document["components"]["schemas"].items()
        for field, described in schema["properties"].items()
        if "description" not in described and len(described.get("enum", ())) != 1  # a step's own tag speaks for itself
    ]
    assert not silent


def test_code_in_a_sentence_is_marked_as_readers_of_markdown_expect(document: dict[str, Any]) -> None:
    assert "``" not in str(document)
    assert "`_saved_<name>`" in document["components"]["schemas"]["Saved"]["description"]


def test_an_inherited_field_has_the_sentence_of_its_base() -> None:
    assert sentences(Line)["span"] == sentences(Event)["span"]
    assert "times" in sentences(Line)


def test_the_page_shows_every_component(ask: Exchange) -> None:
    page = ask("GET", "/docs").text
    assert all(f'<section id="{name}">' in page for name in components([Trace]))
