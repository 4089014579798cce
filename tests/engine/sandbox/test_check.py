"""A document from the other side of the boundary passes only if it is honest in every field."""

from __future__ import annotations

import typing
from collections.abc import Callable
from typing import Any, Literal

import msgspec
import pytest

from engine.sandbox import check as checking
from engine.sandbox.check import NUMBERS, REFERENCES, Forged, check, clean, encode
from engine.sandbox.limits import Limits
from engine.trace import document, events, parts
from engine.trace.play import play
from tests.engine.sandbox.documents import SNIPPET, honest, step

LIMITS = Limits()


def judge(spoiled: dict[str, Any], limits: Limits = LIMITS) -> document.Trace:
    return check(msgspec.json.encode(spoiled), SNIPPET, limits)


def test_an_honest_document_passes_and_is_encoded_the_same() -> None:
    content = msgspec.json.encode(honest())
    assert encode(check(content, SNIPPET, LIMITS)) == msgspec.json.encode(
        msgspec.json.decode(content, type=document.Trace)
    )


def test_a_run_whose_switches_are_whole_numbers_gives_an_honest_document() -> None:
    code = """\
import torch

layer = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=1)
layer(torch.ones(1)).backward(retain_graph=1, create_graph=0)
optimizer.zero_grad(set_to_none=0)
layer.zero_grad(set_to_none=1)
"""
    assert check(msgspec.json.encode(play(code)), code, LIMITS).outcome.status == "ok"


def _path(*path: str | int, to: Any) -> Callable[[dict[str, Any]], None]:
    def spoil(trace: dict[str, Any]) -> None:
        item: Any = trace
        for part in path[:-1]:
            item = step(trace, part[1:]) if isinstance(part, str) and part.startswith("@") else item[part]
        item[path[-1]] = to

    return spoil


def _deep_formula(trace: dict[str, Any]) -> None:
    formula: dict[str, Any] = {"kind": "name", "text": "x"}
    for _ in range(100):
        formula = {"kind": "group", "parts": [formula]}
    trace["steps"][0]["formula"] = formula


SPOILED: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "a field nobody knows": (_path("extra", to=1), "unknown field"),
    "a field nobody knows inside a step": (_path("steps", 0, "html", to="<b>"), "unknown field"),
    "a kind nobody knows": (_path("steps", 0, "kind", to="explode"), "Invalid value"),
    "a text where a number belongs": (_path("folded", to="many"), "Expected `int`"),
    "a missing table": (lambda trace: trace.pop("nodes"), "missing required field"),
    "another snippet": (_path("code", to="print()"), "about another snippet"),
    "another schema": (_path("schema", to=99), "schema 99"),
    "a tensor that is not there": (_path("@tensor_made", "tensor", to=99), "there are .* tensors"),
    "a negative tensor": (_path("@tensor_made", "tensor", to=-1), "is -1"),
    "a node that is not there": (_path("@node_made", "node", to=99), "there are .* nodes"),
    "an edge to nowhere": (_path("nodes", -1, "edges", 0, "node", to=99), "Edge.node is 99"),
    "a scope that is not there": (_path("steps", 0, "scope", to=7), "scopes"),
    "a parent that is not there": (_path("scopes", 0, "parent", to=7), "Scope.parent"),
    "a root that is not there": (_path("@backward_started", "roots", to=[0, 99]), "roots is 99"),
    "a slot the node does not have": (_path("@message_sent", "slot", to=5), "slot 5 of node"),
    "a negative slot": (_path("@message_sent", "slot", to=-1), "slot -1"),
    "a line behind the end": (
        _path("steps", 0, "span", to={"line": 99, "column": 0, "end_line": 99, "end_column": 1}),
        "outside the snippet",
    ),
    "a line that ends before it begins": (
        _path("steps", 0, "span", to={"line": 3, "column": 0, "end_line": 2, "end_column": 1}),
        "outside the snippet",
    ),
    "a column behind the end": (
        _path("steps", 0, "span", to={"line": 1, "column": 0, "end_line": 1, "end_column": 999}),
        "outside the snippet",
    ),
    "fewer elements than the shape says": (_path("@tensor_made", "value", "shape", to=[3]), "elements for shape"),
    "a negative length": (_path("@tensor_made", "value", "shape", to=[-1]), "negative length"),
    "a word among the numbers": (_path("@tensor_made", "value", "data", to=["<script>"]), "is no number"),
    "a huge thumbnail": (_path("@tensor_made", "value", "thumbnail", to=[[0] * 17]), "larger than 16"),
    "a formula without a bottom": (_deep_formula, "nested deeper"),
    "no program": (_path("scopes", to=[]), "scope 0"),
    "no end": (lambda trace: trace["steps"].pop(), "last step"),
    "an end that disagrees with the outcome": (_path("outcome", "status", to="error"), "last step"),
    "no steps at all": (_path("steps", to=[]), "last step"),
    "a very long text": (_path("steps", 0, "text", to="x" * (LIMITS.string_characters + 1)), "characters; at most"),
    "a very long text in a list": (
        _path("steps", 0, "detail", to=["x" * (LIMITS.string_characters + 1)]),
        "characters; at most",
    ),
    "a claim of a tensor that is not there": (
        _path("steps", 0, "claims", to=[{"says": "shape", "tensor": 1_000_000}]),
        "there are",
    ),
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_document_is_refused_with(name: str) -> None:
    spoil, words = SPOILED[name]
    spoiled = honest()
    spoil(spoiled)
    with pytest.raises(Forged, match=words):
        judge(spoiled)


def test_more_steps_than_the_limit_are_refused() -> None:
    with pytest.raises(Forged, match="at most 3"):
        judge(honest(), Limits(steps=3))


def test_more_rows_than_the_limit_are_refused() -> None:
    with pytest.raises(Forged, match="at most 1"):
        judge(honest(), Limits(rows=1))


MEGABYTE = 1 << 20
HOSTILE: dict[str, bytes] = {
    "nothing": b"",
    "zeros": bytes(MEGABYTE),
    "brackets": b"[" * MEGABYTE,
    "braces": b'{"a":' * (MEGABYTE // 5),
    "a long number": b'{"code":' + b"9" * MEGABYTE + b"}",
    "a long exponent": b'{"folded":1e' + b"9" * 1000 + b"}",
    "not utf-8": b'{"code":"' + b"\xff" * 100 + b'"}',
    "half a surrogate": b'{"code":"\\ud800"}',
    "a raw control character": b'{"code":"\x00"}',
    "many keys": b"{" + b",".join(b'"k%d":1' % index for index in range(50_000)) + b"}",
    "two documents": msgspec.json.encode(honest()) * 2,
    "a document and a word": msgspec.json.encode(honest()) + b" true",
    "half a document": msgspec.json.encode(honest())[:-40],
    "NaN": b'{"folded":NaN}',
    "nested formulas": b'{"steps":[{"kind":"line","formula":' + b'{"kind":"row","parts":[' * 40_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_bytes_are_refused(name: str) -> None:
    with pytest.raises(Forged):
        check(HOSTILE[name], SNIPPET, LIMITS)


def test_control_characters_become_replacement_characters_one_for_one() -> None:
    text = "a\0b\x1b[31mc\x7fd\x9be\u202ef\u2066g\bh"
    cleaned = msgspec.json.decode(clean(msgspec.json.encode(text)), type=str)
    assert cleaned == "a�b�[31mc�d�e�f�g�h"
    assert len(cleaned) == len(text)


@pytest.mark.parametrize("text", ["tab\there\nand\r\nthere\f", r"\u0000 and \\u001b and \b", "é ∂ 日本 🙂", '"quoted"'])
def test_honest_text_stays_as_it_is(text: str) -> None:
    assert msgspec.json.decode(clean(msgspec.json.encode(text)), type=str) == text


def _structs() -> list[type[msgspec.Struct]]:
    found = [
        item
        for module in (document, events, parts)
        for item in vars(module).values()
        if isinstance(item, type) and issubclass(item, msgspec.Struct) and item.__module__.startswith(module.__name__)
    ]
    assert len(found) > 30
    return found


def _holds_int(hint: Any) -> bool:
    if typing.get_origin(hint) is Literal:
        return False
    return hint is int or any(map(_holds_int, typing.get_args(hint)))


def test_every_field_that_holds_an_integer_is_either_an_id_or_a_number() -> None:
    """Who adds a field to the trace decides here what it means, or ids go unchecked."""
    fields = {name for struct in _structs() for name, hint in typing.get_type_hints(struct).items() if _holds_int(hint)}
    assert fields - set(REFERENCES) - NUMBERS == set()
    assert set(REFERENCES) - fields == set(), "listed, but no field has this name"
    assert not set(REFERENCES) & NUMBERS


def test_the_verifier_visits_every_struct_inside_a_struct() -> None:
    """A new nested struct must not hide from the walk behind a field that counts as plain."""
    for struct in _structs():
        for name, hint in typing.get_type_hints(struct).items():
            nested = [
                arm
                for arm in (hint, *typing.get_args(hint))
                if isinstance(arm, type) and issubclass(arm, msgspec.Struct)
            ]
            assert not nested or name in checking._plan(struct), f"{struct.__name__}.{name}"
