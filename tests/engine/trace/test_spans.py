"""Where a statement stands in the snippet's text."""

from __future__ import annotations

import ast

import pytest

from engine.trace.instrument import hooked, instrument
from engine.trace.parts import Span
from engine.trace.spans import Locator, Source
from tests.engine.trace.test_instrument import FILENAME, Log

HEADERS = {
    "for i in range(3):\n    pass": Span(1, 0, 1, 18),
    "for i in range(3):  # thrice: no more\n    pass": Span(1, 0, 1, 18),
    "if x[1:]: pass": Span(1, 0, 1, 9),
    "if x[1:\n]: pass": Span(1, 0, 2, 2),
    "if (x[1:\n  2]):\n    pass": Span(1, 0, 2, 6),
    "while f(lambda: 1):\n\n    pass": Span(1, 0, 1, 19),
    "def f(a: int = 1,\n      b: int = 2):\n    pass": Span(1, 0, 2, 18),
    "@g(1)\ndef f():\n    pass": Span(2, 0, 2, 8),
    "class A:\n    pass": Span(1, 0, 1, 8),
    "with a as b, \\\n     c:\n    pass": Span(1, 0, 2, 7),
    "match x:\n    case 1:\n        pass": Span(1, 0, 1, 8),
    "x = {1: 2}": Span(1, 0, 1, 10),
}


@pytest.mark.parametrize("code", HEADERS)
def test_a_header_ends_behind_the_colon_before_its_body(code: str) -> None:
    [statement] = ast.parse(code).body
    assert Source(code).header(statement) == HEADERS[code]


def test_locator_finds_the_columns_of_the_running_operation() -> None:
    code = "é = 'ü'; z = here() + here(\n  1)\ndef f():\n    return here()\nxs = [f() for _ in (1,)]\n"
    spans = []
    program = instrument(code, FILENAME)
    locator = Locator(program.source, FILENAME, program.positions)

    def here(*_: int) -> int:
        def deeper() -> int:
            spans.append(locator.here())
            return 1

        return deeper()

    log = Log()
    log.program = program
    exec(hooked(program, log), {"here": here})
    assert [program.source.text(span) for span in spans if span] == ["here()", "here( 1)", "here()"]
    assert spans[0] == Span(1, 13, 1, 19)
