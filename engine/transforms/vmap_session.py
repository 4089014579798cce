"""One call of a vmapped function: its examples, one after the other, and the rules of custom Functions, which want them together.

The function runs once per example. A custom ``autograd.Function`` with a ``vmap`` rule of its own asks for the whole batch; where
the first example meets one, the others run ahead, unseen, as far as that call, the rule runs once on what they all pass,
and each example goes on with its own part of the result.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stdout
from typing import Any, NamedTuple

from engine.autograd.function import Function
from engine.autograd.modes import no_grad, state
from engine.observe import state as observing
from engine.ops.core.batching import inside
from engine.ops.core.catalogue import TABLES
from engine.ops.random.state import default_generator, drawing_refused
from engine.tensor import Tensor
from engine.transforms.layers import layer
from engine.transforms.trees import flatten, rebuild, spread


class VmapInfo(NamedTuple):
    """What a rule is told of the vmap it serves."""

    batch_size: int
    randomness: str


REFUSES_DRAWS = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' randomness flags on "
    "vmap or perform the randomness operation out of vmap"
)


class Reached(BaseException):
    """Ends the unseen run of an example of this session: what it passes to the rule is known.

    A vmap inside may have been running ahead for its own sake: it lets this pass.
    """

    def __init__(self, session: Session, leaves: list[Any], origins: list[int | None]) -> None:
        super().__init__()
        self.session, self.leaves, self.origins = session, leaves, origins


sessions: list[Session] = []
"""The vmaps at work, innermost last."""


class Session:
    """A vmapped call.

    Args:
        function: the function, on the flat arguments of one example.
        leaves, dims: the flat arguments of the batch, and which dimension of each is the batch (None: none).
        size: how many examples there are.
        randomness: ``error``, ``different`` or ``same``.
    """

    def __init__(
        self,
        function: Callable[[list[Any]], Any],
        leaves: list[Any],
        dims: Sequence[int | None],
        size: int,
        randomness: str,
    ) -> None:
        self.function, self.leaves, self.dims, self.size, self.randomness = function, leaves, dims, size, randomness
        self.transforms, self.recording, self.layers = list(state.transforms), state.grad_enabled, state.layers
        self.graphs_kept = state.graphs_kept
        self.known: list[Any] = []
        """By rule call: the part of each example; by value that was printed: all examples' and the dimension of the batch."""
        self.unseen = False
        self.number, self.calls = 0, 0
        self.arguments: list[Any] = []
        """Those of the example that runs."""

    def layer(self) -> AbstractContextManager[None]:
        """What vmap is to those that print inside."""
        return layer(self.gathered, tracks=False, size=self.size)

    def begin(self, number: int) -> None:
        """Makes ready for one example."""
        self.number, self.calls = number, 0
        self.arguments = [
            leaf if dim is None else marked(leaf.select(dim, number))
            for leaf, dim in zip(self.leaves, self.dims, strict=True)
        ]

    def run(self) -> list[Any]:
        """What the function gives for every example.

        Raises:
            RuntimeError: random numbers were drawn, with ``randomness="error"``.
        """
        start, rows = default_generator.get_state(), []
        drawing = drawing_refused(REFUSES_DRAWS) if self.randomness == "error" else nullcontext()
        sessions.append(self)
        try:
            with drawing:
                for number in range(self.size):
                    if self.randomness == "same":
                        default_generator.set_state(start)
                    state.graphs_kept = self.graphs_kept or number + 1 < self.size
                    once = nullcontext() if number == 0 else redirect_stdout(io.StringIO())  # PyTorch's runs once
                    with (
                        batch_level(1),
                        self.layer(),
                        observing.part(f"vmap: example {number + 1} of {self.size}"),
                        once,
                    ):
                        self.begin(number)
                        rows.append(self.function(self.arguments))
        finally:
            state.graphs_kept = self.graphs_kept
            sessions.pop()
        return rows

    def apply(self, cls: type[Function], args: tuple[Any, ...]) -> Any:
        """A custom Function by its rule; NotImplemented where nothing that is passed differs per example."""
        leaves, shape = flatten(args)
        if not any(isinstance(leaf, Tensor) and leaf._batched for leaf in leaves):
            return NotImplemented
        call, self.calls = self.calls, self.calls + 1
        if call == len(self.known):
            self.known.append(self.by_rule(cls, shape, self.passed(leaves)))
        part = self.known[call][self.number]
        return cls._applied(args, True, part) if self.is_transformed() else part

    def origin(self, value: Any) -> int | None:
        """The number of the argument that the value is."""
        return next((n for n, own in enumerate(self.arguments) if own is value), None)

    def gathered(self, tensor: Tensor) -> tuple[Tensor, int]:
        """The whole batch, of which a value that is about to be printed is one example's part, and its batch dimension."""
        call, self.calls = self.calls, self.calls + 1
        if call == len(self.known):
            runs = self.passed([tensor])
            with observing.silent(), no_grad():
                batch = self.together(tuple(leaves[0] for leaves, _ in runs), tuple(places[0] for _, places in runs))
            self.known.append(batch)
        return self.known[call]

    def passed(self, leaves: list[Any]) -> list[tuple[list[Any], list[int | None]]]:
        """What each example passes at this call, and which of its arguments that is; the others run ahead to find out.

        Raises:
            Reached: this is such a run.
        """
        origins = [self.origin(leaf) for leaf in leaves]
        if self.unseen:
            raise Reached(self, leaves, origins)
        return [(leaves, origins) if number == self.number else self.run_ahead(number) for number in range(self.size)]

    def is_transformed(self) -> bool:
        """Whether a transform inside this vmap is at work: it must find the example's own arguments behind the result."""
        return len(state.transforms) > len(self.transforms)

    def run_ahead(self, number: int) -> tuple[list[Any], list[int | None]]:
        """Runs another example unseen to the call that is due.

        Raises:
            RuntimeError: it does not get there.
        """
        kept = self.number, self.calls, self.arguments
        modes = state.transforms, state.grad_enabled, state.layers, state.graphs_kept
        random = default_generator.get_state()
        state.layers, state.graphs_kept = self.layers, True
        self.unseen, state.transforms, state.grad_enabled = True, list(self.transforms), self.recording
        try:
            with self.layer(), observing.silent(), redirect_stdout(io.StringIO()):
                self.begin(number)
                self.function(self.arguments)
        except Reached as reached:
            if reached.session is not self:
                raise
            return reached.leaves, reached.origins
        finally:
            self.unseen = False
            self.number, self.calls, self.arguments = kept
            state.transforms, state.grad_enabled, state.layers, state.graphs_kept = modes
            default_generator.set_state(random)
        raise RuntimeError(
            "vmap: the examples do not call the same custom Functions, so they cannot be computed together."
        )

    def by_rule(self, cls: type[Function], shape: Any, runs: list[tuple[list[Any], list[int | None]]]) -> list[Any]:
        """The rule's result, a part per example.

        Raises:
            RuntimeError: the rule does not return a result and its dimensions.
        """
        columns = zip(*(leaves for leaves, _ in runs), strict=True), zip(*(origins for _, origins in runs), strict=True)
        values, dims = zip(*map(self.together, *columns), strict=True)
        inner = self.is_transformed()
        sessions.pop()
        kept, (state.transforms, state.layers) = (state.transforms, state.layers), (list(self.transforms), self.layers)
        try:
            with batch_level(-1), no_grad() if inner else nullcontext():
                returned = cls.vmap(
                    VmapInfo(self.size, self.randomness), rebuild(shape, list(dims)), *rebuild(shape, list(values))
                )
                return self.parts(returned)
        finally:
            state.transforms, state.layers = kept
            sessions.append(self)

    def together(self, rows: tuple[Any, ...], origins: tuple[int | None, ...]) -> tuple[Any, int | None]:
        """One argument of the whole batch, and which of its dimensions is the batch."""
        first, origin = rows[0], origins[0]
        if origin is not None:
            dim = self.dims[origin]
            return self.leaves[origin], None if dim is None else dim % self.leaves[origin].dim()
        if not isinstance(first, Tensor) or all(row is first for row in rows) or not first._batched:
            return first, None
        return TABLES["torch"]["stack"](rows, 0), 0

    def parts(self, returned: Any) -> list[Any]:
        """What a rule returned, cut into the parts of the examples.

        Raises:
            RuntimeError: in PyTorch's words.
        """
        if not isinstance(returned, tuple) or len(returned) != 2:
            got = f"{len(returned)} returns" if isinstance(returned, tuple) else f"a {type(returned)}"
            raise RuntimeError(
                "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure compatible with the "
                f"output. Got {got} instead"
            )
        output, out_dims = returned
        leaves, shape = flatten(output)
        dims = spread(out_dims, output)
        if dims is None:
            raise RuntimeError(
                "The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple. Expected "
                f"out_dims={out_dims} to be compatible with the structure of `output`."
            )
        return [
            rebuild(shape, [part_of(leaf, dim, number) for leaf, dim in zip(leaves, dims, strict=True)])
            for number in range(self.size)
        ]


def part_of(value: Any, dim: int | None, number: int) -> Any:
    """One example's part of a result."""
    return value if dim is None or not isinstance(value, Tensor) else marked(value.select(dim, number))


def marked(tensor: Tensor) -> Tensor:
    """The tensor, known to depend on the example."""
    tensor._batched = True
    return inside(tensor)


@contextmanager
def batch_level(change: int) -> Iterator[None]:
    """Inside one vmap more, or one less."""
    state.batch_level += change
    state.refresh()
    try:
        yield
    finally:
        state.batch_level -= change
        state.refresh()


def apply_by_rule(cls: type[Function], args: tuple[Any, ...]) -> Any:
    """A custom Function inside vmap, by its own rule if it has one; NotImplemented if not."""
    if cls.vmap is Function.vmap or not sessions:
        return NotImplemented
    return sessions[-1].apply(cls, args)


Function._apply_by_rule = classmethod(apply_by_rule)  # type: ignore[assignment]  # the hook that it left open
