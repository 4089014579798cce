"""Honest documents to start from, and ways to spoil them."""

from __future__ import annotations

import copy
from typing import Any

import msgspec

from engine.trace.play import play

SNIPPET = """\
import torch

a = torch.tensor(3.0, requires_grad=True)
b = torch.tensor(4.0, requires_grad=True)
c = a * b
d = c + a
d.backward()
print(a.grad.item(), b.grad.item())
"""

_HONEST: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(play(SNIPPET)))


def honest() -> dict[str, Any]:
    """The seed snippet's document, as plain dicts and lists that a test may spoil."""
    return copy.deepcopy(_HONEST)


def step(document: dict[str, Any], kind: str) -> dict[str, Any]:
    """The first step of a kind."""
    found: dict[str, Any] = next(item for item in document["steps"] if item["kind"] == kind)
    return found
