"""Plays a snippet: runs it on the drop-in torch and returns its trace.

`play` is what the sandbox's child calls, in a process that was warmed up by `engine.trace.environment.drop_in.load`. It touches
the process (standard streams, ``sys.modules``, warnings) and puts everything back. Same code, same trace: generators
and counters are reset before the run.
"""

from __future__ import annotations

import linecache
import random
import sys
import types
import warnings

import numpy as np

from engine.late import without_collecting
from engine.observe import state as observing
from engine.trace.assemble import document
from engine.trace.document import Outcome, Trace
from engine.trace.environment import collection, drop_in, tracebacks
from engine.trace.environment.capture import Capture
from engine.trace.environment.reset import reset_engine
from engine.trace.environment.run_files import RunFiles
from engine.trace.explain import explain
from engine.trace.follower import Follower
from engine.trace.instrument import hooked, instrument
from engine.trace.limits import Limits
from engine.trace.outcome.ending import error_outcome, limit_outcome, syntax_outcome
from engine.trace.program import Program
from engine.trace.recording.recorder import Recorder
from engine.trace.registry import Registry
from engine.trace.scopes import ScopeStack
from engine.trace.spans import Locator, Source
from engine.trace.tape import Sink, Tape

FILENAME = "snippet.py"


def play(code: str, limits: Limits | None = None, sink: Sink | None = None, words: bool = True) -> Trace:
    """Runs ``code`` and returns everything that happened.

    Args:
        code: the snippet.
        limits: budgets; the defaults are the service's.
        sink: called with a `Batch` now and then, so that a killed run leaves its steps (see `Assembler`).
        words: False leaves narration, diagnosis and questions out.

    Never raises for what the snippet does: a syntax error, an exception or a spent budget is an outcome.
    """
    trace = record(code, limits or Limits(), sink)
    if not words:
        return trace
    # Thousands of small objects are made and none is garbage: looking for cycles would double the time.
    with without_collecting():
        return explain(trace)


@collection.as_unwatched()
def record(code: str, limits: Limits, sink: Sink | None) -> Trace:
    """The trace without words."""
    try:
        program = parsed(code)
    except SyntaxError as error:
        return document(code, syntax_outcome(error, Source(code)), "", ScopeStack().rows, [], [], [], 0)
    except (ValueError, RecursionError, MemoryError) as error:
        # Null bytes and lone surrogates, or nesting beyond what Python's parser takes.
        unreadable = SyntaxError(str(error) or "the code is nested too deeply")
        return document(code, syntax_outcome(unreadable, Source("")), "", ScopeStack().rows, [], [], [], 0)
    scopes = ScopeStack()
    tape = Tape(limits, sink, scopes.rows)
    outcome, follower = run(program, tape, scopes, limits)
    tape.flush(outcome)
    if (window := follower.worth_another_run(raised=outcome.status == "error")) is not None:
        scopes = ScopeStack()
        # Without a sink: what the first run sent, and how it ended, stays should this one be killed.
        with_window = Tape(limits, None, scopes.rows, limits.window)
        outcome_again, follower = run(program, with_window, scopes, limits, window)
        if follower.opened:
            outcome, tape = outcome_again, with_window
            tape.flush()
    output = "".join(tape.output)
    return document(code, outcome, output, tape.scopes, tape.nodes, tape.tensors, tape.steps, tape.folded)


def parsed(code: str) -> Program:
    """The instrumented program. Python's own compiler sees the plain code first: its errors are the ones to show."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compile(code, FILENAME, "exec", dont_inherit=True)
        return instrument(code, FILENAME)


def run(
    program: Program, tape: Tape, scopes: ScopeStack, limits: Limits, window: int | None = None
) -> tuple[Outcome, Follower]:
    """Executes the program with everything listening.

    Args:
        window: the statement from which on steps are kept again, once their budget is spent.

    Returns:
        How it ended, and who followed it.
    """
    locator = Locator(program.source, FILENAME, program.positions)
    registry = Registry(tape)
    follower = Follower(program, limits, tape, registry, scopes, locator, window)
    follower.recorder = recorder = Recorder(follower, tape, registry, scopes, locator)
    capture = Capture(follower, tape, scopes, locator)
    instrumented = hooked(program, follower)
    main = types.ModuleType("__main__")
    main.__file__ = FILENAME
    lines = [line + "\n" for line in program.source.lines]
    linecache.cache[FILENAME] = (len(program.source.code), None, lines, FILENAME)
    argv, sys.argv = sys.argv, [FILENAME]
    reset_engine()
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 (the snippet's own numpy, where it uses the global generator)
    files = RunFiles()
    with drop_in.installed(main, FILENAME), capture.installed(), tracebacks.snippets_own(), files.installed():
        observing.listener = recorder
        try:
            exec(instrumented, main.__dict__)
        except SystemExit as end:
            if end.code is not None and not isinstance(end.code, int):
                capture.wrote(f"{end.code}\n", "stderr")
        except BaseException as error:  # noqa: BLE001 (whatever the snippet raises is the run's outcome)
            observing.listener = None
            return error_outcome(error, locator, registry), follower
        finally:
            observing.listener = None
            follower.over()
            sys.argv = argv
            linecache.cache.pop(FILENAME, None)
    if follower.work < 0:  # the snippet's last statement swallowed the exception
        return limit_outcome("output" if capture.spent else "steps", None), follower
    return Outcome("ok"), follower
