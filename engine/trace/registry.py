"""Which row of the trace's tables a live tensor or node is.

The engine's objects are known by identity and held weakly: watching a program must not keep its tensors alive.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from engine.tensor import Tensor
from engine.trace import describe
from engine.trace.document import Edge, Node
from engine.trace.document import Tensor as TensorRow
from engine.trace.parts import Span, Value
from engine.trace.sparse_values import sparse_value
from engine.trace.tape import Tape
from engine.trace.values import WHOLE, dtype_name, text_of

Alias = tuple[weakref.ref[Any], weakref.ref[Any], Span | None, int]
"""A tensor on another's storage, that other one, and where it was made."""


class Registry:
    """Rows for tensors and nodes, made when the first step mentions them."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self._tensors: dict[int, tuple[int, weakref.ref[Any]]] = {}
        self._nodes: dict[int, tuple[int, weakref.ref[Any]]] = {}
        self._gradients: dict[int, tuple[int, weakref.ref[Any]]] = {}
        """`.grad` tensors, and whose they are."""
        self._known: list[tuple[int, weakref.ref[Any]]] = []
        """Every tensor by row."""
        self._storage_of: dict[int, int] = {}
        self._storages: dict[int, list[tuple[int, weakref.ref[Any]]]] = {}
        """Rows that share storage, by the row that had it first; only where more than one tensor is known to."""
        self._aliases: dict[int, Alias] = {}
        """Tensors that nothing has been done with yet, and whose storage each sees."""
        self._modules: dict[int, tuple[str, weakref.ref[Any]]] = {}
        """What the snippet calls each module."""
        self._values: dict[int, tuple[weakref.ref[Any], int, Value]] = {}
        """Values read since the last statement, by tensor: one gradient is often told several times. The tensors are not kept: a
        leaf takes over a gradient that nobody else holds (`engine.autograd.stealing`)."""

    # ── values ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def value(self, tensor: Any) -> Value:
        """The tensor's elements now."""
        key = id(tensor)
        version = 0 if tensor._counter is None else tensor._counter.value
        known = self._values.get(key)
        if known is not None and known[0]() is tensor and known[1] == version:
            return known[2]
        array, reader = tensor._array, self.tape.values
        if tensor._strided:
            value = reader.read(array)
        else:
            value = reader.afford(sparse_value(array, dtype_name(array.dtype)))
        self._values[key] = (weakref.ref(tensor), version, value)
        return value

    def text(self, tensor: Any) -> str:
        """How its value is told; of a large tensor that is its form, for which no element need be read."""
        array = tensor._array
        if type(array) is np.ndarray and array.size > WHOLE:
            return text_of(list(array.shape), dtype_name(array.dtype), None)
        return self.value(tensor).text

    def optional(self, tensor: Any) -> Value | None:
        """The same for what may be None."""
        return None if tensor is None else self.value(tensor)

    def forget_values(self) -> None:
        """Drops the values that were kept for re-use."""
        if self._values:
            self._values.clear()

    # ── tensors ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def known_tensor(self, tensor: Any) -> int | None:
        """Its row, if it has one."""
        known = self._tensors.get(id(tensor))
        return known[0] if known is not None and known[1]() is tensor else None

    def tensor(self, tensor: Any) -> int:
        """Its row; a new one for a tensor that came to be where nobody reported it."""
        known = self._tensors.get(id(tensor))
        if known is not None and known[1]() is tensor:
            return known[0]
        owner = self._gradients.get(id(tensor))
        if owner is not None and owner[1]() is tensor:
            index = self.new_tensor(tensor, None, 0)
            self.tape.tensors[index].role = "gradient"
            self.tape.tensors[index].base = None
            self.tape.tensors[index].gradient_of = owner[0]
            return index
        alias = self._alias(tensor)
        return self.new_tensor(tensor, None, 0) if alias is None else alias

    def note_alias(self, tensor: Any, source: Any, span: Span | None, scope: int) -> None:
        """Notes whose storage ``tensor`` sees, for when it gets a row."""
        self._aliases[id(tensor)] = (weakref.ref(tensor), weakref.ref(source), span, scope)

    def _alias(self, tensor: Any) -> int | None:
        """A row for a tensor that was noted as seeing another's storage; None if none was."""
        noted = self._aliases.pop(id(tensor), None)
        if noted is None or noted[0]() is not tensor:
            return None
        _, source, span, scope = noted
        index = self.new_tensor(tensor, span, scope)
        if (seen := source()) is not None:
            self.share(index, self.tensor(seen))
        return index

    def rows(self, tensors: Iterable[Any]) -> list[int]:
        """The row of each."""
        known, found = self._tensors, []
        for tensor in tensors:
            row = known.get(id(tensor))
            found.append(row[0] if row is not None and row[1]() is tensor else self.tensor(tensor))
        return found

    def new_tensor(self, tensor: Any, span: Span | None, scope: int, grad_fn: int | None = None) -> int:
        """A row for a tensor that was just made; ``grad_fn`` is its node's, if the caller knows that."""
        tape = self.tape
        base = None if tensor._base is None else self.tensor(tensor._base)
        index = len(tape.tensors)
        array = tensor._array
        node = tensor._node
        tracked = tensor._requires_grad
        row = TensorRow(
            label="",
            role=("intermediate" if node is not None else "parameter" if tensor._is_parameter else "leaf")
            if tracked
            else "constant",
            shape=list(array.shape),
            dtype=dtype_name(array.dtype),
            requires_grad=tracked,
            grad_fn=grad_fn if node is None or grad_fn is not None else self.node(node),
            output_nr=tensor._output_nr,
            base=base,
            value=self.value(tensor),
            step=len(tape.steps),
            span=span,
            scope=scope,
        )
        tape.tensors.append(row)
        tape.tensor_changed(index)
        if tensor._grad is not None:  # a copy brought it along
            self.gradient_of(tensor._grad, index)
        known = self._tensors[id(tensor)] = (index, weakref.ref(tensor))
        self._known.append(known)
        if base is not None:
            self.share(index, base)
        return index

    def gradient_of(self, gradient: Any, owner: int) -> None:
        """Notes that ``gradient`` is now the ``.grad`` of a tensor."""
        if isinstance(gradient, Tensor):
            self._gradients[id(gradient)] = (owner, weakref.ref(gradient))

    def name(self, index: int, name: str) -> None:
        """Adds a name to a tensor's row."""
        names = self.tape.tensors[index].names
        if name not in names:
            names.append(name)
            self.tape.tensor_changed(index)

    def sharing(self, index: int) -> list[tuple[int, Any]]:
        """The living tensors that are known to see the storage of a row's, each with its own row."""
        group = self._storages.get(self._storage_of.get(index, index), [])
        living = ((other, reference()) for other, reference in group if other != index)
        return [(other, found) for other, found in living if found is not None]

    def living(self) -> Iterator[tuple[int, Any]]:
        """Every tensor that has a row and is still there."""
        for index, reference in self._known:
            if (tensor := reference()) is not None:
                yield index, tensor

    def unseen(self, roots: Iterable[Any], most: int) -> bool:
        """Whether more than ``most`` nodes can be reached from ``roots`` that have no row."""
        stack, found = [root for root in roots if root is not None], set[Any]()
        while stack and len(found) <= most:
            node = stack.pop()
            if node not in found and self.known_node(node) is None:
                found.add(node)
                stack += [to for to, _ in node.edges if to is not None]
        return len(found) > most

    def share(self, index: int, other: int) -> None:
        """Two rows are known to share storage from now on (a view and its base, a tensor and what detach() gave)."""
        root = self._storage_of.setdefault(other, other)
        for row in (other, index):
            if self._storage_of.get(row) != root or row == other:
                self._storage_of[row] = root
                group = self._storages.setdefault(root, [])
                if self._known[row] not in group:
                    group.append(self._known[row])

    def name_module(self, module: Any, name: str) -> None:
        """Notes what the snippet calls a module; its first name stays, unless that was seen from inside (``self``)."""
        known = self._modules.get(id(module))
        if known is None or known[1]() is not module or known[0].partition(".")[0] == "self":
            self._modules[id(module)] = (name, weakref.ref(module))

    def module(self, module: Any, kind: str) -> str:
        """``model.fc1 (Linear)``; the class alone where the module has no name."""
        known = self._modules.get(id(module))
        return f"{known[0]} ({kind})" if known is not None and known[1]() is module else kind

    # ── nodes ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def known_node(self, node: Any) -> int | None:
        """Its row, if it has one."""
        known = self._nodes.get(id(node))
        return known[0] if known is not None and known[1]() is node else None

    def node(self, node: Any, span: Span | None = None, scope: int = 0) -> int:
        """Its row; made now if need be."""
        known = self._nodes.get(id(node))
        if known is not None and known[1]() is node:
            return known[0]
        tape = self.tape
        index = len(tape.nodes)
        operator, symbol, explains = describe.drawn(node)
        row = Node(
            name=type(node).__name__,
            operator=operator,
            symbol=symbol,
            explains=explains,
            sequence_nr=0 if node.is_sink else node.sequence_nr,
            step=len(tape.steps),
            span=span,
            scope=scope,
        )
        tape.nodes.append(row)
        tape.node_changed(index)
        self._nodes[id(node)] = (index, weakref.ref(node))
        arguments = describe.arguments_of(node)
        edges = row.edges
        for (to, input_nr), (argument, derivative) in zip(node.edges, arguments, strict=False):
            edges.append(Edge(None if to is None else self.node(to), input_nr, argument, None, derivative))
        return index
