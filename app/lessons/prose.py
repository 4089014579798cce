"""The text of lessons, in which every number is a claim that can be checked.

Words between backticks are code. A claim stands between braces and reads as its value alone::

    Now `w.grad` is {w.grad = 12 @ loss.backward()}, not 6.

shows "Now `w.grad` is 12, not 6." and asserts that 12 is what ``w.grad`` gives once the statement with
``loss.backward()`` in it has run. (The 6 would be refused: a digit in plain text is a claim that nobody makes.) Its
parts:

* the subject, a Python expression over the snippet's names. Besides them there are ``printed``, the lines of output so
  far, and ``sent(node, slot)``, the gradient that a node sent along one of its edges in the pass before;
* `` = `` and the value as people read it: a number, rounded as far as it is written, ``None``, ``True``, a list, a
  shape, a text, a grad_fn's name;
* `` @ `` and an anchor: text of the snippet; the moment is the end of the statement that holds it. `` #2`` behind it
  picks the second of equal pieces of text, `` turn 3`` the third time that the statement runs. Without an anchor the
  moment is the end of the run.

Only the standard library is imported here: the recorder reads this with the Python that real PyTorch lives in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_CLAIM = re.compile(r"\{(?P<subject>[^{}]+?) = (?P<value>[^{}]+?)(?: @ (?P<moment>[^{}]+))?\}")
_MOMENT = re.compile(r"(?P<on>.+?)(?: #(?P<occurrence>\d+))?(?: turn (?P<turn>\d+))?")


@dataclass(frozen=True)
class Moment:
    """The end of a statement."""

    on: str
    """Text that stands in the statement."""
    occurrence: int | None = None
    """Which of several equal pieces of text, from 1; None when there is only one."""
    turn: int = 1
    """Which time that the statement runs, from 1."""


@dataclass(frozen=True)
class Claim:
    """What a piece of text asserts about the run."""

    subject: str
    """A Python expression over the snippet's names."""
    value: str
    """What it gives, as people read it."""
    moment: Moment | None = None
    """When; None is the end of the run."""


class Prose(str):  # noqa: SLOT000 (what it knows needs a dict)
    """A text as people read it, which knows what it claims. Made from its source, as a lesson's file has it."""

    claims: tuple[Claim, ...]
    words: str
    """The text without its claims and without what stands between backticks: what may hold no digit."""
    code: tuple[str, ...]
    """What stands between backticks, where it is no claim."""

    def __new__(cls, source: str) -> Prose:
        """Raises ValueError when a brace opens or closes nothing."""
        outside = _CLAIM.sub("", source)
        if "{" in outside or "}" in outside:
            raise ValueError(
                f"braces without a claim in {source!r}; write {{subject = value}} or "
                "{subject = value @ text of the snippet}"
            )
        prose = super().__new__(cls, _CLAIM.sub(lambda found: found["value"], source))
        prose.claims = tuple(_claim(found) for found in _CLAIM.finditer(source))
        pieces = outside.split("`")
        prose.words, prose.code = " ".join(pieces[::2]), tuple(filter(None, pieces[1::2]))
        return prose

    @staticmethod
    def of(text: str) -> Prose:
        """The same text, known to be prose (pydantic's fields say ``str``)."""
        assert isinstance(text, Prose)
        return text


def _claim(found: re.Match[str]) -> Claim:
    if found["moment"] is None:
        return Claim(found["subject"], found["value"])
    parts = _MOMENT.fullmatch(found["moment"])
    assert parts is not None
    occurrence = int(parts["occurrence"]) if parts["occurrence"] else None
    return Claim(found["subject"], found["value"], Moment(parts["on"], occurrence, int(parts["turn"] or 1)))
