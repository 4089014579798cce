"""What to call each tensor: its first name in the source, else the source text that made it.

What comes to be inside of PyTorch is named in `engine.trace.labels.inner`. Also completes edges: which tensor stands
behind each, read off the graph itself.
"""

from __future__ import annotations

import ast
import functools
import re
from collections import Counter
from collections.abc import Collection

from engine.trace.document import Edge, Node, Tensor, Trace
from engine.trace.enclosing import around
from engine.trace.events import TensorMade, ValueWritten, ViewMade
from engine.trace.labels.inner import UNNAMED, Gradient, called, name_by_steps, name_copies, named, recorded_gradients
from engine.trace.labels.operands import behind, called_by_operations, gives_no_tensor
from engine.trace.labels.outside import name_from_outside
from engine.trace.labels.shortening import LONGEST, shortened
from engine.trace.marks import grouped
from engine.trace.parts import Span
from engine.trace.spans import Source, within
from engine.trace.values import MINUS, spelled

SPOKEN = {
    "unsafe_view": "view", "reshape_alias": "reshape", "safe_softmax": "softmax", "nll_loss_forward": "nll_loss",
    "scaled_dot_product_flash_attention_for_cpu": "attention",
}  # fmt: skip
"""Operators that nobody calls by their own name."""

UNBIND = "unbind"
"""What Python's going through a tensor comes to."""
ATTENTION = "_scaled_dot_product"
"""How the operators begin whose arguments are called by what they are: query, key and value."""

SEVERAL = frozenset({
    "native_batch_norm", "_native_batch_norm_legit", "native_layer_norm", "native_group_norm", "max", "min", "sort", "topk",
    "_weight_norm_interface", "median", "mode", "kthvalue", "cummax", "cummin", "split", "chunk", "unbind", "var_mean", "std_mean",
    "aminmax", "split_with_sizes", "unsafe_split", "nll_loss_forward", "linalg_qr", "_linalg_svd", "_linalg_eigh", "linalg_lu",
})  # fmt: skip
"""Operators with several results."""

Place = tuple[Span | None, int]
"""A text of the program, and the run of a function in which it stands for something."""
NOTHING = -1
"""No tensor: what a text stands for whose meaning is no tensor of its own."""
ASSIGNING = re.compile(r"\s*(?:\*\*|//|<<|>>|[-+*/%@&|^])?=(?!=)")
"""What follows the target of an assignment."""


def label(trace: Trace) -> None:
    """Fills in labels and the tensors behind edges, in place."""
    put_own_names_first(trace)
    labels = Labels(trace)
    labels.put()
    labels.put_what_operations_say()
    labels.put_again()
    name_copies(trace, ("leaf",))
    labels.put_again()
    name_by_steps(trace)
    name_copies(trace, ("leaf", "constant"))
    labels.put_again()
    complete_edges(trace)
    name_from_outside(trace)


def put_own_names_first(trace: Trace) -> None:
    """A parameter that a loop's variable named in passing is called by the name that the fewest others bear, and no loop gave."""
    parameters = [tensor for tensor in trace.tensors if tensor.role == "parameter"]
    bearers = Counter(name for tensor in parameters for name in tensor.names)
    passing = loop_variables(trace.code) if bearers else frozenset()
    for tensor in parameters:
        first = named(tensor)
        if bearers[first] < 2 and first.partition(".")[0] not in passing:
            continue
        outer = [name for name in tensor.names if not name.startswith("self.")]
        own = min(outer, key=lambda name: (name.partition(".")[0] in passing, bearers[name]), default=first)
        tensor.names.remove(own)
        tensor.names.insert(0, own)


def loop_variables(code: str) -> frozenset[str]:
    """The names that loops and comprehensions bind anew in each turn."""
    if "for " not in code:
        return frozenset()
    loops = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.For | ast.comprehension))
    names = (part for loop in loops for part in ast.walk(loop.target) if isinstance(part, ast.Name))
    return frozenset(name.id for name in names)


class Labels:
    """The labels of one trace, and what they are told apart by."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.source = Source(trace.code)
        self.beside = {
            output: (node, place) for node in trace.nodes for place, output in enumerate(node.outputs) if place
        }
        """Each further result of a recorded operation: its node, and which of the results it is."""
        self.twins = made_beside(trace)
        self.results = results(trace, self.source, {*self.beside, *self.twins})
        """What an expression gave in the end; the other tensors of its columns were made on the way."""
        self.last_of_scope = last_of_scopes(trace, self.beside)
        self.attended = attended(trace)
        """What attention was given, by what it is there."""
        self.own_function = {
            output: node
            for node in trace.nodes
            if node.name == f"{node.operator}Backward"
            for output in node.outputs[:1]
        }
        """Each first result of a function that the snippet defines itself: what its forward() computed comes out as that."""

    @functools.cached_property
    def gradients(self) -> dict[int, Gradient]:
        """The tensors that recorded passes computed, by what each is."""
        has_passes = any(scope.kind == "backward" for scope in self.trace.scopes)
        return recorded_gradients(self.trace) if has_passes else {}

    def put(self) -> None:
        """Labels every tensor by its names and its source."""
        for index, tensor in enumerate(self.trace.tensors):
            tensor.label = self._called(index, tensor)

    def put_again(self) -> None:
        """Labels once more what was made from tensors that have a name by now."""
        for index, tensor in enumerate(self.trace.tensors):
            if UNNAMED in tensor.label and tensor.label != UNNAMED:
                tensor.label = self._called(index, tensor)

    def put_what_operations_say(self) -> None:
        """Labels tensors that no statement of the snippet made: by what they show, or by what an operation calls them."""
        tensors = self.trace.tensors
        unnamed = {index for index, tensor in enumerate(tensors) if tensor.label == UNNAMED}
        if not unnamed:
            return
        told = called_by_operations(self.trace, self.source, unnamed)
        for index in sorted(unnamed):
            tensor = tensors[index]
            made_by = self.trace.nodes[tensor.grad_fn].span if tensor.grad_fn is not None else None
            if tensor.base is not None and tensor.base not in unnamed:
                tensor.label = tensors[tensor.base].label
            elif index not in told and made_by is not None:
                tensor.label = shortened(self.source.text(made_by))
            else:
                tensor.label = shortened(told.get(index, UNNAMED))

    def element(self, index: int) -> str:
        """``xs[0]`` for what a loop or an assignment took out of ``xs`` by going through it; empty for everything else."""
        row = self.trace.tensors[index]
        made = self.trace.steps[row.step] if row.step < len(self.trace.steps) else None
        if not isinstance(made, TensorMade) or made.operator != UNBIND or not made.inputs or row.span is None:
            return ""
        if UNBIND in self.source.text(row.span):
            return ""
        place = row.output_nr if row.grad_fn is not None else self.twins.get(index, 0)
        return f"{grouped(self.trace.tensors[made.inputs[0]].label)}[{place}]"

    def _called(self, index: int, tensor: Tensor) -> str:
        if not tensor.names:
            if element := self.element(index):
                return element
            if index in self.beside:
                node, place = self.beside[index]
                return f"result {place + 1} of {self._operation(node)}"
            if index in self.twins:
                made = shortened(self.source.text(tensor.span)) if tensor.span else "it"
                return f"result {self.twins[index] + 1} of {made}"
            if index in self.gradients:
                return called(self.trace, self.gradients[index])
        return named(tensor) or self.made_as(index)

    def made_as(self, index: int) -> str:
        """What a tensor is by its source, whatever it is named afterwards."""
        if index in self.results:
            return self._by_source(index, is_result=True)
        scope = self.trace.tensors[index].scope
        of_module = module_call(self.trace, index) if self.last_of_scope.get(scope) == index else ""
        return of_module or self._by_source(index, is_result=False)

    def _operation(self, node: Node) -> str:
        """The source of an operation with several results; of one on the way to what its source gives, its own label."""
        first = self.trace.tensors[node.outputs[0]]
        if node.outputs[0] not in self.results and not first.names:
            return first.label
        return shortened(self.source.text(node.span)) if node.span is not None else node.operator

    def _by_source(self, index: int, is_result: bool) -> str:
        """The source text; for a tensor made on the way to that text's result, its operator in that text."""
        trace = self.trace
        tensor = trace.tensors[index]
        if tensor.gradient_of is not None:
            owner = trace.tensors[tensor.gradient_of]
            return f"{named(owner) or owner.label or 'tensor'}.grad"
        if tensor.span is None:
            return UNNAMED
        text = shortened(self.source.text(tensor.span))
        if (node := self.own_function.get(index)) is not None and node.span is not None:
            called_by = self.source.text(node.span)
            whole = shortened(called_by)
            return f"{node.operator} in {whole}" if gives_no_tensor(called_by) else whole
        made = trace.steps[tensor.step] if tensor.step < len(trace.steps) else None
        if not isinstance(made, TensorMade) or made.tensor != index:
            made = None
        if is_result or (tensor.grad_fn is None and made is None):
            return text
        operator = trace.nodes[tensor.grad_fn].operator if tensor.grad_fn is not None else made.operator if made else ""
        operator = "mask" if is_mask(trace, index) else operator.lstrip("_") or "part"
        operator = SPOKEN.get(operator, operator)
        scope = trace.scopes[tensor.scope]
        place = scope.title.partition(" (")[0] if scope.kind == "module" else text
        if index in self.attended:
            return f"{self.attended[index]} in {place}"
        if made is not None and made.inputs:
            given, number = trace.tensors[made.inputs[0]].label, plain_operand(trace, tensor)
            for inner in (f"{operator}({given}, {number})" if number else "", f"{operator}({given})"):
                if inner and len(made.inputs) == 1 and len(inner) <= LONGEST:
                    return inner
        return f"{operator} in {place}"


def plain_operand(trace: Trace, tensor: Tensor) -> str:
    """The number that an operation on one tensor was given beside it: ``2`` of ``pow(x, 2)``; empty where there is none."""
    saved = trace.nodes[tensor.grad_fn].saved if tensor.grad_fn is not None else []
    texts = (entry.text for entry in saved if entry.tensor is None and entry.name in ("exponent", "other"))
    text = next(texts, "")
    try:
        return spelled(float(text)).replace(MINUS, "-")
    except ValueError:
        return ""


def made_beside(trace: Trace) -> dict[int, int]:
    """For each tensor that an unrecorded operation gave beside its first result: which of its results it is, from 0."""
    found: dict[int, int] = {}
    before: tuple[object, ...] | None = None
    place = 0
    for step in trace.steps:
        if isinstance(step, ViewMade):
            continue  # it tells of the result before it
        if not isinstance(step, TensorMade) or step.node is not None or step.operator not in SEVERAL:
            before = None
            continue
        made = (step.operator, step.inputs, step.span, step.scope)
        place = place + 1 if made == before else 0
        before = made
        if place:
            found[step.tensor] = place
    return found


def results(trace: Trace, source: Source, others: set[int]) -> set[int]:
    """Tensors that are what their source text gives, and not made on the way to it: the last one of each text.

    The turns of a comprehension share their text and scope, so there what nothing goes on with and the last one's
    operator made is a result as well. ``others`` are a call's results beside its first.
    """
    place = {index: (tensor.span, outside(trace, tensor.scope)) for index, tensor in enumerate(trace.tensors)}
    last = {place[index]: index for index in place if index not in others} | written_as(trace, source, place)
    found = {index for (span, _), index in last.items() if span is None or not gives_no_tensor(source.text(span))}
    found.discard(NOTHING)
    made = {step.tensor: step for step in trace.steps if isinstance(step, TensorMade)}
    gone_on = {given for step in made.values() for given in step.inputs if place[given] == place[step.tensor]}
    elements = comprehended(source) if made else []
    for index, step in made.items() if elements else ():
        end = made.get(last.get(place[index], -1))
        if end is None or step.operator != end.operator or index in others or index in gone_on or step.span is None:
            continue
        if any(within(step.span, element) for element in elements):
            found.add(index)
    return found


def written_as(trace: Trace, source: Source, place: dict[int, Place]) -> dict[Place, int]:
    """What the targets of assignments such as ``x[0] = …`` stand for: the views that are written to.

    A view that is written to at some of its places (``x[[0, 2], 1] = …``) is only on the way to what the text says: then
    `NOTHING` that was made is meant by it.
    """
    found: dict[Place, int] = {}
    for step in trace.steps:
        if not isinstance(step, ValueWritten) or step.operator not in ("copy_", "index_put_") or step.span is None:
            continue
        target = place[step.tensor]
        if target == (step.span, outside(trace, step.scope)) and is_assigned(source, step.span):
            found[target] = step.tensor if step.operator == "copy_" else NOTHING
    return found


def is_assigned(source: Source, span: Span) -> bool:
    """Whether the text is what stands in front of an equals sign."""
    return ASSIGNING.match(source.lines[span.end_line - 1][span.end_column :]) is not None


def last_of_scopes(trace: Trace, others: Collection[int]) -> dict[int, int]:
    """What each scope, with the modules that it calls, made last: what a module gives comes from its last part.

    ``others`` are a call's results beside its first.
    """
    last: dict[int, int] = {}
    for index, tensor in enumerate(trace.tensors):
        if index in others:
            continue
        for scope in around(trace, tensor.scope):
            last[scope] = index
            if trace.scopes[scope].kind != "module":
                break
    return last


def attended(trace: Trace) -> dict[int, str]:
    """The tensors that attention was given, and which of its arguments each was; one that was two is left out."""
    found: dict[int, str] = {}
    twice: set[int] = set()
    for node in trace.nodes:
        for edge in node.edges if node.operator.startswith(ATTENTION) else ():
            given = None if edge.node is None else behind(trace, edge.node, edge.input_nr)
            if given is not None:
                twice.update({given} & found.keys())
                found[given] = edge.argument
    return {tensor: argument for tensor, argument in found.items() if tensor not in twice}


def comprehended(source: Source) -> list[Span]:
    """The elements of the snippet's comprehensions, which are computed again in each of their turns."""
    if " for " not in source.code:
        return []
    nodes = ast.walk(ast.parse(source.code))
    return [source.span(node.elt) for node in nodes if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp)]


def outside(trace: Trace, scope: int) -> int:
    """The innermost scope around ``scope`` that is no module's."""
    return next(place for place in around(trace, scope) if trace.scopes[place].kind != "module")


def module_call(trace: Trace, index: int) -> str:
    """``model[0](x)``, ``model[1](…)`` for what a module made whose call stands nowhere in the source."""
    tensor = trace.tensors[index]
    scope = trace.scopes[tensor.scope]
    path = scope.title.partition(" (")[0]
    made = trace.steps[tensor.step] if tensor.step < len(trace.steps) else None
    if scope.kind != "module" or scope.span != tensor.span or not isinstance(made, TensorMade):
        return ""
    sources = [trace.tensors[tensor] for tensor in made.inputs]
    own = f"{path}."  # its weights and its running statistics, which the caller did not pass
    given = next((named(source) for source in sources if source.names and not named(source).startswith(own)), "…")
    return f"{path}({given})"


def is_mask(trace: Trace, index: int) -> bool:
    """Whether it is what dropout draws: memory that is filled with zeros and ones at random."""
    after = trace.tensors[index].step + 1
    step = trace.steps[after] if after < len(trace.steps) else None
    return isinstance(step, ValueWritten) and step.tensor == index and step.operator == "bernoulli_"


def complete_edges(trace: Trace) -> None:
    """Puts in the tensor that each edge stands for, where the recording could not tell."""
    for node in trace.nodes:
        for slot, edge in enumerate(node.edges):
            if edge.node is None or edge.tensor is not None:
                continue
            stands_for = behind(trace, edge.node, edge.input_nr)
            node.edges[slot] = Edge(edge.node, edge.input_nr, edge.argument, stands_for, edge.derivative)
