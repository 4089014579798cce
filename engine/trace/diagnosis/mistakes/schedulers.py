"""Learning rate schedules out of step: moved on before the optimizer, or at another pace than they were planned for."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.calls import OPTIMIZERS, assigned_to, calls_of, ran
from engine.trace.diagnosis.flow import called, path
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.mistakes.plans import SCHEDULES, Plan, constants_of, counted
from engine.trace.diagnosis.places import turns_around
from engine.trace.marks import code
from engine.trace.narration.amounts import times
from engine.trace.parts import Span
from engine.trace.values import spelled

TOO_SOON = "Detected call of `lr_scheduler.step()` before `optimizer.step()`"
"""How PyTorch's own warning begins."""
TOO_FAR = "Tried to step "
"""How the refusal of a schedule that is over begins: the error's own reason tells its cause."""
NOTHING_LEFT = 2e-3
"""A rate that has fallen below this part of its first value hardly changes anything."""
OUTWARDS = "Move it out of the inner loop, or plan for as many moves as there are batches in all."


@dataclass(frozen=True)
class Moves:
    """All calls of one scheduler's ``step()`` that one statement made in the turns of one ``for`` loop."""

    plan: Plan
    span: Span
    """The statement."""
    loop: ast.For
    steps: list[int]
    """When it was reached."""
    turns: dict[int, int]
    """How often in each turn of the loop (its scope)."""
    updates: dict[int, list[float]]
    """The learning rate of every update in those turns, where one optimizer does them all."""

    @property
    def per_batch(self) -> bool:
        """Whether it was reached several times in one turn."""
        return max(self.turns.values()) > 1


def out_of_schedule(history: History) -> list[tuple[int, Answer]]:
    """At the end of a run: schedulers whose steps do not go with those of their optimizers."""
    paced = None if TOO_FAR in history.trace.outcome.message else at_wrong_pace(history)
    found = [answer for answer in (moved_first(history), paced) if answer is not None]
    held = [change.tensor for _, step in history.steps[:1] for change in step.changes]
    return [(held[0], answer) for answer in found if held]


def moved_first(history: History) -> Answer | None:
    """PyTorch has warned that a scheduler moved on before the optimizer's first step, and the optimizer does step."""
    for index, step in enumerate(history.trace.steps):
        if not isinstance(step, events.Warned) or TOO_SOON not in step.message:
            continue
        elsewhere = of_another(history, step.span)
        if elsewhere is not None:
            return elsewhere
        update = next((at for at, _ in history.steps if at > index), None)
        if update is None:
            return None
        return Answer(
            "scheduler_first",
            f"{history.quoted(step.span)} on {history.line_of(index)} moves the learning rate on before the optimizer's "
            f"first step on {history.line_of(update)}: the first value of the schedule is never used.",
            "Call the scheduler's step() after the optimizer's.",
            index,
            step.span,
        )
    return None


def of_another(history: History, place: Span | None) -> Answer | None:
    """The schedule that a statement moves on, where it was made of an optimizer that never steps, and another one does."""
    owners = dict.fromkeys(owner_of(history, step.span) for _, step in history.steps)
    makers = [(statement, call) for statement, call in calls_of(history, OPTIMIZERS) if ran(history, statement)]

    def from_maker(call: ast.Call, node: ast.expr) -> bool:
        return history.flow.carries(history.source.span(call), history.source.span(node))

    for statement, made in calls_of(history, SCHEDULES):
        if not made.args or not ran(history, statement) or place not in stepped(history, made):
            continue
        given = made.args[0]
        idle = latest([call for _, call in makers if from_maker(call, given)], given.lineno)
        stepping = latest(
            [call for _, call in makers if any(o is not None and from_maker(call, o) for o in owners)],
            max((o.lineno for o in owners if o is not None), default=0),
        )
        if len(idle) != 1 or len(stepping) != 1 or idle == stepping or place is None:
            continue
        other, used = history.source.span(idle[0]), assigned_to(history, stepping[0])
        span, at = history.source.span(made), history.source.span(stepping[0]).line
        begins = f"{history.text(history.source.span(made.func))}("
        words = history.text(span).replace(f"{begins}{ast.unparse(given)}", f"{begins}{used or '…'}", 1)
        return Answer(
            "scheduler_elsewhere",
            f"{history.quoted(place)} on line {place.line} sets the learning rate of the optimizer made on line {other.line}, which "
            f"never steps: the updates are those of the optimizer made on line {at}, whose rate stays as it is.",
            f"Make the schedule{f' behind line {at},' if at > span.line else ''} of the optimizer that steps: {code(words)}.",
            None,
            span,
        )
    return None


def latest(calls: list[ast.Call], line: int) -> list[ast.Call]:
    """Of several calls whose results had one variable in turn, that which a line finds there."""
    before = [call for call in calls if call.lineno < line]
    return before[-1:] or calls


def owner_of(history: History, span: Span | None) -> ast.expr | None:
    """What stands before ``.step(`` in the source of an update."""
    for node in history.nodes:
        match node:
            case ast.Call(func=ast.Attribute(attr="step", value=owner)) if history.source.span(node) == span:
                return owner
            case _:
                pass
    return None


def at_wrong_pace(history: History) -> Answer | None:
    """The first scheduler that moves with every batch and was planned in epochs, or the other way round."""
    constants, whole = constants_of(history.tree), not history.trace.folded
    for moves in all_moves(history):
        if moves.per_batch:
            answer = too_often(moves, constants, whole)
        else:
            answer = too_seldom(moves) if whole else None
        if answer is not None:
            text, fix = answer
            told = f"{history.quoted(moves.span)} on line {moves.span.line} {text}"
            return Answer(
                "scheduler_per_batch" if moves.per_batch else "scheduler_per_epoch",
                told,
                fix,
                moves.steps[0],
                moves.span,
            )
    return None


def all_moves(history: History) -> Iterator[Moves]:
    """For every scheduler that is made: the statements that move it on, by the loops around them, outermost first."""
    loops = {history.source.header(n): n for n in history.nodes if isinstance(n, ast.For)}
    reached: dict[tuple[int, int], list[int]] = {}
    for index, step in enumerate(history.trace.steps):
        if isinstance(step, events.Line) and step.span is not None:
            reached.setdefault((step.span.line, step.span.column), []).append(index)
    for statement, call in calls_of(history, SCHEDULES):
        if not ran(history, statement):
            continue
        for place in stepped(history, call):
            steps = reached.get((place.line, place.column), [])
            around = [turns_around(history, history.trace.steps[step].scope) for step in steps]
            headers = [history.trace.scopes[turn].span for turn in reversed(around[0])] if around else []
            for header in headers:
                if header in loops:
                    turns = Counter(
                        turn for chain in around for turn in chain if history.trace.scopes[turn].span == header
                    )
                    plan = Plan(called(call.func), call)
                    yield Moves(plan, place, loops[header], steps, turns, updates(history, turns))


def stepped(history: History, call: ast.Call) -> list[Span]:
    """Statements ``….step()`` on what a call made, under whatever name it got there.

    One that is told where it stands (``step(epoch + i / n)``) does not count moves; a plateau's is told the loss.
    """
    made, name = history.source.span(call), assigned_to(history, call)
    optimizers = {(step.span.line, step.span.column) for _, step in history.steps if step.span is not None}
    own = "step" in history.flow.functions
    found = []
    for node in history.nodes:
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="step", value=owner), args=args, keywords=[])):
                place = history.source.span(node)
                told = args and called(call.func) != "ReduceLROnPlateau"
                same = path(owner) == name if own else history.flow.carries(made, history.source.span(owner))
                if same and not told and (place.line, place.column) not in optimizers:
                    found.append(place)
            case _:
                pass
    return found


def updates(history: History, turns: Counter[int]) -> dict[int, list[float]]:
    """The learning rate of every update in each turn of a loop; none where several optimizers take part."""
    if len({(step.optimizer, *(change.tensor for change in step.changes)) for _, step in history.steps}) > 1:
        return {}
    found: dict[int, list[float]] = {}
    for index, step in history.steps:
        turn = next((t for t in turns_around(history, history.trace.steps[index].scope) if t in turns), None)
        rate = step.settings.get("lr")
        if turn is not None and isinstance(rate, int | float):
            found.setdefault(turn, []).append(float(rate))
    return found


def too_often(moves: Moves, constants: dict[str, int], counts: bool) -> tuple[str, str] | None:
    """What to say, and the remedy, where a schedule that was planned in epochs moves on with every batch."""
    plan, turns, loop = moves.plan, len(moves.turns), f"the loop on line {moves.loop.lineno}"
    pace = (
        f"runs for every batch ({len(moves.steps)} times in {turns} turns of {loop})"
        if counts
        else "runs for every batch"
    )
    epochs = counted(moves.loop)
    if epochs is not None and plan.is_in_epochs(epochs, constants, turns):
        whose = "that loop" if counts else loop
        return f"{pace}, but its schedule was planned in turns of {whose}: {code(plan.said)}.", OUTWARDS
    rates = [rate for turn in moves.updates.values() for rate in turn]
    if not counts:
        return faded(plan, rates)
    last = (plan.milestones(constants) or [0])[-1]
    if plan.falls() and 2 <= last <= turns:
        passed = next(n for n in range(1, turns + 1) if sum(list(moves.turns.values())[:n]) >= last)
        if 2 * passed <= turns:
            return f"{pace}, so the last of its milestones, {last}, is passed in turn {passed} already.", OUTWARDS
    fallen = plan.falls() and len(rates) == len(moves.steps) and rates[-1] < NOTHING_LEFT * rates[0]
    if fallen and 10 * rates[-1] < rates[turns - 1]:
        text = (
            f"{pace}, so the learning rate falls from {spelled(rates[0])} to {spelled(rates[-1])}, where updates change next "
            f"to nothing. Moved once per turn, it would end at {spelled(rates[turns - 1])}."
        )
        return text, "Move it out of the inner loop, or let the rate fall more slowly."
    cut = next((turn for turn in moves.updates.values() if len(set(turn)) > 2), None)
    if plan.kind == "ReduceLROnPlateau" and cut is not None:
        text = (
            f"{pace}, so its patience counts batches: in one turn the learning rate is cut from {spelled(cut[0])} to "
            f"{spelled(cut[-1])}."
        )
        return text, "Move it out of the inner loop, and give it the loss of the whole epoch."
    return None


def faded(plan: Plan, rates: list[float]) -> tuple[str, str] | None:
    """The same of a run whose end was not seen: as far as it was, the rate has fallen to nothing already."""
    if not plan.falls() or not rates or rates[-1] >= NOTHING_LEFT * rates[0]:
        return None
    text = (
        f"runs for every batch, and the learning rate falls from {spelled(rates[0])} to {spelled(rates[-1])} already in the "
        "steps that are kept, where updates change next to nothing."
    )
    return text, "Move it out of the inner loop, or let the rate fall more slowly."


def too_seldom(moves: Moves) -> tuple[str, str] | None:
    """The same where a schedule that was planned in batches moves on once in many of them."""
    batches = sum(map(len, moves.updates.values()))
    if not moves.plan.is_in_batches() or batches < 2 * len(moves.steps):
        return None
    text = (
        f"runs once per turn of the loop on line {moves.loop.lineno}, but its schedule was planned for every batch: "
        f"{code(moves.plan.said)}. It moves {times(len(moves.steps))} in {batches} updates, and stays near its beginning."
    )
    return text, "Move it into the inner loop, behind the optimizer's step()."
