"""Gradients on their way: sent along an edge, summed to a smaller shape, added to what waits."""

from __future__ import annotations

import ast
import functools
import math
import re

from engine.trace import events
from engine.trace import formula as formulas
from engine.trace.derivatives.readings import STANDS_FOR
from engine.trace.document import Edge, Node
from engine.trace.elements import single
from engine.trace.marks import code
from engine.trace.narration.amounts import aside, is_spelled, listed, number_word, shown, times
from engine.trace.narration.symbols import GRAD, meanings, with_names, with_numbers
from engine.trace.narration.telling import Reader, Telling
from engine.trace.parts import Claim, Formula, Value
from engine.trace.values import spelled

SIGNS = {
    "σ(": "is the sigmoid function",
    "⋆": "slides the second over the first and adds up the products at each place",
    "∗": "lays the second, times each number of the first, at that number's place and adds up",
}
"""Signs of formulas that not everybody knows, and what they mean."""
LONGEST = 60
"""Characters of arithmetic that a sentence holds; longer, it is in the formula alone."""


def message_sent(reader: Reader, step: events.MessageSent, tell: Telling) -> None:
    """A gradient travels along an edge."""
    row = reader.trace.nodes[step.node]
    edge = row.edges[step.slot]
    to = reader.label(edge.tensor) if edge.tensor is not None else reader.node(step.to)
    claim = Claim("message", node=step.node, number=step.slot, text=None if step.value is None else step.value.text)
    if step.value is None:
        tell.say(f"{reader.node(step.node)} sends no gradient to {to}: it is undefined, which fills nothing.", claim)
        return
    arrived = incoming(reader, step.node)
    overwrites = edge.tensor is not None and edge.tensor in row.outputs
    if overwrites:
        to += " as it was before this write"
    summed = (step.node, step.slot) in reader.state.unbroadcast
    numeric, contradicts, smooth = with_numbers(reader, step.node, step.slot, arrived, step.value, summed)
    plain = None if contradicts else with_names(reader, step.node, step.slot, GRAD, smooth)
    if plain == formulas.total(GRAD) and arrived == step.value:
        plain = GRAD  # nothing was stretched, so there is nothing to add up
    step.derivative = "" if plain is None else formulas.plain(plain)
    passes = plain == GRAD
    spread = is_spread(arrived, step.value) and (plain is None or not formulas.is_placed(plain))
    first = step.value.data[0] if step.value.data else 0
    outcome = formulas.number(spelled(first) if spread else step.value.text)
    to_each = f"each of the {len(step.value.data or [])} elements of {to}" if spread else to
    name, result = reader.node(step.node), aside(step.value)
    if passes and arrived == step.value:
        tell.say(f"{name} passes {result} to {to}{', unchanged' if overwrites else ' unchanged'}.", claim)
    elif passes and spread:
        tell.say(f"{name} passes {aside(arrived)} to {to_each}.", claim)
    elif passes and not summed:
        tell.say(
            f"{name} passes the gradient to {to}, in its shape {step.value.shape} again: {shown(step.value)}.", claim
        )
    elif numeric is not None and numeric != outcome and is_spelled(step.value):
        step.substituted = formulas.plain(formulas.equals(numeric, outcome))
        arithmetic = Claim("arithmetic", node=step.node, number=step.slot, text=step.substituted)
        told = f"`{step.substituted}`" if len(step.substituted) <= LONGEST else outcome.text if spread else result
        tell.say(f"{name} sends {told} to {to_each}.", claim, arithmetic)
    else:
        tell.say(f"{name} sends {outcome.text if spread else result} to {to_each}.", claim)
    if overwrites and reader.told_overwrite != step.call:
        reader.told_overwrite = step.call
        tell.say(
            "That tensor and the result of the write have one name and one place in memory, and in the graph they are two.",
            Claim("written_over", node=step.node, tensor=edge.tensor),
        )
    explain(reader, step, tell, to, arrived, plain, summed)
    if plain is not None:
        tell.formula = drawn(reader, step, plain, numeric, outcome)
    elif step.substituted and numeric is not None:
        tell.formula = formulas.equals(numeric, outcome)
    if step.value.nonfinite:
        tell.say(not_finite(step.value), Claim("nonfinite", node=step.node, number=step.value.nonfinite))


def not_finite(value: Value) -> str:
    """``All its numbers are NaN.``"""
    what = "NaN" if value.nan == value.nonfinite else "infinite" if not value.nan else "not finite"
    size = math.prod(value.shape)
    if size == 1:
        return f"It is {what}."
    if size == value.nonfinite:
        return "None of its numbers is finite." if what == "not finite" else f"All its numbers are {what}."
    return (
        f"{number_word(value.nonfinite).capitalize()} of its numbers {'is' if value.nonfinite == 1 else 'are'} {what}."
    )


def incoming(reader: Reader, node: int) -> Value | None:
    """The one gradient that a node runs with; None where there are several."""
    ran = reader.state.ran.get(node)
    arrived = [value for value in ran.gradients if value is not None] if ran is not None else []
    return arrived[0] if len(arrived) == 1 else None


def is_spread(arrived: Value | None, sent: Value) -> bool:
    """Whether one number arrived and its equal went to every element: that is told once."""
    elements = sent.data or []
    return single(arrived) is not None and len(elements) > 1 and len(set(elements)) == 1


def explain(
    reader: Reader, step: events.MessageSent, tell: Telling, to: str, arrived: Value | None, plain: Formula | None,
    summed: bool,
) -> None:  # fmt: skip
    """Why that is the gradient: the derivative, the operator's own words, or that the person's function said so."""
    row = reader.trace.nodes[step.node]
    edge: Edge = row.edges[step.slot]
    if plain is not None and plain != GRAD:
        added = ", added up over the copies" if summed else ""
        what = f"; `grad` is what arrived, {shown(arrived)}" if arrived is not None else ""
        what += symbols_told(row.operator, step.derivative)
        told = meanings(reader, step.node, step.slot)
        tell.say(
            f"The derivative for {to} is `{step.derivative}`{added}{what}{''.join(f'; {words}' for _, words in told)}.",
            Claim("derivative", node=step.node, number=step.slot, text=edge.derivative),
            *[Claim("stands_for", tensor, step.node, text=reader.symbol(tensor)) for tensor, _ in told],
        )
    elif (hook := replacing_hook(reader, step)) is not None:
        tell.say(
            f"The node had {shown(hook.before)}, and your hook {code(hook.function)} put this in its place.",
            Claim("replaced_by_hook", node=step.node, text=hook.function),
        )
    elif row.explains and not is_persons_own(row) and reader.spoke != (step.call, step.node):
        tell.say(row.explains, Claim("explains", node=step.node, text=row.explains))
        reader.spoke = (step.call, step.node)
    elif is_persons_own(row):
        function = f"{row.operator}.backward()"
        tell.say(f"That is what your {function} returned for it.", Claim("own_function", node=step.node, text=function))
        if ignored := unused_gradients(reader.trace.code, row.operator):
            tell.say(
                f"It does not use {listed([code(name) for name in ignored])}, which is what arrived: by the chain rule that is a "
                "factor of what it has to return.",
                Claim("ignores_gradient", node=step.node, text=row.operator),
            )


def replacing_hook(reader: Reader, step: events.MessageSent) -> events.HookFired | None:
    """The hook that changed what the node computed, where it ran just before the message."""
    before = reader.trace.steps[reader.state.step - 1]
    if not isinstance(before, events.HookFired) or before.hook not in ("node", "module_backward"):
        return None
    return before if before.after is not None and before.after != before.before and before.after == step.value else None


def symbols_told(operator: str, derivative: str) -> str:
    """``; `x̂` is the normalised input``: what a formula's own symbols stand for."""
    named = [
        f"`{symbol}` is {words}"
        for symbol, (_, words) in STANDS_FOR.get(operator, {}).items()
        if re.search(rf"(?<!\w){symbol}(?!\w)", derivative)
    ]
    named += [f"`{sign.strip('(')}` {words}" for sign, words in SIGNS.items() if sign in derivative]
    return f"; {' and '.join(named)}" if named else ""


@functools.lru_cache(maxsize=64)
def unused_gradients(source: str, function: str) -> tuple[str, ...]:
    """The gradients that the ``backward()`` of a function of the snippet's takes, if it mentions none of them."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.ClassDef) or node.name != function:
            continue
        for part in node.body:
            if isinstance(part, ast.FunctionDef) and part.name == "backward" and not part.args.vararg:
                taken = [argument.arg for argument in part.args.args[1:]]
                used = {name.id for name in ast.walk(part) if isinstance(name, ast.Name)}
                return () if used & set(taken) else tuple(taken)
    return ()


WRITTEN_IN_PYTHON = frozenset({"BackwardHookFunction", "CheckpointFunction", "LOBPCGAutogradFunction", "Resize"})
"""PyTorch's own nodes of that kind."""


def is_persons_own(row: Node) -> bool:
    """Whether the node is of a ``torch.autograd.Function`` that the snippet defines."""
    return (
        bool(row.operator)
        and row.operator not in WRITTEN_IN_PYTHON
        and row.name == f"{row.operator}Backward"
        and row.edges[:1] != []
        and (row.edges[0].argument == "input 0" and not row.edges[0].derivative)
    )


def drawn(
    reader: Reader, step: events.MessageSent, plain: Formula, numeric: Formula | None, outcome: Formula
) -> Formula | None:
    """∂d/∂c · b = 1 · 4 = 4; the symbols alone where there are more numbers than a formula can hold."""
    row = reader.trace.nodes[step.node]
    symbolic = plain
    if len(row.outputs) == 1:
        symbol = reader.symbol_now(row.outputs[0])
        if reader.state.grad_fn.get(row.outputs[0], step.node) != step.node:
            symbol += " as it was"
        symbolic = formulas.replaced(plain, GRAD, formulas.partial(reader.root(), symbol))
    if (step.node, step.slot) in reader.state.unbroadcast:
        symbolic = formulas.total(symbolic)
    if not step.value or not is_spelled(step.value):
        return symbolic if plain != GRAD else None
    chain = formulas.distinct([part for part in (symbolic, numeric, outcome) if part is not None])
    return formulas.equals(*chain) if len(chain) > 1 else None


def broadcast_undone(reader: Reader, step: events.BroadcastUndone, tell: Telling) -> None:
    """A gradient is summed to its input's shape."""
    edge = reader.trace.nodes[step.node].edges[step.slot]
    label = reader.label(edge.tensor) if edge.tensor is not None else "The input"
    tell.say(
        f"{label} was stretched from {step.after} to {step.before} in the forward pass, so its gradient is added up "
        f"over the copies: {shown(step.value)}.",
        Claim("unbroadcast", node=step.node, number=step.slot, text=step.value.text),
    )


def with_enough_digits(before: Value, incoming: Value, total: Value) -> tuple[str, str, str]:
    """The three as text; a single number has more digits where the sum would read like one of its parts."""
    alone = [single(value) for value in (before, incoming, total)]
    told = before.text, incoming.text, total.text
    if None in alone or total.nonfinite or 0 in alone[:2] or "complex" in total.dtype or told[2] not in told[:2]:
        return told
    for digits in (6, 8):
        first, second, third = (spelled(number, digits) for number in alone)
        if third not in (first, second):
            break
    return first, second, third


def started_at(reader: Reader, call: int) -> list[int]:
    """The tensors at which a pass starts."""
    started = reader.trace.steps[reader.state.started[call]]
    return started.roots if isinstance(started, events.BackwardStarted) else []


def messages_summed(reader: Reader, step: events.MessagesSummed, tell: Telling) -> None:
    """A message joins what waited."""
    row = reader.trace.nodes[step.node]
    tensor = row.leaf if row.leaf is not None else row.outputs[step.input_nr] if row.outputs else None
    label = reader.label(tensor) if tensor is not None else reader.node(step.node)
    claim = Claim("sum", node=step.node, number=step.arrived, text=step.value.text)
    if not is_spelled(step.value):
        total = f"their sum is {shown(step.value)}"
    else:
        before, incoming, value = with_enough_digits(step.before, step.incoming, step.value)
        addition = formulas.operator("+", formulas.number(before), formulas.number(incoming))
        numbers = [addition, formulas.number(value)]
        total = formulas.plain(formulas.equals(*numbers))
        if step.arrived == step.expected and tensor is not None:
            numbers.insert(0, formulas.partial(reader.root(), reader.symbol_now(tensor)))
        tell.formula = formulas.equals(*numbers)
    if step.arrived == 2 and step.expected == 2:
        tell.say(f"Two paths meet at {label}: {total}.", claim)
    else:
        tell.say(f"Message {step.arrived} of {step.expected} arrives at {label}: {total}.", claim)
    if step.arrived < step.expected:
        more = step.expected - step.arrived
        tell.say(f"{label} waits for {number_word(more)} more.", Claim("waits", node=step.node, number=more))
    elif tensor is not None and tensor in started_at(reader, step.call):
        tell.say(
            f"The pass starts at {label} too: what it starts with there counts as a message.",
            Claim("starts_there_too", tensor=tensor),
        )
    else:
        tell.say(
            f"A tensor that is used {times(step.expected)} gets the sum of what its uses send back.",
            Claim("used", node=step.node, number=step.expected),
        )
