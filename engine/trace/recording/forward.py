"""Forward reports become steps: tensors and nodes made, things saved, writes in place, departures from the graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec

from engine.autograd.handles import is_ours
from engine.autograd.modes import state as modes
from engine.autograd.saved import PackedTensor, SavedResult, SavedTensor
from engine.ops.core.saved_numbers import SavedScalar
from engine.tensor import Tensor
from engine.trace import describe, events
from engine.trace.document import Node, Saved
from engine.trace.encodable import written
from engine.trace.limits import ELEMENTS, OPERATION, TURN
from engine.trace.parts import Span
from engine.trace.recording.base import Recording
from engine.trace.recording.saving import plain_text, saved_entries

RANDOM = frozenset(
    {"rand", "randn", "randint", "randperm", "normal", "rand_like", "randn_like", "randint_like", "bernoulli"}
)

MODES = ("modes.py",)
INPLACE = ("inplace.py", "operator.py")
LEAVING = ("layout/leaving.py", "core/functions.py")
"""Files of the engine that stand between a person's call and its report."""
Departure = Literal["no_grad", "inference_mode", "integer", "not_differentiable"]


class Forward(Recording):
    """The forward half of the recorder."""

    def created(self, tensor: Any, how: str) -> None:
        """A tensor made by the person."""
        self.follower.spend(OPERATION)
        if self.skips() or self.registry.known_tensor(tensor) is not None:
            return
        index = self.registry.new_tensor(tensor, *self.place())
        value = self.registry.value(tensor)
        kind: Literal["random", "created"] = "random" if how in RANDOM else "created"
        self.add(
            events.TensorMade(tensor=index, value=value, how=kind, operator=how, requires_grad=tensor._requires_grad)
        )

    def accumulator_made(self, node: Any, leaf: Any) -> None:
        """A leaf's AccumulateGrad."""
        if self.skips():
            return
        owner = self.registry.tensor(leaf)
        index = self.registry.node(node, *self.place())
        self.tape.nodes[index].leaf = owner
        self.tape.tensors[owner].accumulator = index
        self.tape.tensor_changed(owner)
        self.leaves[owner] = True
        self.add(events.NodeMade(node=index))

    def operation(self, operator: Any, arguments: Sequence[Any], results: Sequence[Any], node: Any) -> None:
        """An operator ran: its node, what the node saved, its results."""
        sequential = getattr(operator, "sequential", False)
        turns = TURN * len(arguments[0]._array) if sequential else 1
        elements = results[0]._array.size if results else 0
        if elements > ELEMENTS and results[0].is_meta:
            elements = 0  # none is computed
        self.follower.spend(OPERATION * turns + elements // ELEMENTS)
        if (self.tape.full and self.skips()) or (self.passes and self.in_quiet_pass()):
            return
        registry, tape = self.registry, self.tape
        span, scope = self.place()
        given = tensors_among(arguments)
        inputs = registry.rows(given)
        made, known = None, len(tape.nodes)
        if node is not None:
            made = registry.node(node, span, scope)
            if made >= known:  # a dirty input's write has told of its node already
                self.untracked_arguments(tape.nodes[made], operator, arguments)
                tape.add(events.NodeMade(span=span, scope=scope, node=made))
        fresh = [result for result in results if registry.known_tensor(result) is None]
        numbers = [registry.new_tensor(result, span, scope, made if result._node is node else None) for result in fresh]
        if made is not None:
            # The usual case first: all results are new, so their rows are at hand.
            outputs = numbers if len(fresh) == len(results) else [registry.tensor(result) for result in results]
            tape.nodes[made].outputs = outputs.copy()
            if made >= known:
                self.saved(node, made, span, scope)
        elif fresh and (how := self.departure(given, fresh[0])) is not None:
            source = registry.tensor(next(tensor for tensor in given if tensor._requires_grad))
            name = describe.name_of(operator)
            tape.add(events.GraphLeft(span=span, scope=scope, how=how, source=source, result=numbers[0], operator=name))
        rows = numbers if len(fresh) == len(results) else self.outputs(results, fresh, numbers, node, made)
        for result, index in zip(results, rows, strict=True):
            if index is None:
                continue
            base, row = result._base, tape.tensors[index]
            row.step = len(tape.steps)
            tape.add(
                events.TensorMade(
                    span=span,
                    scope=scope,
                    tensor=index,
                    value=registry.value(result) if row.value is None or rows is not numbers else row.value,
                    how="result" if base is None else "view",
                    node=made if result._node is node else None,
                    operator=describe.name_of(operator),
                    inputs=inputs,
                    requires_grad=result._requires_grad,
                )
            )
            if base is not None:
                tape.add(events.ViewMade(span=span, scope=scope, tensor=index, base=registry.tensor(base)))

    def untracked_arguments(self, row: Node, operator: Any, arguments: Sequence[Any]) -> None:
        """Notes the tensors behind edges that lead nowhere; `engine.trace.labels` reads the others off the graph."""
        for edge in row.edges:
            if edge.node is None:
                break
        else:
            return  # the usual case
        passed: list[Any] = []
        for position in getattr(operator, "differentiable", ()):
            argument = arguments[position] if position < len(arguments) else None
            passed.extend(argument if isinstance(argument, list | tuple) else (argument,))
        if len(passed) != len(row.edges):
            return
        for slot, (edge, argument) in enumerate(zip(row.edges, passed, strict=True)):
            if edge.node is None and isinstance(argument, Tensor):
                row.edges[slot] = msgspec.structs.replace(edge, tensor=self.registry.tensor(argument))

    def outputs(
        self, results: Sequence[Any], fresh: list[Any], numbers: list[int], node: Any, made: int | None
    ) -> Iterator[int | None]:
        """The row of each result that this operation made; None for one that was there and stays what it was.

        A custom function's result was computed inside its forward, unrecorded, and joins the graph only now.
        """
        new = dict(zip(map(id, fresh), numbers, strict=True))
        for result in results:
            index = new.get(id(result))
            if index is None and node is not None and result._node is node:
                index = self.registry.tensor(result)
                row = self.tape.tensors[index]
                row.grad_fn, row.output_nr, row.requires_grad, row.role = made, result._output_nr, True, "intermediate"
                self.tape.tensor_changed(index)
            yield index

    def written(self, tensor: Any, operator: str, before: int, after: int, node: Any) -> None:
        """A tensor was changed in place."""
        self.follower.spend(OPERATION)
        if self.skips() or self.in_quiet_pass():
            return
        registry = self.registry
        index = registry.tensor(tensor)
        registry.forget_values()
        if node is None and self.is_being_made(index):
            self.tape.remake(index, self.registry.value(tensor))
            return
        made = None
        if node is not None:
            owner = tensor if tensor._base is None else tensor._base
            made = self.node_for(node, registry.tensor(owner))
        sharing = registry.sharing(index)
        self.add(
            events.ValueWritten(
                tensor=index,
                operator=operator,
                version_before=before,
                version_after=after,
                value=self.registry.value(tensor),
                shared_with=[other for other, _ in sharing],
                shared_values=[self.registry.value(other) for _, other in sharing],
                node=made,
            )
        )

    def is_being_made(self, index: int) -> bool:
        """Whether a layer is just filling a parameter that it made in the same call of the person's."""
        row, steps = self.tape.tensors[index], self.tape.steps
        if (
            row.role != "parameter"
            or not self.tape.unsent(row.step)
            or not isinstance(steps[row.step], events.TensorMade)
        ):
            return False
        return steps[row.step].span == self.locator.here(3) and not self.locator.called_by_snippet(3, INPLACE)

    def grad_fn_remade(self, view: Any, node: Any) -> None:
        """A view got a new grad_fn, because its storage was written into."""
        if not (self.skips() or self.in_quiet_pass()):
            self.node_for(node, self.registry.tensor(view))

    def node_for(self, node: Any, output: int) -> int:
        """Tells of a node whose output was there before it: the tensor was written to."""
        span, scope = self.place()
        made = self.registry.node(node, span, scope)
        self.tape.add(events.NodeMade(span=span, scope=scope, node=made))
        self.tape.nodes[made].outputs = [output]
        self.saved(node, made, span, scope)
        return made

    def left_graph(self, how: Any, source: Any, result: Any, operator: str) -> None:
        """A value left the graph."""
        if self.skips() or self.in_quiet_pass():
            return
        registry = self.registry
        left = None
        if isinstance(result, Tensor):
            left = registry.known_tensor(result)
            if left is None:
                left = registry.new_tensor(result, *self.place())
        origin = registry.tensor(source)
        if left is not None and left != origin and how in ("detach", "data"):
            registry.share(left, origin)
        self.add(events.GraphLeft(how=how, source=origin, result=left, operator=operator))

    def aliased(self, source: Any, result: Any) -> None:
        """A tensor on another's storage, made by the person: it is worth a row once something is done with it."""
        if self.locator.called_by_snippet(2, LEAVING) and not (self.skips() or self.in_quiet_pass()):
            self.registry.note_alias(result, source, *self.place())

    def mode_changed(self, mode: Any, enabled: bool, module: Any = None) -> None:
        """Gradient, inference or training mode was switched, by the person: layers and optimizers do so too."""
        if mode != "training" and not self.locator.called_by_snippet(2, MODES):
            return
        if mode == "grad":
            self.recording_off = not enabled
        if not self.skips() and not self.in_quiet_pass():
            name = "" if module is None else self.registry.module(module, type(module).__name__)
            self.add(events.ModeChanged(mode=mode, enabled=enabled, module=name))

    def requires_grad_changed(self, tensor: Any, requires_grad: bool) -> None:
        """A leaf's switch. Told too while a tensor is being built; then it has no row yet."""
        index = self.registry.known_tensor(tensor)
        if index is None or self.skips():
            return
        row = self.tape.tensors[index]
        row.requires_grad = requires_grad
        if row.role in ("constant", "leaf", "parameter"):
            row.role = ("parameter" if tensor._is_parameter else "leaf") if requires_grad else "constant"
        self.tape.tensor_changed(index)
        self.add(events.RequiresGradChanged(tensor=index, requires_grad=requires_grad))

    def retain_grad_asked(self, tensor: Any) -> None:
        """A result will keep its gradient."""
        if not self.skips():
            self.add(events.RetainAsked(tensor=self.registry.tensor(tensor)))

    def scope_entered(self, kind: Any, title: str, subject: Any) -> None:
        """A module's forward begins, or a part of what a function of the engine's does."""
        self.scopes.enter(kind, lambda place: self.registry.module(subject, title), self.locator.here(2))

    def scope_left(self, kind: Any = "module") -> None:
        """The innermost module's forward, or part, ended."""
        self.scopes.leave(kind)

    def mapping(self, size: int, mapped: Sequence[tuple[Any, int]], whole: Sequence[Any]) -> None:
        """A function is about to run for every example of a batch."""
        if self.skips() or self.in_quiet_pass():
            return
        rows = self.registry.rows
        self.add(
            events.Mapped(
                size=size,
                tensors=rows(tensor for tensor, _ in mapped),
                dims=[dim for _, dim in mapped],
                whole=rows(whole),
            )
        )

    def recomputed(self, function: str) -> None:
        """A checkpoint runs its function again."""
        if not self.skips():
            self.add(events.Recomputed(function=function))

    def recalled(self, operator: str) -> None:
        """A result is taken from what a selective checkpoint kept."""
        if not self.skips():
            self.add(events.Recalled(operator=operator))

    def departure(self, given: Sequence[Any], result: Any) -> Departure | None:
        """Why the result of a tracked tensor is not tracked; None when no argument was tracked.

        Also None where the engine itself does not record (inside a custom function): nobody left the graph there.
        """
        if not any(tensor._requires_grad for tensor in given):
            return None
        if modes.inference:
            return "inference_mode"
        if not modes.grad_enabled:
            return "no_grad" if self.recording_off else None
        return "integer" if result._array.dtype.kind in "biu" else "not_differentiable"

    def saved(self, node: Any, index: int, span: Span | None, scope: int) -> None:
        """Tells of the node's saved entries: all in its row, tensors and numbers as steps."""
        registry, tape = self.registry, self.tape
        row = tape.nodes[index]
        for name, entry in saved_entries(node):
            kind = type(entry)
            number: int | None = None
            version: int | None = None
            if isinstance(entry, Tensor):  # nobody had written into it when it was saved
                number, version, text = registry.tensor(entry), 0, registry.text(entry)
            elif kind is SavedTensor:
                number, version, text = registry.tensor(entry.tensor), entry.version, registry.text(entry.tensor)
            elif kind is SavedResult:
                original, version, text = entry.weak(), entry.version, ""
                if original is not None:
                    number, text = registry.tensor(original), registry.text(original)
            elif kind is PackedTensor:
                text = "left to the checkpoint" if is_ours(entry.unpack_hook) else "packed by a hook"
            elif kind is SavedScalar:
                text = written(entry.value)
            else:
                row.saved.append(Saved(name, text=plain_text(entry)))
                continue
            row.saved.append(Saved(name, number, version, text))
            tape.add(
                events.TensorSaved(
                    span=span, scope=scope, node=index, name=name, tensor=number, version=version, value=text
                )
            )


def tensors_among(arguments: Sequence[Any]) -> list[Any]:
    """The tensors of a call, those in list arguments included."""
    found = []
    for argument in arguments:
        kind = type(argument)
        if isinstance(argument, Tensor):
            found.append(argument)
        elif kind is list or kind is tuple:
            found += [part for part in argument if isinstance(part, Tensor)]
    return found
