"""Writes `static/src/trace/types.ts` from the trace document's own declarations.

The Python structs are the only place where the document is described; the player's types are derived, and a test
(`tests/tools/test_trace_types.py`) fails when the written file is not current. Run it after changing the schema:

    python -m tools.trace_types
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from engine.trace.document import Trace

TARGET = Path(__file__).resolve().parents[1] / "static" / "src" / "trace" / "types.ts"
HEADER = "// Derived from engine/trace/document.py by tools/trace_types.py. Do not edit by hand.\n"

Schema = dict[str, Any]


def type_of(schema: Schema) -> str:
    """The TypeScript type for one JSON schema."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[1]
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(type_of(option) for option in schema["anyOf"]))
    if "enum" in schema:
        return " | ".join(msgspec.json.encode(choice).decode() for choice in schema["enum"])
    match schema["type"]:
        case "array":
            return f"readonly ({type_of(schema['items'])})[]"
        case "object":
            return f"Readonly<Record<string, {type_of(schema['additionalProperties'])}>>"
        case "integer":
            return "number"
        case simple:
            return str(simple)


def interface(name: str, schema: Schema) -> str:
    """One struct. Encoded documents hold every field, so none is optional."""
    lines = [f"/** {schema['description']} */"] if "description" in schema else []
    lines.append(f"export interface {name} {{")
    lines += [f"  readonly {field}: {type_of(kind)};" for field, kind in schema["properties"].items()]
    lines.append("}")
    return "\n".join(lines)


def render() -> str:
    """The whole file."""
    definitions = msgspec.json.schema(Trace)["$defs"]
    steps = definitions["Trace"]["properties"]["steps"]
    union = type_of(steps["items"])
    steps["items"] = {"$ref": "#/$defs/Step"}
    blocks = [interface(name, schema) for name, schema in definitions.items()]
    members = union.replace(" | ", "\n  | ")
    blocks.append(f"/** Any step of a trace, told apart by `kind`. */\nexport type Step =\n  | {members};")
    return HEADER + "\n" + "\n\n".join(blocks) + "\n"


if __name__ == "__main__":
    TARGET.write_text(render(), encoding="utf-8")
