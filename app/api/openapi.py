"""The OpenAPI document, derived from the types that are really encoded and decoded.

The trace never passes through FastAPI's encoder, so its schema is taken from the msgspec structs, and the sentence of
each field from the string that follows it in the source: told once, shown wherever people read the schema.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Mapping
from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from app.problems import MEDIA_TYPE, ProblemDetails

JSON = "application/json"
REFERENCE = "#/components/schemas/{name}"
Responses = dict[int | str, dict[str, Any]]


def body(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """What to tell OpenAPI about a route that decodes ``struct`` from its body itself."""
    return {"requestBody": {"required": True, "content": {JSON: {"schema": _reference(struct.__name__)}}}}


def document(name: str, description: str) -> Responses:
    """A successful answer holding the component ``name``."""
    return {200: {"description": description, "content": {JSON: {"schema": _reference(name)}}}}


def problems(reasons: Mapping[int, str]) -> Responses:
    """Answers with problem details, each status with what brings it about."""
    content = {MEDIA_TYPE: {"schema": _reference(ProblemDetails.__name__)}}
    return {status: {"description": reason, "content": content} for status, reason in reasons.items()}


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
