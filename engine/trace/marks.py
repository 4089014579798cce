"""Sets code apart from words: code inside a sentence stands in backticks, so that the variable `a` is not the article.

Names of the snippet are marked where they enter a sentence (`code`); `marked` joins them with what follows
(`` `a`.grad`` is one thing) and marks what can only be code.
"""

from __future__ import annotations

import ast
import functools
import re

_INNER = re.compile(r"(?:(result \d+ of|the copy of|unpacked|packed)|(\w+) in) (.+)", re.DOTALL)
_CONTINUED = re.compile(r"\.?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?:\(\w*\))?")
_CODE = re.compile(
    r"""
    https?://\S+                                            # addresses, which stay as they are
  | (?<![\w`.])
    (?:
        \w+Backward\d*\b                                    # nodes
      | AccumulateGrad\b
      | [A-Za-z_][\w.]*\((?:[^()]|\([^()]*\))*\)            # calls, and calls of what they give
        (?:\.[A-Za-z_]\w*\((?:[^()]|\([^()]*\))*\))*
      | (?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*                     # dotted names
      | [a-z_]\w+=[\w.]*\w                                  # arguments by name
      | grad_fn\b | requires_grad\b | retain_graph\b | no_grad\b
    )
  | (?<![^\s(])\.[a-z_]\w*(?:\([\w=, .]*\))?                # attributes of anything
    """,
    re.VERBOSE,
)

_HINT = re.compile(r"[(=_]|\.[A-Za-z_]|Backward|Accumulate")
"""What every match of `_CODE` has somewhere: most words are done with after one quick look."""


def code(text: str) -> str:
    """Source text or a name inside a sentence.

    Labels of several words keep them: ``result 2 of xs.sort()``, ``mul in f(x)``, ``unpacked a``.
    """
    if not text or "`" in text or text == "an unnamed tensor":
        return text
    inner = _INNER.fullmatch(text)
    if inner is None:
        return f"`{text}`"
    return f"{inner[1]} {code(inner[3])}" if inner[1] else f"`{inner[2]}` in `{inner[3]}`"


def grouped(text: str) -> str:
    """Source text ready to have ``.name`` put behind it: ``(a * b)``, but ``a``, ``f(a)`` and ``xs[0]`` as they are."""
    try:
        parsed = ast.parse(text, mode="eval").body
    except SyntaxError:
        return text  # a shortened label such as net[0](…)
    return text if isinstance(parsed, ast.Name | ast.Attribute | ast.Call | ast.Subscript) else f"({text})"


@functools.lru_cache(maxsize=8192)
def marked(sentence: str) -> str:
    """The sentence with all its code in backticks. Marking twice changes nothing."""
    pieces = sentence.split("`")
    if len(pieces) % 2 == 0:
        return sentence  # a backtick of somebody else's: nothing can be told apart
    for index in range(1, len(pieces), 2):
        following = _CONTINUED.match(pieces[index + 1])
        if following:
            pieces[index] += following[0]
            pieces[index + 1] = pieces[index + 1][following.end() :]
    for index in range(0, len(pieces), 2):
        if _HINT.search(pieces[index]):
            pieces[index] = _CODE.sub(_in_backticks, pieces[index])
    return "`".join(pieces)


def _in_backticks(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith("http") else f"`{found[0]}`"


def bare(sentence: str) -> str:
    """The sentence without marks, as it is read aloud."""
    return sentence.replace("`", "")
