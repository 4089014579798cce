"""Data that makes no tensor: text, rows of several lengths, lengths that are no whole numbers, whole numbers that should learn."""

from __future__ import annotations

import ast
import re

from engine.trace.diagnosis.answer import Found
from engine.trace.diagnosis.errors.refused_calls.call import Call
from engine.trace.diagnosis.errors.refused_calls.objects import assignment
from engine.trace.marks import code

ERROR = "error"


def given_data(call: Call) -> tuple[ast.expr, ast.expr] | None:
    """(argument, the list that it is) of ``torch.tensor(rows)``, where that list is written down."""
    if not isinstance(call.node, ast.Call) or not call.node.args:
        return None
    argument = call.node.args[0]
    bound = assignment(call, ast.unparse(argument)) if isinstance(argument, ast.Name) else None
    return argument, bound.value if bound is not None else argument


def text_in_a_tensor(call: Call) -> Found:
    """Numbers that are written as text."""
    given = given_data(call)
    if given is None:
        return None
    argument, value = given
    name = call.history.quoted(call.history.source.span(argument))
    text = f"{name} holds text, and a tensor holds numbers."
    plain = isinstance(value, ast.List) and all(isinstance(e, ast.Constant) and is_number(e.value) for e in value.elts)
    better = f"[float(each) for each in {ast.unparse(argument)}]"
    fix = call.replaced(argument, better) if plain else None
    return None, call.answer(
        ERROR, text, fix, "Give each word a number first, such as its place in a list of all words."
    )


def is_number(value: object) -> bool:
    """Whether text spells a number."""
    return isinstance(value, str) and re.fullmatch(r"\s*-?\d+(?:\.\d*)?(?:e-?\d+)?\s*", value) is not None


def ragged(call: Call) -> Found:
    """Rows of several lengths."""
    found = re.search(r"expected sequence of length (\d+) at dim (\d+) \(got (\d+)\)", call.message)
    given = given_data(call)
    if found is None or given is None:
        return None
    name = call.history.quoted(call.history.source.span(given[0]))
    text = f"{name} holds rows of {found[1]} and of {found[3]} entries in dimension {found[2]}; a tensor has one length in each dimension."
    return None, call.answer("shape_mismatch", text, "Pad them to one length, or make a tensor of each.")


def no_whole_length(call: Call) -> Found:
    """A length that is a float, often the result of ``/``."""
    if not isinstance(call.node, ast.Call) or "combination of arguments - got (" not in call.message:
        return None
    given = next((g for g in call.refused.given if g.type == "float" and re.fullmatch(r"\d+\.\d+", g.text)), None)
    if given is None or not given.argument.isdigit():
        return None
    function = ast.unparse(call.node.func).rpartition(".")[2]
    if function not in ("zeros", "ones", "empty", "randn", "rand", "view", "reshape", "new_zeros", "new_ones"):
        return None
    place = int(given.argument) - (function in ("view", "reshape", "new_zeros", "new_ones"))
    if not 0 <= place < len(call.node.args):
        return None
    argument = call.node.args[place]
    bound = assignment(call, ast.unparse(argument)) if isinstance(argument, ast.Name) else None
    value = bound.value if bound is not None else argument
    quoted = call.history.quoted(call.history.source.span(argument))
    whence = f" ({code(ast.unparse(value))}, line {value.lineno})" if bound is not None else ""
    text = f"{quoted}{whence} is {given.text}, a float: a length has to be an int."
    fix = call.replaced(argument, f"int({ast.unparse(argument)})")
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Div):
        text += " In Python `/` always gives a float, `//` an int."
        span = call.history.source.span(value)
        fix = call.instead(span, f"{ast.unparse(value.left)} // {ast.unparse(value.right)}")
    return None, call.answer("dtype_mismatch", text, fix)


def whole_numbers_that_learn(call: Call) -> Found:
    """``requires_grad`` of whole numbers."""
    given = call.tensor("self")
    if given is not None:
        span = call.row(given).span
        held = f"{call.name(given)}{call.origin(given)} holds {call.row(given).dtype} values"
    else:
        span, held = call.span, f"{call.history.quoted(call.span)} holds whole numbers"
    text = f"{held}, which have no slope: only real numbers can be moved a little."
    made = next(
        (n for n in ast.walk(call.history.tree) if isinstance(n, ast.Call) and call.history.source.span(n) == span),
        None,
    )
    fix = None
    if (
        made is not None
        and span is not None
        and span.line == span.end_line
        and not any(k.arg == "dtype" for k in made.keywords)
    ):
        whole = call.history.text(span)
        makes = ast.unparse(made.func).rpartition(".")[2] in (
            "tensor",
            "arange",
            "randint",
            "zeros",
            "ones",
            "full",
            "as_tensor",
        )
        fix = call.instead(span, f"{whole[:-1]}, dtype=torch.float32)") if makes else None
    return given, call.answer(
        "dtype_mismatch", text, fix, "Gradients need real numbers: make it with `dtype=torch.float32`."
    )
