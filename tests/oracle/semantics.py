"""Random programs about autograd's semantics: views, in-place writes, hooks, several backwards, modes, custom functions.

Each statement runs on its own and its error is noted, so one refusal does not end the program. What is observed: every
variable (value, grad_fn, version, whether it is a view and of what), the graph with its saved names, the order in which nodes ran,
what hooks saw, and every error. Both sides use this module, so it imports neither.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

from tests.oracle.programs import MESSAGE_CHARACTERS, describe, looking, plain

Shape = tuple[int, ...]
SHAPES: tuple[Shape, ...] = ((), (2,), (3,), (2, 3), (3, 2), (2, 2))
LONGEST = 14

PRELUDE = """
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2 + x * 0

class Swap(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.set_materialize_grads(False)
        return y * 1, x * 1
    @staticmethod
    def backward(ctx, one, two):
        return two, one
"""


class SemanticsWriter:
    """Writes one program; ``shapes`` knows each variable's shape so that most statements are legal."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.shapes: dict[str, Shape] = {}

    def statements(self) -> list[str]:
        """The statements, in order."""
        for name in "abc"[: self.random.randint(1, 3)]:
            self.leaf(name)
        for number in range(self.random.randint(3, LONGEST)):
            self.step(f"v{number}")
        self.ending()
        return self.lines

    def choose(self, *options: Any) -> Any:
        return self.random.choice(options)

    def leaf(self, name: str) -> None:
        shape = self.random.choice(SHAPES)
        wants = self.random.random() < 0.8
        self.bind(name, f"torch.tensor({self.numbers(shape)}{', requires_grad=True' if wants else ''})", shape)

    def numbers(self, shape: Shape) -> str:
        if not shape:
            return str(self.random.randint(-8, 8) / 4)
        return "[" + ", ".join(self.numbers(shape[1:]) for _ in range(shape[0])) + "]"

    def bind(self, name: str, expression: str, shape: Shape) -> None:
        self.lines.append(f"{name} = {expression}")
        self.shapes[name] = shape

    def some(self, least: int = 0) -> str:
        """An earlier variable with at least that many dimensions; late ones more often."""
        names = [name for name, shape in self.shapes.items() if len(shape) >= least]
        if not names:
            return ""
        return names[-1] if self.random.random() < 0.4 else self.random.choice(names)

    def alike(self, shape: Shape) -> str:
        """An earlier variable that broadcasts to ``shape``, or a number."""
        names = [n for n, s in self.shapes.items() if s in (shape, ())]
        return self.random.choice(names) if names and self.random.random() < 0.8 else str(self.random.randint(1, 6) / 2)

    def step(self, name: str) -> None:
        kinds: tuple[Callable[[str], None], ...] = (
            self.compute, self.compute, self.compute, self.view, self.view, self.write, self.write, self.several_views,
            self.leave, self.hook, self.backward, self.custom, self.flag, self.unrecorded,
        )  # fmt: skip
        self.random.choice(kinds)(name)

    def compute(self, name: str) -> None:
        source = self.some()
        shape = self.shapes[source]
        other = self.alike(shape)
        expression = self.choose(
            f"{source} * {other}", f"{source} * {source}", f"{source} + {other}", f"{source}.exp()", f"{source}.tanh()",
            f"{source} - {other}", f"{source}.relu()", f"{source}.sum()", f"{source} * 2", f"{source}.clone()",
        )  # fmt: skip
        self.bind(name, expression, () if expression.endswith("sum()") else shape)

    def view(self, name: str) -> None:
        source = self.some(1)
        if not source:
            self.compute(name)
            return
        shape = self.shapes[source]
        size = 1
        for length in shape:
            size *= length
        options: list[tuple[str, Shape]] = [
            (f"{source}.view(-1)", (size,)),
            (f"{source}.reshape({size})", (size,)),
            (f"{source}[0]", shape[1:]),
            (f"{source}[1:]", (shape[0] - 1, *shape[1:])),
            (f"{source}[-1]", shape[1:]),
            (f"{source}.unsqueeze(0)", (1, *shape)),
            (f"{source}.narrow(0, 0, 1)", (1, *shape[1:])),
            (f"{source}.view_as({source})", shape),
            (f"{source}.expand(2, {', '.join(map(str, shape))})", (2, *shape)),
        ]
        if len(shape) == 2:
            options += [
                (f"{source}.t()", (shape[1], shape[0])),
                (f"{source}.transpose(0, 1)", (shape[1], shape[0])),
                (f"{source}[:, 0]", (shape[0],)),
                (f"{source}.diagonal()", (min(shape),)),
            ]
        self.bind(name, *self.random.choice(options))

    def several_views(self, name: str) -> None:
        source = self.some(1)
        if not source or self.shapes[source][0] < 2:
            self.compute(name)
            return
        shape = self.shapes[source]
        expression, result = self.choose(
            (f"{source}.unbind(0)[1]", shape[1:]),
            (f"{source}.split(1)[0]", (1, *shape[1:])),
            (f"{source}.chunk(2)[0]", ((shape[0] + 1) // 2, *shape[1:])),
        )
        self.bind(name, expression, result)

    def write(self, name: str) -> None:
        target = self.some()
        shape = self.shapes[target]
        other = self.alike(shape)
        options = [
            f"{target}.add_({other})", f"{target}.mul_({other})", f"{target}.zero_()", f"{target}.exp_()", f"{target}.tanh_()",
            f"{target}.fill_(0.5)", f"{target}.copy_({other} * torch.ones(()))", f"{target} += {other}", f"{target} *= {other}",
        ]  # fmt: skip
        if shape:
            options += [f"{target}[0] = {self.alike(shape[1:])}", f"{target}[0:1] *= 2", f"{target}[-1].add_(1)"]
        self.lines.append(self.random.choice(options))

    def leave(self, name: str) -> None:
        source = self.some()
        expression = self.choose(
            f"{source}.detach()", f"{source}.data", f"{source}.detach().clone()", f"{source}.detach_()"
        )
        if expression.endswith("detach_()"):
            self.lines.append(expression)
        else:
            self.bind(name, expression, self.shapes[source])

    def hook(self, name: str) -> None:
        source = self.some()
        label = f"'{name}'"
        self.lines.append(
            self.choose(
                f"{source}.register_hook(lambda g: seen({label}, g))",
                f"{source}.register_hook(lambda g: (seen({label}, g), g * 2)[1])",
                f"{source}.retain_grad()",
                f"{source}.register_post_accumulate_grad_hook(lambda t: seen({label}, t.grad))",
                f"{source}.grad_fn.register_prehook(lambda gs: seen({label}, *gs))",
            )
        )

    def backward(self, name: str) -> None:
        source = self.some()
        target = self.some()
        keep = self.choose("", "", ", retain_graph=True", ", create_graph=True")
        slope = f"torch.autograd.grad({source}.exp().sum(), {target}, create_graph=True)[0]"
        self.lines.append(
            self.choose(
                f"{source}.sum().backward({keep[2:]})",
                f"seen('{name}', *torch.autograd.grad({source}.sum(), [{target}]{keep}, allow_unused=True))",
                f"{source}.backward(torch.ones_like({source}){keep})",
                f"{source}.sum().backward(inputs=[{target}]{keep})",
                f"seen('{name}', *torch.autograd.grad({slope}.sum(), {target}))",
            )
        )

    def custom(self, name: str) -> None:
        source = self.some()
        other = self.some()
        if self.random.random() < 0.6:
            self.bind(name, f"Double.apply({source})", self.shapes[source])
        else:
            self.bind(name, f"Swap.apply({source}, {other})[{self.choose(0, 1)}]", self.shapes[source])

    def flag(self, name: str) -> None:
        source = self.some()
        self.lines.append(
            self.choose(
                f"{source}.requires_grad_()",
                f"{source}.requires_grad_(False)",
                f"{source}.grad = None",
                f"{source}.grad = torch.ones_like({source})",
            )
        )

    def unrecorded(self, name: str) -> None:
        source = self.some()
        other = self.alike(self.shapes[source])
        self.lines.append(
            self.choose(
                f"with torch.no_grad(): {source}.mul_({other})",
                f"with torch.no_grad(): {source} -= {other}",
                f"with torch.no_grad(): {source}.zero_()",
            )
        )

    def ending(self) -> None:
        terms = " + ".join(f"{n}.sum()" for n in self.random.sample(list(self.shapes), min(4, len(self.shapes))))
        self.bind("loss", terms, ())
        self.lines.append("look(loss)")
        self.lines += self.choose(
            ["loss.backward()"], ["loss.backward()"], ["loss.backward(retain_graph=True)", "loss.backward()"]
        )


def observe(torch: ModuleType, seed: int) -> dict[str, Any]:
    """Runs the program of ``seed`` on ``torch`` and tells everything that both sides must agree on."""
    notes: dict[str, list[Any]] = {"errors": [], "hooks": [], "order": [], "graph": []}

    def seen(label: str, *gradients: Any) -> None:
        notes["hooks"].append([label, *(plain(g) for g in gradients)])

    variables: dict[str, Any] = {"torch": torch, "seen": seen, "look": looking(notes, names_and_edges)}
    exec(PRELUDE, variables)
    for statement in SemanticsWriter(seed).statements():
        try:
            exec(statement, variables)
        except Exception as error:
            notes["errors"].append([statement, type(error).__name__, str(error)[:MESSAGE_CHARACTERS]])
    tensors = {name: value for name, value in variables.items() if isinstance(value, torch.Tensor)}
    return notes | {
        "variables": {name: state(value, tensors) for name, value in tensors.items()},
        "aliased": aliased([value for value in tensors.values() if value._base is None and value.is_leaf]),
    }


def aliased(leaves: list[Any]) -> bool:
    """Whether two leaves' gradients share storage."""
    gradients = {id(leaf.grad): leaf.grad for leaf in leaves if leaf.grad is not None}
    places = [gradient.untyped_storage().data_ptr() for gradient in gradients.values()]
    return len(set(places)) < len(places)


def fails_in_pytorch_itself(theirs: dict[str, Any]) -> bool:
    """Whether PyTorch ran into one of its own assertions: nobody can agree with that."""
    return any("INTERNAL ASSERT" in message for _, _, message in theirs["errors"])


def names_and_edges(node: Any, nodes: list[Any]) -> dict[str, Any]:
    """A node's name, edges and saved names (their values may be freed by now)."""
    try:
        return describe(node, nodes)
    except RuntimeError:
        return {"name": node.name(), "edges": len(node.next_functions), "freed": True}


def state(value: Any, tensors: dict[str, Any]) -> dict[str, Any]:
    """What a person can ask a tensor, its version and its base included."""
    try:
        grad_fn = value.grad_fn
    except RuntimeError as refusal:
        return {"refusal": str(refusal)[:MESSAGE_CHARACTERS], "version": value._version}
    readable = value.is_leaf or value.retains_grad
    return {
        "value": plain(value),
        "shape": list(value.shape),
        "requires_grad": value.requires_grad,
        "is_leaf": value.is_leaf,
        "grad_fn": None if grad_fn is None else grad_fn.name(),
        "output_nr": value.output_nr,
        "version": value._version,
        "is_view": value._is_view(),
        "base": next((name for name, other in tensors.items() if value._base is other), None),
        "grad": plain(value.grad) if readable else None,
        "same_as": next(name for name, other in tensors.items() if other is value),
    }
