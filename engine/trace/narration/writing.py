"""Writes in place: what the numbers and the version become, who shares them, and which nodes needed the old ones."""

from __future__ import annotations

from engine.trace import events
from engine.trace.marks import code
from engine.trace.narration.amounts import listed, shown
from engine.trace.narration.clipping import clipped_write, is_clipped
from engine.trace.narration.names import own
from engine.trace.narration.telling import Reader, Telling, begun
from engine.trace.narration.writers import RESHAPING, writer
from engine.trace.parts import Claim

COUNTED_ONLY = frozenset({"increment_version", "_unsafe_preserve_version_counter", "_unsafe_set_version_counter"})
"""Functions that set a version without writing."""


def value_written(reader: Reader, step: events.ValueWritten, tell: Telling) -> None:
    """A write in place."""
    if is_clipped(reader, step):
        clipped_write(reader, step, tell)
        return
    label = reader.called_by_now(step.tensor)
    version = f"Its version goes from {step.version_before} to {step.version_after}."
    if step.version_before == step.version_after:
        version = f"Its version stays {step.version_after}: PyTorch does not count this write."
    counted = step.operator in COUNTED_ONLY
    versioned = Claim("version", tensor=step.tensor, number=step.version_after)
    if step.operator in RESHAPING:
        now = reader.trace.tensors[step.tensor].shape if step.value is None else step.value.shape
        tell.say(
            f"{code(step.operator)} lays the numbers of {label} out anew, in shape {now}, and changes none of them. {version}",
            Claim("value", tensor=step.tensor, text=step.value.text),
            versioned,
        )
    elif counted:
        tell.say(f"{code(step.operator)} changes no number of {label}. {version}", versioned)
    else:
        tell.say(
            f"{writer(reader.source, step)} writes into {label}: it now holds {shown(step.value)}. {version}",
            Claim("value", tensor=step.tensor, text=step.value.text),
            versioned,
        )
    if step.shared_with and not counted:
        others = reader.list(step.shared_with)
        verb = "shares" if len(step.shared_with) == 1 else "share"
        tell.say(f"{others} {verb} its storage, so the numbers change there too.", Claim("shared", step.tensor))
        by_data = reader.state.left.get(reader.state.counter(step.tensor)) == "data"
        apart = [
            other
            for other in step.shared_with
            if by_data and reader.state.counter(other) != reader.state.counter(step.tensor)
        ]
        if apart:
            stays = "version stays" if len({reader.label(other) for other in apart}) == 1 else "versions stay"
            tell.say(
                f"{begun(own(reader.list(apart), stays))} as {'it is' if 'stays' in stays else 'they are'}: what is written by "
                "way of .data is not counted, so autograd does not notice.",
                *[Claim("counted_apart", tensor=other, number=step.tensor) for other in apart],
            )
    spoiled(reader, step, tell)


def spoiled(reader: Reader, step: events.ValueWritten, tell: Telling) -> None:
    """The nodes that saved what was written over, and notice it by its version, or do not."""
    state = reader.state
    counted = {
        other for other in (step.tensor, *step.shared_with) if state.counter(other) == state.counter(step.tensor)
    }
    claims: dict[int, list[Claim]] = {}
    unnoticed: list[Claim] = []
    for node in reader.state.nodes:
        if node == step.node or node in reader.state.freed:
            continue
        for saved in reader.trace.nodes[node].saved:
            if saved.tensor in counted and saved.version is not None and saved.version < step.version_after:
                claim = Claim("saved_version", node=node, tensor=saved.tensor, number=saved.version)
                claims.setdefault(saved.version, []).append(claim)
            elif saved.tensor in step.shared_with and saved.tensor not in counted:
                unnoticed.append(Claim("saved_unnoticed", node=node, tensor=saved.tensor))
    for version, held in claims.items():
        nodes = list(dict.fromkeys(claim.node for claim in held if claim.node is not None))
        names = listed([reader.of_line(node) for node in nodes])
        needs, them = ("needs it", "it") if len(nodes) == 1 else ("need it", "any of them")
        tell.say(f"{names} saved version {version} and {needs}: backward through {them} will raise.", *held)
    if unnoticed:
        nodes = list(dict.fromkeys(claim.node for claim in unnoticed if claim.node is not None))
        what = reader.list([claim.tensor for claim in unnoticed if claim.tensor is not None])
        tell.say(
            f"{listed([reader.of_line(node) for node in nodes])} saved {what} and will take the new numbers for the old ones: "
            "nothing raises, and the gradient comes out wrong.",
            *unnoticed,
        )
