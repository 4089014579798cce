"""Every setting of the service: name, type, default and a sentence, in one place.

A setting is read from the environment variable ``BACKPLAY_<NAME>``. ``python -m app.settings`` prints the table.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.cores import cores

PREFIX = "BACKPLAY_"
LIKENESS = 0.7
"""From here on two names count as one misspelt: PUBLC and PUBLIC do, SERVICE_PORT and PORT do not."""
ROOT = Path(__file__).resolve().parent.parent


class SettingsError(ValueError):
    """A setting holds a value that it cannot have; the message names variable, value and remedy."""


class Settings(BaseModel):
    """What an operator can choose. Limits of a run are the sandbox's own policy (`engine.sandbox.limits`)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str = Field(
        default="127.0.0.1", description="Address to listen on; 0.0.0.0 opens the service to the network."
    )
    port: int = Field(default=8000, ge=0, le=65535, description="TCP port to listen on; 0 lets the system choose.")
    public: bool = Field(
        default=False,
        description="Refuse to start unless the sandbox has seccomp, no_new_privs and a non-root user; set it wherever "
        "strangers can paste code.",
    )
    runners: int = Field(
        default_factory=cores,
        ge=1,
        le=256,
        description="How many snippets run at the same time; more than the cores only makes each slower.",
    )
    queue_seconds: float = Field(
        default=2.0,
        gt=0,
        le=60,
        description="How long a run may wait for a free runner before the service answers 503 with Retry-After.",
    )
    cache_megabytes: int = Field(
        default=64,
        ge=0,
        le=65536,
        description="Memory for compressed traces of earlier runs; 0 runs every snippet anew.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="The least severe log line that is written; requests are logged at info."
    )
    frame_ancestors: str = Field(
        default="*",
        pattern=r"^[!-+\--:<-~][ -+\--:<-~]*$",  # printable ASCII: it becomes a header, in which ; and , separate
        description="Which sites may show /embed in a frame, as in the Content-Security-Policy: *, 'none', or addresses.",
    )
    built: Path = Field(
        default=ROOT / "static" / "built", description="Folder of the built front end, which `make build` fills."
    )

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """Read the settings from ``BACKPLAY_*`` variables.

        Raises:
            SettingsError: a variable holds a value its setting cannot have, or is named almost like one.
        """
        if misspelt := {name: near for name in environment if (near := meant(name))}:
            raise SettingsError(
                "\n".join(f"{name} is no setting. Do you mean {near}?" for name, near in misspelt.items())
            )
        given = {name: environment[variable(name)] for name in cls.model_fields if variable(name) in environment}
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            faults = (
                f"{variable(str(fault['loc'][0]))}={fault['input']!r}: {fault['msg']}. "
                f"{cls.model_fields[str(fault['loc'][0])].description}{set_by_another(str(fault['input']))}"
                for fault in error.errors()
            )
            raise SettingsError("\n".join(faults)) from error


def variable(name: str) -> str:
    """The environment variable of a setting: ``queue_seconds`` is ``BACKPLAY_QUEUE_SECONDS``."""
    return PREFIX + name.upper()


def meant(name: str) -> str | None:
    """The variable that ``name`` is likely a misspelling of; other programs' variables may have our prefix."""
    known = [field.upper() for field in Settings.model_fields]
    own = name.removeprefix(PREFIX)
    if own == name or own in known:
        return None
    near = difflib.get_close_matches(own, known, 1, LIKENESS)
    return PREFIX + near[0] if near else None


def set_by_another(value: str) -> str:
    """What to add about a value that nobody typed."""
    if not value.startswith("tcp://"):
        return ""
    return (
        " Kubernetes sets this variable for a Service named backplay: name the Service otherwise, or say "
        "`enableServiceLinks: false` in the pod."
    )


def table() -> str:
    """All settings as a Markdown table, for people and for the README."""
    rows = ["| variable | type | default | what it does |", "|---|---|---|---|"]
    for name, field in Settings.model_fields.items():
        kind = " or ".join(get_args(field.annotation)) or getattr(field.annotation, "__name__", "")
        default = "number of cores" if field.default_factory else str(field.default).removeprefix(f"{ROOT}/")
        rows.append(f"| `{variable(name)}` | {kind} | {default} | {field.description} |")
    return "\n".join(rows)


if __name__ == "__main__":
    print(table())
