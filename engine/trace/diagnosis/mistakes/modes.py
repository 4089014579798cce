"""Training mode and evaluation mode where they should not be: left in eval() while training, never in it to evaluate."""

from __future__ import annotations

import ast

from engine.trace import events
from engine.trace.diagnosis.answer import Answer
from engine.trace.diagnosis.calls import only_named, ran
from engine.trace.diagnosis.flow import path
from engine.trace.diagnosis.history import History
from engine.trace.diagnosis.mistakes.watcher import Watcher
from engine.trace.diagnosis.places import inside, outermost_module
from engine.trace.document import Scope
from engine.trace.marks import code
from engine.trace.parts import Span
from engine.trace.state import State

SPREAD = frozenset({"std", "var", "std_mean", "var_mean"})
"""Who takes the spread of several outputs wants dropout to differ."""


class Modes(Watcher):
    """Parameters of a model are changed after its eval() that no train() took back."""

    hears = (events.ModeChanged, events.OptimizerStepped)

    def __init__(self, history: History) -> None:
        super().__init__(history)
        self.evaluating: dict[str, int] = {}
        """Modules in evaluation mode, and the step that put them there."""

    def hear(self, state: State, step: events.Step) -> tuple[int, Answer] | None:
        """A changed parameter and the answer, when its model is in evaluation mode."""
        if isinstance(step, events.OptimizerStepped):
            return self._evaluating(state, step)
        if isinstance(step, events.ModeChanged) and step.mode == "training":
            if step.enabled:
                self.evaluating.clear()
            else:
                self.evaluating[self._named(step)] = state.step
        return None

    def _named(self, step: events.ModeChanged) -> str:
        """The module's name; where it gets that in the same statement, ``net = Net().eval()``, the one it gets."""
        name, given, _ = step.module.partition(" (")
        for node in ast.walk(self.history.tree):
            if not given and isinstance(node, ast.Assign) and self.history.source.span(node.value) == step.span:
                return path(node.targets[0])
        return name

    def _is_part(self, name: str) -> bool:
        """Whether a module belongs to a larger one that is called as a whole; another object may just hold it."""
        owners = {row.title.partition(" (")[0] for row in self.history.trace.scopes if row.kind == "module"}
        parts = name.removeprefix("self.").split(".")
        return any(".".join(parts[:count]) in owners for count in range(1, len(parts)))

    def _evaluating(self, state: State, step: events.OptimizerStepped) -> tuple[int, Answer] | None:
        rows = self.history.trace.tensors
        changed = [name for change in step.changes for name in (rows[change.tensor].label, *rows[change.tensor].names)]
        left = [
            name for name in self.evaluating if any(other.startswith((f"{name}.", f"{name}[")) for other in changed)
        ]
        if not left or "[" in left[0] or self._is_part(left[0]):
            return None  # part of a model is kept in evaluation mode on purpose, as batch norm is in fine-tuning
        module, since = left[0], self.evaluating[left[0]]
        return step.changes[0].tensor, Answer(
            "eval_mode",
            f"{code(module)} is in evaluation mode since {self.history.line_of(since)}, and training goes on: "
            "dropout is off and batch norm uses its stored statistics.",
            f"Call `{module}.train()` before training goes on.",
            state.step,
            self.history.trace.steps[since].span,
        )


def training_mode(history: History) -> list[tuple[int, Answer]]:
    """At the end: the first call of a trained model that is evaluated (under no_grad) with dropout or batch norm training.

    No alarm where a loss uses the outputs (a target network), where nobody does (statistics are gathered), after a train()
    of its own, or where the same input is run several times (samples from dropout).
    """
    if history.trace.folded:
        return []
    updated, trained = -1, False
    quiet = inference = False
    asked: dict[str, int] = {}
    seen: dict[int, tuple[int, str]] = {}
    for index, step in enumerate(history.trace.steps):
        match step:
            case events.OptimizerStepped():
                updated, trained = index, True
            case events.ModeChanged(mode="grad", enabled=enabled):
                quiet = not enabled
            case events.ModeChanged(mode="inference", enabled=enabled):
                inference = enabled
            case events.ModeChanged(mode="training", enabled=True, module=module):
                asked[module] = index
            case events.ValueWritten(operator="bernoulli_" | "batch_norm") if trained and (quiet or inference):
                top = outermost_module(history, step.scope)
                if top is None or top in seen or asked.get(history.trace.scopes[top].title, -1) > updated:
                    continue
                layer = history.trace.scopes[step.scope].title if step.scope != top else ""
                seen[top] = (index, "dropout" if step.operator == "bernoulli_" else "batch norm")
                answer = _evaluated(history, top, seen, layer)
                if answer is not None:
                    return [(step.tensor, answer)]
            case _:
                pass
    return []


def _evaluated(history: History, top: int, seen: dict[int, tuple[int, str]], layer: str) -> Answer | None:
    """The answer for one call of a module, unless it is meant."""
    index, what = seen[top]
    scope = history.trace.scopes[top]
    within = {tensor for tensor, event in history.event.items() if inside(history, event.scope, top)}
    given = {source for tensor in within for source in history.inputs[tensor]} - within
    results = {user for tensor in within for user in history.descendants(tensor)}
    after = results - within
    if not after and _dropped(history, scope):
        return None
    if any(history.event[tensor].requires_grad for tensor in after if tensor in history.event):
        return None
    if any(history.event[tensor].operator in SPREAD for tensor in after if tensor in history.event):
        return None
    if _sampled(history, top, given):
        return None
    module = scope.title.partition(" (")[0]
    named = only_named(history, "eval")
    if named is not None:
        owner, span = named
        return Answer(
            "train_mode",
            f"{code(f'{owner}.eval')} on line {span.line} only names the method: without parentheses nothing is called, so "
            f"{code(module)} is evaluated in training mode.",
            f"Write `{owner}.eval()`.",
            index,
            span,
        )
    flag = flag_alone(history, module)
    if flag is not None:
        return Answer(
            "train_mode",
            f"{history.quoted(flag)} on line {flag.line} sets the flag of {code(module)} alone, not of the layers inside, so "
            f"{code(module)} is evaluated in training mode on line {scope.span.line if scope.span else '?'}.",
            f"Write `{module}.eval()`.",
            index,
            flag,
        )
    functional = what == "dropout" and "(Dropout" not in layer
    place = history.trace.steps[index].span if functional else scope.span
    doing = (
        "dropout still drops values"
        if what == "dropout"
        else "batch norm uses and changes the statistics of this batch"
    )
    return Answer(
        "train_mode",
        f"{code(module)} is evaluated in training mode on line {scope.span.line if scope.span else '?'}: {doing}, so the "
        "answers are not those of the trained model.",
        "Pass training=self.training to dropout(): on its own it always drops."
        if functional
        else f"Call `{module}.eval()` before evaluating, and `{module}.train()` before training goes on.",
        index,
        place,
    )


def flag_alone(history: History, module: str) -> Span | None:
    """The statement ``net.training = False``, which leaves the layers inside as they are."""
    for node in history.nodes:
        match node:
            case ast.Assign(targets=[ast.Attribute(value=owner, attr="training")], value=ast.Constant(value=False)) if (
                path(owner) == module and ran(history, node)
            ):
                return history.source.span(node)
            case _:
                pass
    return None


def _dropped(history: History, call: Scope) -> bool:
    """Whether a call stands alone, as a statement: nobody looks at what it returns."""
    return any(isinstance(node, ast.Expr) and history.source.span(node.value) == call.span for node in history.nodes)


def _sampled(history: History, top: int, given: set[int]) -> bool:
    """Whether the same place runs the same input through the model again before the next update."""
    scope = history.trace.scopes[top]
    data = {tensor for tensor in given if history.trace.tensors[tensor].role not in ("parameter", "buffer")}
    begun = min((index for index, step in enumerate(history.trace.steps) if step.scope == top), default=0)
    following = next((index for index, _ in history.steps if index > begun), history.last)
    for other, row in enumerate(history.trace.scopes):
        if other == top or row.kind != "module" or row.span != scope.span or row.title != scope.title:
            continue
        for event in history.event.values():
            soon = begun < history.made[event.tensor] < following
            if soon and inside(history, event.scope, other) and data & set(event.inputs):
                return True
    return False
