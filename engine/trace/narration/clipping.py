"""Gradients that are clipped by a function of ``torch.nn.utils``, as one thing; and each gradient's own part of it."""

from __future__ import annotations

import math

from engine.trace import events
from engine.trace.narration.amounts import counted, number_word, shown
from engine.trace.narration.telling import Reader, Telling
from engine.trace.parts import Claim
from engine.trace.values import spelled


def gradients_clipped(reader: Reader, step: events.GradientsClipped, tell: Telling) -> None:
    """clip_grad_norm_(), clip_grad_value_()."""
    reader.clip = step
    reader.unclipped = {tensor: reader.state.grads.get(tensor) for tensor in step.tensors}
    if not step.tensors:
        tell.say(f"`{step.function}` finds no gradient to clip.", Claim("clips", number=0))
    elif step.norm is None or step.factor is None:
        by_value(reader, step, tell)
    else:
        by_norm(reader, step, float(step.norm), float(step.factor), tell)


def gradients(reader: Reader, step: events.GradientsClipped) -> str:
    """Whose they are: one by its name, several by their number."""
    one = len(step.tensors) == 1
    return reader.gradient(step.tensors[0]) if one else f"the {counted(len(step.tensors), 'gradient')}"


def by_norm(reader: Reader, step: events.GradientsClipped, norm: float, factor: float, tell: Telling) -> None:
    """All gradients as one vector, shortened where that is too long."""
    one, limit = len(step.tensors) == 1, float(step.limit)
    order = float(step.norm_type) if step.norm_type is not None else 2.0
    kind = "" if order == 2 else "∞-" if math.isinf(order) else f"{spelled(order)}-"
    size = f"The {'' if one else 'total '}{kind}norm of {gradients(reader, step)} is"
    it, they = ("it", "it stays as it is") if one else ("each", "they stay as they are")
    claims = [Claim("clips", number=len(step.tensors)), Claim("clip_norm", number=step.norm)]
    claims.append(Claim("clip_factor", number=step.factor))
    if math.isnan(norm):
        tell.say(f"{size} NaN, for some element is: {it} is multiplied by NaN, and all that is left is NaN.", *claims)
    elif math.isinf(norm):
        tell.say(
            f"{size} infinite: {it} is multiplied by 0, which makes 0 of finite elements and NaN of infinite ones.",
            *claims,
        )
    elif factor == 1:
        tell.say(f"{size} {spelled(norm)}, not more than {spelled(limit)}: {they}.", *claims)
    elif norm > limit:
        quotient = f"`{spelled(limit)} / {spelled(norm)} = {spelled(factor)}`"
        tell.say(f"{size} {spelled(norm)}, more than {spelled(limit)}, so {it} is multiplied by {quotient}.", *claims)
        if limit > 0 and is_new(reader, "direction"):
            still = "it still points" if one else "together they still point"
            tell.say(
                f"Afterwards the norm is {spelled(limit)}. Only the length has changed: {still} in the same direction.",
                *claims,
            )
    else:
        tell.say(
            f"{size} {spelled(norm)}, just within {spelled(limit)}; {it} is multiplied by {spelled(factor, 7)}, since PyTorch "
            "adds a millionth to the norm.",
            *claims,
        )
    if order in NORMS and math.isfinite(norm) and is_new(reader, f"{order}-norm"):
        tell.say(f"This norm is {NORMS[order]}, as if they were one long vector.", *claims)


def total_norm(reader: Reader, step: events.TensorMade, tell: Telling) -> None:
    """get_total_norm(), which measures and changes nothing: how the norms of several become one."""
    row = reader.trace.tensors[step.tensor]
    if step.operator != "linalg_vector_norm" or row.span is None or not reader.is_given_by_its_text(step.tensor):
        return
    if "get_total_norm(" in reader.source.text(row.span):
        tell.say(
            "It is the norm of their norms: as long as all of them would be as one vector.",
            Claim("value", tensor=step.tensor, text=step.value.text),
        )


NORMS = {
    1.0: "the sum of the sizes of all elements",
    2.0: "the root of the sum of all squared elements",
    math.inf: "the size of the largest of all elements",
}


def is_new(reader: Reader, thing: str) -> bool:
    """Whether something is to be explained here, for the first time."""
    new = thing not in reader.explained
    reader.explained.add(thing)
    return new


def by_value(reader: Reader, step: events.GradientsClipped, tell: Telling) -> None:
    """Each element for itself, cut off at the limit."""
    limit, whose, one = spelled(float(step.limit)), gradients(reader, step), len(step.tensors) == 1
    claim = Claim("clip_beyond", number=step.beyond, text=str(step.elements))
    if not step.beyond:
        tell.say(
            f"No element of {whose} is beyond ±{limit}: {'it stays as it is' if one else 'they stay as they are'}.",
            claim,
        )
    elif step.beyond == step.elements:
        tell.say(f"Every element of {whose} is beyond ±{limit} and becomes {limit} or −{limit}.", claim)
    else:
        verb, becomes = ("is", "becomes") if step.beyond == 1 else ("are", "become")
        some = f"{number_word(step.beyond)} of the {counted(step.elements, 'element')}"
        tell.say(f"{some} of {whose} {verb} beyond ±{limit} and {becomes} {limit} or −{limit}.", claim)
    if step.beyond and step.elements > 1 and is_new(reader, "elements cut"):
        tell.say(
            "Each element is cut for itself, so the gradient can point in another direction than before; `clip_grad_norm_` "
            "would keep that.",
            claim,
        )


def is_clipped(reader: Reader, step: events.ValueWritten) -> bool:
    """Whether a write is the running clip's, to one of its gradients."""
    clip, owner = reader.clip, reader.trace.tensors[step.tensor].gradient_of
    return clip is not None and (clip.span, clip.scope) == (step.span, step.scope) and owner in clip.tensors


def clipped_write(reader: Reader, step: events.ValueWritten, tell: Telling) -> None:
    """One gradient's own part of a clip."""
    clip, owner = reader.clip, reader.trace.tensors[step.tensor].gradient_of
    assert clip is not None
    assert owner is not None
    how = f"is cut off at ±{spelled(float(clip.limit))}"
    if clip.factor is not None:
        factor = float(clip.factor)
        how = f"is multiplied by {'NaN' if math.isnan(factor) else spelled(factor, 7 if 0.999 < factor < 1 else 4)}"
    before = shown(reader.unclipped.get(owner))
    tell.say(
        f"{reader.gradient(owner)} {how}: {before} → {shown(step.value)}.",
        Claim("value", tensor=step.tensor, text=step.value.text),
        Claim("gradient", tensor=owner, text=step.value.text),
    )
