"""Runs a lesson's program and looks at it where the lesson makes its claims. Whichever ``torch`` it imports answers."""

from __future__ import annotations

import ast
import contextlib
import io
import math
import warnings
from typing import Any

from app.lessons.anchors import has_no_end, statement_at
from tests.oracle.lesson_programs import Program, key

PROBE = "__look__"


def observe(program: Program) -> dict[str, Any]:
    """How the program ends, what it prints, and what each claim's subject gives at its moment."""
    looking = Looking(program)
    space: dict[str, Any] = {"__name__": "__main__", PROBE: looking.after}
    outcome = "ok"
    with contextlib.redirect_stdout(looking.output), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(probed(program.code), "snippet.py", "exec"), space)
        except Exception as error:
            outcome = f"{type(error).__name__}: {str(error).splitlines()[0]}"
        looking.at_the_end(space)
    return {"outcome": outcome, "stdout": looking.output.getvalue(), "answers": looking.answers}


def probed(code: str) -> ast.Module:
    """The program with a look after every statement that has an end."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                setattr(node, name, [part for statement in block for part in (statement, *look_after(statement))])
    return ast.fix_missing_locations(tree)


def look_after(statement: ast.stmt) -> list[ast.stmt]:
    if has_no_end(statement):
        return []
    look = ast.parse(f"{PROBE}({statement.lineno}, {statement.col_offset}, globals() | locals())").body[0]
    return [ast.copy_location(look, statement)]


class Looking:
    """Answers claims while their program runs."""

    def __init__(self, program: Program) -> None:
        self.output = io.StringIO()
        self.answers: dict[str, Any] = {}
        self.sent: dict[Any, list[Any]] = {}
        """What each node sent along its edges in the last pass that ran it."""
        self.times: dict[tuple[int, int], int] = {}
        self.asked: dict[tuple[int, int], list[tuple[int, str, str]]] = {}
        """(turn, subject, key) by the position of the statement after which it is asked."""
        self.asked_last: list[tuple[str, str]] = []
        for claim in program.claims:
            if claim.moment is None:
                self.asked_last.append((claim.subject, key(claim)))
                continue
            statement = statement_at(program.code, claim.moment.on, claim.moment.occurrence)
            position = statement.lineno, statement.col_offset
            self.asked.setdefault(position, []).append((claim.moment.turn, claim.subject, key(claim)))

    def after(self, line: int, column: int, names: dict[str, Any]) -> None:
        """A statement has ended."""
        for value in list(names.values()):
            self.follow(getattr(value, "grad_fn", None))
        self.times[line, column] = self.times.get((line, column), 0) + 1
        for turn, subject, asked in self.asked.get((line, column), []):
            if turn == self.times[line, column]:
                self.answers[asked] = self.answer(subject, names)

    def at_the_end(self, names: dict[str, Any]) -> None:
        """The run is over."""
        for subject, asked in self.asked_last:
            self.answers[asked] = self.answer(subject, names)

    def follow(self, node: Any) -> None:
        """Listens to what a node and those behind it send."""
        if node is None or node in self.sent:
            return
        self.sent[node] = []
        node.register_hook(lambda sent, _: self.sent.__setitem__(node, list(sent)))
        for following, _ in node.next_functions:
            self.follow(following)

    def answer(self, subject: str, names: dict[str, Any]) -> Any:
        helpers = {
            "printed": self.output.getvalue().splitlines(),
            "sent": lambda node, slot: self.sent[node][slot],
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return plain(eval(subject, {**names, **helpers}))


def plain(value: Any) -> Any:
    """A value as JSON can hold it: tensors as lists, nodes by name, nan and infinities as text."""
    if hasattr(value, "next_functions"):
        return value.name().rpartition("::")[2] if "CopySlices" in value.name() else type(value).__name__
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [plain(element) for element in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
