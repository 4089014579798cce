"""What to call each tensor: its first name in the source, else the source text that made it.

Also completes edges: which tensor stands behind each, read off the graph itself.
"""

from __future__ import annotations

from engine.trace.document import Edge, Tensor, Trace
from engine.trace.events import TensorMade
from engine.trace.spans import Source

LONGEST = 40
"""Characters of source text that still read as a name."""


def label(trace: Trace) -> None:
    """Fills in labels, in place."""
    source = Source(trace.code)
    beside = {output: (node, place) for node in trace.nodes for place, output in enumerate(node.outputs) if place}
    last_of_span = {
        (tensor.span, outside(trace, tensor.scope)): index
        for index, tensor in enumerate(trace.tensors)
        if index not in beside
    }
    last_of_module = {tensor.scope: index for index, tensor in enumerate(trace.tensors) if index not in beside}
    for index, tensor in enumerate(trace.tensors):
        if index in beside and not tensor.names:
            node, place = beside[index]
            tensor.label = f"result {place + 1} of {node.operator}"
            continue
        if last_of_span.get((tensor.span, outside(trace, tensor.scope))) == index:
            tensor.label = named(tensor) or unnamed(trace, source, index, True)
        else:
            of_module = module_call(trace, index) if last_of_module[tensor.scope] == index else ""
            tensor.label = named(tensor) or of_module or unnamed(trace, source, index, False)
    for node in trace.nodes:
        for slot, edge in enumerate(node.edges):
            if edge.node is None or edge.tensor is not None:
                continue
            receiver = trace.nodes[edge.node]
            behind = receiver.leaf
            if behind is None and edge.input_nr < len(receiver.outputs):
                behind = receiver.outputs[edge.input_nr]
            node.edges[slot] = Edge(edge.node, edge.input_nr, edge.argument, behind, edge.derivative)


def outside(trace: Trace, scope: int) -> int:
    """The innermost scope around ``scope`` that is no module's."""
    while trace.scopes[scope].kind == "module" and (parent := trace.scopes[scope].parent) is not None:
        scope = parent
    return scope


def module_call(trace: Trace, index: int) -> str:
    """``model[0](x)``, ``model[1](…)`` for what a module made whose call stands nowhere in the source."""
    tensor = trace.tensors[index]
    scope = trace.scopes[tensor.scope]
    path = scope.title.partition(" (")[0]
    made = trace.steps[tensor.step] if tensor.step < len(trace.steps) else None
    if scope.kind != "module" or scope.span != tensor.span or not isinstance(made, TensorMade):
        return ""
    sources = [trace.tensors[tensor] for tensor in made.inputs]
    given = next((named(source) for source in sources if source.role != "parameter" and source.names), "…")
    return f"{path}({given})"


def named(tensor: Tensor) -> str:
    """The first name; one that starts from ``self`` only when nothing from outside the object is known."""
    return next(
        (name for name in tensor.names if not name.startswith("self.")), tensor.names[0] if tensor.names else ""
    )


def unnamed(trace: Trace, source: Source, index: int, is_result: bool) -> str:
    """The source text; for a tensor made on the way to that text's result, its operator in that text."""
    tensor = trace.tensors[index]
    if tensor.gradient_of is not None:
        owner = trace.tensors[tensor.gradient_of]
        return f"{named(owner) or owner.label or 'tensor'}.grad"
    if tensor.span is None:
        return "an unnamed tensor"
    text = source.text(tensor.span)
    if len(text) > LONGEST:
        text = text[: LONGEST - 1] + "…"
    if is_result or tensor.grad_fn is None:
        return text
    operator = trace.nodes[tensor.grad_fn].operator or "part"
    made = trace.steps[tensor.step] if tensor.step < len(trace.steps) else None
    if isinstance(made, TensorMade) and made.tensor == index and made.inputs:
        inner = f"{operator}({trace.tensors[made.inputs[0]].label})"
        if len(made.inputs) == 1 and len(inner) <= LONGEST:
            return inner
    scope = trace.scopes[tensor.scope]
    return f"{operator} of {scope.title.partition(' (')[0] if scope.kind == 'module' else text}"
