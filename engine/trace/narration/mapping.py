"""vmap: what it takes from a batch for each example, and that the examples are played one after the other."""

from __future__ import annotations

from engine.trace import events
from engine.trace.marks import code
from engine.trace.narration.amounts import listed, shown, times
from engine.trace.narration.telling import Reader, Telling
from engine.trace.parts import Claim
from engine.trace.turns import example_number


def mapped(reader: Reader, step: events.Mapped, tell: Telling) -> None:
    """A function is about to run for every example."""
    reader.mapped = dict(zip(step.tensors, step.dims, strict=True))
    slices = [sliced(reader.symbol(tensor), dim, "i") for tensor, dim in reader.mapped.items()]
    claims = [Claim("mapped", tensor=tensor, number=dim, text=str(step.size)) for tensor, dim in reader.mapped.items()]
    how_often = "once" if step.size == 1 else f"{times(step.size)}, once for each example"
    also = f", and {reader.list(step.whole)} whole" if step.whole else ""
    tell.say(
        f"{reader.text(step.span) or 'vmap'} runs its function {how_often}: example i gets {listed(slices)}{also}.",
        *claims,
    )
    if "vmap" not in reader.explained:
        reader.explained.add("vmap")
        tell.say(
            "PyTorch computes all examples at once, each operation on the whole batch; here they follow one another, which gives "
            "the same numbers.",
            *claims,
        )


def sliced(label: str, dim: int, index: object) -> str:
    """``x[:, i]``: a slice as one writes it."""
    return code(f"{label}[{':, ' * dim}{index}]")


def slice_of(reader: Reader, tensor: int, scope: int) -> str:
    """How an example's slice of a batch is written, where its scope is that of an example; empty for anything else."""
    number = example_number(reader.trace.scopes[scope].title)
    if number is None or tensor not in reader.mapped:
        return ""
    return sliced(reader.symbol(tensor), reader.mapped[tensor], number - 1)


def slice_made(reader: Reader, step: events.TensorMade, tell: Telling) -> bool:
    """One example's slice; False for a result that is none."""
    taken = slice_of(reader, step.inputs[0], step.scope) if step.operator == "select" and step.inputs else ""
    if taken:
        number = example_number(reader.trace.scopes[step.scope].title)
        tell.say(
            f"Example {number} gets {taken}: {shown(step.value)}.",
            Claim("value", tensor=step.tensor, text=step.value.text),
            Claim("slice", tensor=step.inputs[0], number=reader.mapped[step.inputs[0]], text=str(number)),
        )
    return bool(taken)
