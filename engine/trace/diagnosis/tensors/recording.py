"""Where recording was switched off, and the change that switches it on for a line: of a block, a decorator or a call."""

from __future__ import annotations

import ast
import re

from engine.trace import events
from engine.trace.diagnosis.history import History
from engine.trace.enclosing import around
from engine.trace.marks import code
from engine.trace.parts import Span


def switch_on(history: History, step: int, span: Span | None, mode: str) -> str:
    """What to do so that the line of a departure (at ``step``, in the columns ``span``) is recorded.

    Args:
        mode: ``no_grad`` or ``inference_mode``: how the departure says it left.
    """
    line = f"line {span.line}" if span is not None else "this step"
    words = "no_grad" if mode == "no_grad" else "inference_mode"
    off = switched_off(history, step)
    block = _block(history, off)
    if block is not None:
        return f"Move {line} out of the `{words}` block that begins on line {block}."
    decorated = _decorated(history, step, span)
    if decorated is not None:
        function, decorator, at = decorated
        return f"Take {code(decorator)} off {function}() (line {at})."
    if off is not None and re.match(r"(?:torch\.)?set_grad_enabled\(", history.text(off)):
        return f"Switch recording on again before {line}, by `torch.set_grad_enabled(True)`: line {off.line} switched it off."
    if off is not None and off != span:
        return f"Let {line} run outside of what {code(history.text(off))} on line {off.line} switched off."
    return f"Move {line} out of {'the no_grad block' if mode == 'no_grad' else 'inference mode'}."


def switched_off(history: History, step: int) -> Span | None:
    """The columns of the switch that holds at a step: the last one that was not taken back."""
    off: list[Span | None] = []
    for event in history.trace.steps[:step]:
        if isinstance(event, events.ModeChanged) and event.mode == "grad":
            if event.enabled:
                off.clear()
            else:
                off.append(event.span)
    return off[-1] if off else None


def _block(history: History, off: Span | None) -> int | None:
    """The line of the with statement that switched it off."""
    if off is None:
        return None
    for node in history.nodes:
        if isinstance(node, ast.With | ast.AsyncWith):
            own = history.source.span(node)
            if own.line == off.line and _switches(history, node):
                return own.line
    return None


def _switches(history: History, block: ast.With | ast.AsyncWith) -> bool:
    """Whether a with statement is there for the gradient mode, perhaps by a variable: ``with context:``."""
    words = " ".join(history.text(history.source.span(item.context_expr)) for item in block.items)
    return re.search(r"grad|inference", words) is not None or all(
        isinstance(i.context_expr, ast.Name) for i in block.items
    )


def _decorated(history: History, step: int, span: Span | None) -> tuple[str, str, int] | None:
    """(function, decorator, its line) for the innermost decorated function that was running."""
    functions = [node for node in history.nodes if isinstance(node, ast.FunctionDef) and node.decorator_list]
    running = {
        history.trace.scopes[scope].title.partition("(")[0].rpartition(".")[2]
        for scope in around(history.trace, history.trace.steps[step].scope)
        if history.trace.scopes[scope].kind == "function"
    }
    lines = range(span.line, span.line + 1) if span is not None else range(0)
    for node in sorted(functions, key=lambda node: -node.lineno):
        inside = any(node.lineno <= line <= (node.end_lineno or node.lineno) for line in lines)
        for decorator in node.decorator_list:
            text = history.text(history.source.span(decorator))
            if (inside or node.name in running) and re.search(r"no_grad|inference_mode|set_grad_enabled", text):
                return node.name, f"@{text}", decorator.lineno
    return None
