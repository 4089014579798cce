"""The instrumented snippet runs unchanged, says where it is, and cannot see who listens."""

from __future__ import annotations

import contextlib
import io
import sys
import traceback
from typing import Any

import pytest

from engine.trace.instrument import hooked, instrument
from engine.trace.program import Program

FILENAME = "snippet.py"


class Log:
    """Hooks that write down what they hear."""

    def __init__(self, budget: int = 100_000) -> None:
        self.program: Program
        self.heard: list[str] = []
        self.budget = budget

    def line(self, statement: int) -> None:
        self.budget -= 1
        if self.budget < 0:
            raise Spent
        self.heard.append(f"line {self.program.statements[statement].span.line}")

    resumed_line = line

    def tick(self) -> bool:
        self.budget -= 1
        if self.budget < 0:
            raise Spent
        return True

    def entered(self, function: int, *parameters: Any) -> None:
        shown = ", ".join(map(repr, parameters))
        self.heard.append(f"enter {self.program.functions[function].name}({shown})")

    def left(self) -> None:
        self.heard.append("left")

    def suspended(self, value: Any) -> Any:
        self.heard.append("suspended")
        return value

    def resumed(self, value: Any) -> Any:
        return value

    def turn(self, loop: int) -> None:
        self.heard.append(f"turn {self.program.loops[loop].text}")

    def innermost(self, loop: int) -> None:
        pass

    def bound(self, binding: int, base: Any) -> None:
        target = self.program.bindings[binding]
        self.heard.append(f"bound {'.'.join([target.name, *target.path])} from {type(base).__name__}")

    def walrus(self, binding: int, value: Any) -> Any:
        self.heard.append(f"walrus {self.program.bindings[binding].name} {value!r}")
        return value

    def unbound(self, binding: int) -> None:
        self.heard.append(f"unbound {self.program.bindings[binding].name}")


class Spent(BaseException):
    """The budget is gone."""


def run(code: str, budget: int = 100_000, **names: Any) -> tuple[Log, dict[str, Any], str]:
    log = Log(budget)
    log.program = instrument(code, FILENAME)
    space: dict[str, Any] = {"__name__": "__main__", **names}
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(hooked(log.program, log), space)
    return log, space, output.getvalue()


UNCHANGED = {
    "generator": """\
def g():
    x = yield 1
    print(x)
    yield from (2, 3)
i = g()
print(next(i), i.send('s'), list(i))
""",
    "throw": """\
def g():
    try:
        yield 1
    except KeyError:
        yield 2
i = g()
print(next(i), i.throw(KeyError))
""",
    "coroutine": """\
async def f(x):
    return x + 1
async def h():
    y = await f(1)
    return [await f(k) for k in range(y)]
c = h()
try:
    c.send(None)
except StopIteration as e:
    print(e.value)
""",
    "class": """\
class A:
    'doc'
    k = 3
    def m(self, x=k):
        self.v = x
        return self
    @property
    def p(self):
        print('property ran')
        return 1
    @p.setter
    def p(self, v):
        print('set', v)
a = A().m()
a.p = 5
print(A.__doc__, a.v, sorted(k for k in vars(A) if not k.startswith('__')))
""",
    "decorator": """\
import functools
def d(f):
    @functools.wraps(f)
    def inner(*a, **k):
        return f(*a, **k) * 2
    return inner
@d
def t(x, /, y=1, *z, w=2, **q):
    'the doc'
    return x + y + w
print(t(1), t.__doc__, t.__name__)
""",
    "lambda": """\
f = lambda x, y=(lambda: 2)(): x * y
print([f(i) for i in range(3) if i], {i: f(i) for i in (1, 2)}, sum(f(i) for i in (1,)))
""",
    "scopes": """\
n = 0
def up():
    global n
    n += 1
    k = 0
    def inner():
        nonlocal k
        k += 1
        return k
    inner()
    return inner()
print(up(), n)
""",
    "future": """\
'doc'
from __future__ import annotations
def f(x: Undefined) -> AlsoUndefined:
    return x
print(f(1), f.__annotations__, __doc__)
""",
    "match": """\
def f(v):
    match v:
        case {'k': [a, *rest], **more} if a:
            return a, rest, more
        case (1 | 2) as n:
            return n
        case str() as s:
            return s
        case _:
            return None
print(f({'k': [1, 2, 3], 'z': 0}), f(2), f('s'), f(None))
""",
    "names seen": """\
def f(a):
    b = 1
    return sorted(locals()), dir()
print(f(0), sorted(k for k in globals() if k[:2] != '__'), dir())
""",
    "loops": """\
for i in range(3):
    for j in range(2):
        if j: break
    else:
        print('never')
    if i == 1: continue
else:
    print('over', i, j)
while i:
    i -= 1
print(i)
""",
    "unpacking": """\
(a, [b, *c]), d = (1, 'xyz'), 4
x = y = z = 0
xs = [0, 0]
xs[1], x = 5, 6
print(a, b, c, d, x, y, z, xs)
""",
    "walrus": """\
if (n := 10) > 5 and (m := n + 1): print(n, m)
print([last := k for k in (1, 2)], last, (lambda: (q := 3))())
""",
    "with": """\
import contextlib
@contextlib.contextmanager
def c(v):
    print('in')
    yield v
    print('out')
with c((1, 2)) as (a, b), c(3) as d:
    print(a, b, d)
""",
    "try": """\
def f():
    try:
        return 1 / 0
    except ZeroDivisionError as e:
        print(e)
        return 2
    finally:
        print('end')
print(f())
""",
    "groups": """\
try:
    raise ExceptionGroup('g', [ValueError(1), KeyError(2)])
except* ValueError as e:
    print('v', e.exceptions)
except* KeyError:
    print('k')
""",
    "delete": """\
a = 1
class O: pass
o = O(); o.x = 1; d = {1: 2}
del a, o.x, d[1]
print(d, 'a' in globals(), vars(o))
""",
    "dataclass": """\
from dataclasses import dataclass
from enum import Enum
@dataclass
class P:
    x: int = 1
    y: float = 2.0
class E(Enum):
    A = 1
    B = 2
print(P(), list(E))
""",
    "mangling": """\
class A:
    def __init__(self):
        self.__x = 1
        __y = 2
        self.z = __y
print(vars(A()))
""",
    "recursion": """\
def f(n):
    return f(n + 1)
try:
    f(0)
except RecursionError as e:
    print(type(e).__name__)
""",
    "docstring only": """\
def f():
    'only this'
print(f(), f.__doc__)
""",
    "one line": """\
for i in (1, 2): print(i); x = i
if x: y = 1; print(y)
""",
    "strings": """\
# -*- coding: utf-8 -*-
s = 'é' + f'{1 + 1!r:>{3}} {(lambda: 2)()}'; print(s)
""",
    "empty": "",
}


@pytest.mark.parametrize("code", UNCHANGED.values(), ids=UNCHANGED.keys())
def test_instrumented_snippet_prints_what_the_plain_one_prints(code: str) -> None:
    plain = io.StringIO()
    with contextlib.redirect_stdout(plain):
        exec(compile(code, FILENAME, "exec", dont_inherit=True), {"__name__": "__main__"})
    assert run(code)[2] == plain.getvalue()


def test_statements_bindings_and_turns_are_heard_in_order() -> None:
    log, _, _ = run("class O: pass\no = O()\nfor i in (1, 2):\n    o.w = i\ndef f(a, b=2):\n    return a\nf(1)\n")
    assert log.heard == [
        "line 1", "line 1", "line 2", "bound o from O", "line 3",
        "turn for i in (1, 2)", "bound i from int", "line 4", "bound o.w from O",
        "turn for i in (1, 2)", "bound i from int", "line 4", "bound o.w from O",
        "line 5", "line 7", "enter f(1, 2)", "line 6", "left",
    ]  # fmt: skip


def test_containers_are_handed_over_again_after_a_method_call() -> None:
    log, _, _ = run("xs = []\nxs.append(1)\n")
    assert log.heard == ["line 1", "bound xs from list", "line 2", "bound xs from list"]


def test_walrus_and_delete_are_heard() -> None:
    log, _, _ = run("if (n := 3): pass\ndel n\n")
    assert log.heard == ["line 1", "walrus n 3", "line 1", "line 2", "unbound n"]


def test_headers_end_at_their_colon() -> None:
    program = instrument(
        "if (lambda: {1: 2}[1:2])() if 0 else x:  # why\n    y = 1\n@d\ndef f(a: int = 3) -> int: return a\n", FILENAME
    )
    texts = [program.source.text(statement.span) for statement in program.statements]
    assert texts == ["if (lambda: {1: 2}[1:2])() if 0 else x:", "y = 1", "def f(a: int = 3) -> int:", "return a"]


def test_traceback_shows_the_snippets_own_lines() -> None:
    code = "def f(x):\n    y = 1\n    return x / 0\n\nf(1)\n"
    with pytest.raises(ZeroDivisionError) as caught:
        run(code)
    frames = [f for f in traceback.extract_tb(caught.value.__traceback__) if f.filename == FILENAME]
    assert [(f.name, f.lineno, f.colno, f.end_colno) for f in frames] == [("<module>", 5, 0, 4), ("f", 3, 11, 16)]


ENDLESS = {
    "while": """\
while True:
    pass
""",
    "swallowed": """\
while True:
    try:
        x = 1
    except BaseException:
        pass
""",
    "swallowed in finally": """\
def f():
    while True:
        try:
            x = 1
        finally:
            continue
f()
""",
    "suppressed": """\
import contextlib
while True:
    with contextlib.suppress(BaseException):
        x = 1
""",
    "recursive handler": """\
def f():
    try:
        f()
    except BaseException:
        f()
f()
""",
    "comprehension": """\
[0 for _ in iter(int, 1)]
""",
    "generator expression": """\
sum(1 for _ in iter(int, 1))
""",
    "generator": """\
def g():
    while True:
        try:
            yield 1
        except BaseException:
            pass
for x in g():
    pass
""",
    "nested loops": """\
def f():
    while True:
        try:
            while True: x = 1
        except BaseException:
            y = 2
f()
""",
}


@pytest.mark.parametrize("code", ENDLESS.values(), ids=ENDLESS.keys())
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_endless_loop_ends_with_the_budget_whatever_it_catches(code: str) -> None:
    with pytest.raises(Spent):
        run(code, budget=2_000)


def test_hook_marks_do_not_collide_with_the_snippets_strings() -> None:
    assert run("s = '\\0hook line'\nprint(s == chr(0) + 'hook line')\n")[2] == "True\n"


@pytest.mark.skipif(sys.version_info < (3, 12), reason="PEP 701 tokens exist from Python 3.12 on")
def test_colons_in_nested_fstrings_are_not_headers() -> None:
    program = instrument("if f'{1:>3}' and f'{x!r:{4}}': y = 1\n", FILENAME)
    assert program.source.text(program.statements[0].span) == "if f'{1:>3}' and f'{x!r:{4}}':"
