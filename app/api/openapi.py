"""The OpenAPI document, derived from the types that are really encoded and decoded.

The trace never passes through FastAPI's encoder, so its schema is taken from the msgspec structs, and the sentence of
each field from the string that follows it in the source: told once, shown wherever people read the schema.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from app.problems import MEDIA_TYPE, ProblemDetails, titled

JSON = "application/json"
REFERENCE = "#/components/schemas/{name}"
Responses = dict[int | str, dict[str, Any]]


def _header(description: str, kind: str = "string") -> dict[str, Any]:
    return {"description": description, "schema": {"type": kind}}


REQUEST_ID = {"X-Request-Id": _header("Names this request in the service's log; say it when you report a fault.")}
RETRY_AFTER = {"Retry-After": _header("Seconds until trying again makes sense.", "integer")}


def body(struct: type[msgspec.Struct], example: msgspec.Struct) -> dict[str, Any]:
    """What to tell OpenAPI about a route that decodes ``struct`` from its body itself."""
    content = {"schema": _reference(struct.__name__), "example": msgspec.to_builtins(example)}
    return {"requestBody": {"required": True, "content": {JSON: content}}}


def document(name: str, description: str, example: object = None) -> Responses:
    """A successful answer holding the component ``name``."""
    content = {"schema": _reference(name), **({} if example is None else {"example": example})}
    return {200: {"description": description, "content": {JSON: content}, "headers": REQUEST_ID}}


def problems(reasons: Mapping[int, Mapping[str, str]]) -> Responses:
    """Answers with problem details: for each status the last words of its problems' ``type``, and what brings each about."""
    return {status: _refusal(HTTPStatus(status), kinds) for status, kinds in reasons.items()}


def _refusal(status: HTTPStatus, kinds: Mapping[str, str]) -> dict[str, Any]:
    examples = {
        kind: {
            "summary": reason,
            "value": msgspec.to_builtins(
                ProblemDetails(f"problems/{kind}", titled(kind), status.value, reason, "0123456789abcdef")
            ),
        }
        for kind, reason in kinds.items()
    }
    return {
        "description": " ".join(f"`{kind}`: {reason}" for kind, reason in kinds.items()),
        "content": {MEDIA_TYPE: {"schema": _reference(ProblemDetails.__name__), "examples": examples}},
        "headers": REQUEST_ID | (RETRY_AFTER if status is HTTPStatus.SERVICE_UNAVAILABLE else {}),
    }


def install(app: FastAPI, structs: list[type[msgspec.Struct]]) -> None:
    """Let ``app`` describe itself, with the schemas of ``structs`` and all that they hold among its components."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            described = get_openapi(
                title=app.title,
                version=app.version,
                description=app.description,
                routes=app.routes,
                tags=app.openapi_tags,
            )
            schemas = components([*structs, ProblemDetails])
            described.setdefault("components", {}).setdefault("schemas", {}).update(schemas)
            app.openapi_schema = described
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI's documented way to customise the document


def components(structs: list[type[msgspec.Struct]]) -> dict[str, Any]:
    """JSON Schemas of ``structs`` and of every struct within them, by name, with a description on every field."""
    _, schemas = msgspec.json.schema_components(structs, ref_template=REFERENCE)
    for struct in _family(structs):
        schema = schemas[struct.__name__]
        if "description" in schema:
            schema["description"] = plain(schema["description"])
        for field, sentence in sentences(struct).items():
            if field in schema["properties"]:
                _describe(schema["properties"], field, sentence)
    return schemas


def sentences(struct: type[msgspec.Struct]) -> dict[str, str]:
    """The string below each field in the source of ``struct`` and its bases, by the field's name in JSON."""
    found: dict[str, str] = {}
    for base in reversed(struct.__mro__):
        if not issubclass(base, msgspec.Struct) or base is msgspec.Struct:
            continue
        declaration = ast.parse(textwrap.dedent(inspect.getsource(base))).body[0]
        assert isinstance(declaration, ast.ClassDef)
        for field, following in zip(declaration.body, declaration.body[1:], strict=False):
            match field, following:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    found[name] = plain(text)
    return found


def plain(docstring: str) -> str:
    """A docstring for readers of Markdown: code between single backticks, no indentation."""
    return inspect.cleandoc(docstring).replace("``", "`")


def _family(structs: list[type[msgspec.Struct]]) -> set[type[msgspec.Struct]]:
    """``structs`` and every struct that their fields can hold."""
    seen: set[type[msgspec.Struct]] = set()

    def visit(kind: object) -> None:
        if isinstance(kind, msgspec.inspect.StructType):
            if kind.cls in seen:
                return
            seen.add(kind.cls)
            for field in kind.fields:
                visit(field.type)
        elif isinstance(kind, msgspec.inspect.UnionType):
            for member in kind.types:
                visit(member)
        else:
            for part in ("item_type", "key_type", "value_type"):
                if hasattr(kind, part):
                    visit(getattr(kind, part))

    for struct in structs:
        visit(msgspec.inspect.type_info(struct))
    return seen


def _describe(properties: dict[str, Any], field: str, sentence: str) -> None:
    # A bare reference may not have siblings in every reader; wrapped, it may.
    schema = properties[field]
    properties[field] = (
        {"allOf": [schema], "description": sentence} if "$ref" in schema else {**schema, "description": sentence}
    )


def _reference(name: str) -> dict[str, str]:
    return {"$ref": REFERENCE.format(name=name)}
