"""Calls of every operator, as the tables of programs make them, each with the gradients that its node sends."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from engine import observe, torch
from engine.autograd.modes import state as modes
from engine.ops.core import catalogue
from engine.ops.core.operator import Operator
from engine.ops.sparse.arrays import SparseArray
from engine.ops.sparse.tensor import around
from engine.tensor import Tensor
from tests.engine.trace.explanations.examples import BY_NAME, EXAMPLES
from tests.oracle import (
    derivatives,
    functional_cases,
    matrix_cases,
    module_cases,
    operator_cases,
    program_outcome,
    shape_cases,
    training,
)

BESIDES = (
    "torch.distributions.Gamma(x(3).exp(), 1.0).rsample()",
    "torch.distributions.Dirichlet(x(3).exp()).rsample()",
    "torch.bernoulli(x(8).exp(), 0.5)",
    "torch.binomial(x(3).exp().round(), x(3).sigmoid())",
    "torch.unique_consecutive(x(2, 3), dim=0)",
    "torch.histogram(x(8), 4)",
    "torch.histogram(x(8), 3, range=(-1.0, 1.0), density=True)",
    "F.binary_cross_entropy_with_logits(x(4), x(4).sigmoid().detach())",
)
"""Programs whose numbers are no matter of digits: draws with derivatives of their own, and functions without one."""
MOST = 12
"""Calls that are kept of an operator: with arguments of different shapes, types or settings."""


class Call:
    """One call of an operator on leaves of its own: arguments by name, results, and the gradients in and out, as arrays."""

    def __init__(self, operator: Operator, arguments: Sequence[Any], only: str = "") -> None:
        self.operator = operator
        self.given = tuple(arguments)
        leaves: dict[str, Any] = {}
        fresh = []
        for position, (name, argument) in enumerate(zip(operator.signature.names, arguments, strict=False)):
            tracked = position in operator.differentiable and only in ("", name)
            fresh.append(_fresh(argument, tracked))
            if tracked and (made := [t for t in _tensors(fresh[-1]) if t.requires_grad]):
                leaves[name] = made if isinstance(argument, list) else made[0]
        self.arguments = dict(zip(operator.signature.names, map(_array, fresh), strict=False))
        self.stored = dict(zip(operator.signature.names, map(_stored, fresh), strict=False))
        """Of each sparse argument, which of its elements it stores."""
        torch.manual_seed(0)
        with torch.enable_grad():
            returned = operator.run(tuple(fresh))
        outputs = list(returned) if isinstance(returned, tuple | list) else [returned]
        self.results = [_array(output) for output in outputs]
        tracked_outputs = [output for output in outputs if output.requires_grad]
        self.tracked = [_array(output) for output in tracked_outputs]
        self.makers: set[Any] = set()
        """The operators that computed the gradients."""
        seeds = [_seed(output, index).requires_grad_() for index, output in enumerate(tracked_outputs)]
        self.incoming = [_array(seed) for seed in seeds]
        self.layouts: list[Any] = []
        """Those of the gradients sent."""
        flat = [leaf for made in leaves.values() for leaf in (made if isinstance(made, list) else [made])]
        self.refused = ""
        """Why there are no gradients, in PyTorch's words."""
        sent = iter(self._gradients(tracked_outputs, flat, seeds))
        self.sent = {
            name: [next(sent) for _ in made] if isinstance(made, list) else next(sent) for name, made in leaves.items()
        }

    def _gradients(self, outputs: list[Any], leaves: list[Any], seeds: list[Any]) -> list[Any]:
        if not outputs or not leaves:
            return [None] * len(leaves)
        try:
            found = torch.autograd.grad(outputs, leaves, seeds, allow_unused=True, create_graph=True)
        except (RuntimeError, NotImplementedError) as error:
            self.refused = str(error)
            return [None] * len(leaves)
        nodes = [gradient.grad_fn for gradient in found if gradient is not None]
        self.makers = {getattr(node, "operator", None) for node in nodes}
        self.layouts = [None if gradient is None else gradient.layout for gradient in found]
        return [None if gradient is None else _array(gradient) for gradient in found]

    @property
    def x(self) -> Any:
        """The first argument that gets a gradient."""
        return self.arguments[next(iter(self.sent))]

    @property
    def result(self) -> Any:
        return self.results[0]

    @property
    def g(self) -> Any:
        """What arrived for the first result that can have a gradient."""
        return self.incoming[0]

    @property
    def d(self) -> Any:
        """What was sent to the first argument that gets a gradient."""
        return self.sent[next(iter(self.sent))]

    def __getitem__(self, name: str) -> Any:
        return self.arguments[name]

    def again(self, /, **changes: Any) -> Call:
        """The same call with other arguments."""
        names = self.operator.signature.names
        given = [changes.get(name, argument) for name, argument in zip(names, self.given, strict=False)]
        return type(self)(self.operator, given)

    def only(self, name: str) -> Call:
        """The same call with a gradient for one argument only."""
        return type(self)(self.operator, self.given, name)

    def slope(self, *points: float, of: str = "") -> Any:
        """The derivative at points, for an operator that works element by element; ``of`` names the argument."""
        name = of or next(iter(self.sent))
        made = self.again(**{name: np.array(points)})
        return made.sent[name] / made.g

    def in_place(self) -> Any:
        """What the first argument gets when the second is put into it by the in-place twin, as in ``x.eq_(y)``."""
        leaf, other = (_fresh(argument, True) for argument in self.given[:2])
        written = getattr(leaf * 1.0, f"{self.operator.name}_")(other.detach())
        written.backward(_seed(written, 0))
        return _array(leaf.grad)

    def is_sound(self) -> bool:
        """Whether every number is finite."""
        numbers = [
            *self.tracked,
            *self.incoming,
            *_arrays(list(self.arguments.values())),
            *_arrays(list(self.sent.values())),
        ]
        return all(np.all(np.isfinite(array)) for array in numbers if array.dtype.kind in "fc")


class Bent(Call):
    """The same with every number of the results and of the gradients sent changed: what no law may accept."""

    def __init__(self, operator: Operator, arguments: Sequence[Any], only: str = "") -> None:
        super().__init__(operator, arguments, only)
        self.refused = ""
        self.results = [
            bend(result) if place == 0 or result.dtype.kind not in "iu" else result  # places may not leave the array
            for place, result in enumerate(self.results)
        ]
        self.sent = {
            name: [bend(one) for one in sent] if isinstance(sent, list) else bend(sent)
            for name, sent in self.sent.items()
        }

    def in_place(self) -> Any:
        return bend(super().in_place())


def bend(array: Any) -> Any:
    """Other numbers of another sum, none of them zero that was."""
    if array is None:
        return None
    if array.dtype.kind == "b":
        return ~array
    uneven = np.arange(1, array.size + 1).reshape(array.shape)
    return array * -3 + (uneven if array.dtype.kind in "iu" else uneven * 0.77 + 0.1)


def _fresh(argument: Any, tracked: bool) -> Any:
    if isinstance(argument, list) and any(isinstance(part, np.ndarray) for part in argument):
        return [_fresh(part, tracked) for part in argument]
    if isinstance(argument, SparseArray):
        return around(argument.copy()).requires_grad_(tracked)
    if not isinstance(argument, np.ndarray):
        return argument
    return torch.from_numpy(argument.copy(order="K")).requires_grad_(tracked and argument.dtype.kind in "fc")


def _tensors(value: Any) -> list[Any]:
    return (
        [t for part in value for t in _tensors(part)]
        if isinstance(value, list)
        else [value]
        if isinstance(value, Tensor)
        else []
    )


def _array(value: Any) -> Any:
    if isinstance(value, list):
        return [_array(part) for part in value]
    return np.array(value.detach().to_dense().resolve_conj().numpy()) if isinstance(value, Tensor) else value


def _stored(value: Any) -> Any:
    if not isinstance(value, Tensor) or not isinstance(value._array, SparseArray):
        return None
    return value._array.with_values(np.ones(value._array.values.shape)).dense() > 0


def _arrays(values: Any) -> list[Any]:
    if isinstance(values, list):
        return [array for part in values for array in _arrays(part)]
    return [values] if isinstance(values, np.ndarray) else []


def _seed(output: Any, index: int) -> Any:
    """Uneven gradients, none of them zero, and different for each output."""
    count = math.prod(output.shape)
    numbers = [round(0.7 + math.sin(1.9 * place + index) * 0.5 + 0.03 * place, 4) for place in range(count)]
    seed = torch.tensor(numbers, dtype=output.dtype).reshape(output.shape)
    return seed if output.layout is torch.strided else seed.sparse_mask(output.detach())


class Recorder(observe.Listener):
    """Keeps what the programs call operators with, wherever a node came of it."""

    def __init__(self) -> None:
        self.kept: dict[Operator, dict[Any, list[Any]]] = {}

    def operation(self, operator: Operator, arguments: Sequence[Any], results: Sequence[Any], node: Any) -> None:
        if node is None:
            return
        held = self.kept.setdefault(operator, {})
        if len(held) >= MOST:
            return
        with observe.state.silent():
            frozen = [_array(list(a) if _is_parts(a) else a) for a in arguments]
        held.setdefault(tuple(map(_kind, frozen)), frozen)


def _is_parts(argument: Any) -> bool:
    return type(argument) in (list, tuple) and any(isinstance(part, Tensor) for part in argument)


def _kind(argument: Any) -> Any:
    if isinstance(argument, np.ndarray):
        return argument.shape, argument.dtype.str
    return tuple(map(_kind, argument)) if isinstance(argument, list) else repr(argument)


def played() -> Iterator[Callable[[], Any]]:
    """Every program of the tables."""
    for expression in operator_cases.EXPRESSIONS:
        yield functools.partial(derivatives.derived, expression, torch)
    for program in [*shape_cases.PROGRAMS, *matrix_cases.PROGRAMS]:
        yield functools.partial(program_outcome.observe, program, torch)
    for program in [*functional_cases.PROGRAMS, *module_cases.PROGRAMS, *BESIDES]:
        yield functools.partial(training.outcome, program, torch)


@functools.cache
def calls() -> dict[Operator, list[Call]]:
    """Sound calls of each operator, on real numbers where it was called with such."""
    recorder = Recorder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        observe.state.listener = recorder
        try:
            for program in played():
                program()
        finally:
            observe.state.listener = None
        modes.grad_enabled = True
        kept = {operator: list(recorder.kept.get(operator, {}).values()) for operator in catalogue.operators()}
        return {operator: sound(operator, held) for operator, held in kept.items() if operator.differentiable}


def sound(operator: Operator, kept: list[list[Any]]) -> list[Call]:
    """The calls of an operator that laws are tried on."""
    kept = [*EXAMPLES.get(operator.class_name, []), *BY_NAME.get(operator.name, []), *kept]
    precise = [
        arguments for arguments in kept if all(a.dtype.itemsize > 4 for a in _arrays(arguments) if a.dtype.kind in "fc")
    ]
    made = [(operator, arguments) for arguments in precise or kept]
    real = [(o, a) for o, a in made if all(array.dtype.kind != "c" for array in _arrays(a))]
    return [call for each in real or made if (call := rebuilt(*each)) is not None]


def rebuilt(operator: Operator, arguments: list[Any]) -> Call | None:
    """The call on fresh leaves; None where it asks for a layout in memory that a fresh leaf has not."""
    try:
        return Call(operator, arguments)
    except (ValueError, RuntimeError):
        return None
