"""What the program does: lines, prints, warnings, modes, and how it ends."""

from __future__ import annotations

from engine.trace import events
from engine.trace.marks import code
from engine.trace.narration.amounts import MOST, listed, ordinal, shown
from engine.trace.narration.telling import Reader, Telling, cut, first_line
from engine.trace.parts import Claim, Span
from engine.trace.turns import split_title

LONGEST_LINE = 110
"""Characters of a line of source that is quoted alone."""


def line(reader: Reader, step: events.Line, tell: Telling) -> None:
    """A statement is reached."""
    if step.span is None:
        return
    number = step.span.line
    scope = reader.trace.scopes[step.scope]
    text = cut(reader.source.text(step.span), LONGEST_LINE)
    claim = Claim("line", number=number)
    if scope.kind == "loop_turn" and scope.span == step.span:
        turn, loop = split_title(scope.title)
        tell.say(f"{turn.capitalize()} of {code(loop)}.", claim, Claim("scope", text=scope.title))
    elif step.times > 1:
        again = f"for the {ordinal(step.times)} time"
        tell.say(f"Line {number}, {again}: {code(text)}", claim, Claim("times", number=step.times))
    else:
        tell.say(f"Line {number}: {code(text)}", claim)


def head(reader: Reader, span: Span | None) -> str:
    """The first line inside a span, as code: of a ``with`` its head, without the block."""
    if span is None or span.line == span.end_line:
        return reader.text(span)
    return code(cut(reader.trace.code.split("\n")[span.line - 1][span.column :]))


def mode_changed(reader: Reader, step: events.ModeChanged, tell: Telling) -> None:
    """Recording or training was switched."""
    claim = Claim("mode", text=step.mode, number=int(step.enabled))
    by = head(reader, step.span)
    match step.mode, step.enabled:
        case "grad", False if switches_back(reader, step):
            tell.say(f"The end of {by}: recording is off again, as it was before.", claim)
        case "grad", False:
            tell.say(f"{by or 'A switch'} turns recording off: operations make no nodes from here on.", claim)
        case "grad", True:
            tell.say("Recording is on again: operations on tracked tensors make nodes.", claim)
        case "inference", True:
            tell.say(
                f"{by or 'A switch'} begins inference mode: nothing is recorded, and its tensors can never be tracked.",
                claim,
            )
        case "inference", False:
            tell.say("Inference mode is over.", claim)
        case _, enabled:
            mode = "training" if enabled else "evaluation"
            path, _, kind = step.module.partition(" (")
            name = f"{code(path)} ({kind}" if kind else code(step.module)
            tell.say(f"{name or 'The module'} is in {mode} mode now.", claim)
            tell.say(
                "Only layers such as dropout and batch norm act differently; recording goes on as before.",
                Claim("recording", number=int(reader.state.grad_enabled)),
            )


def switches_back(reader: Reader, step: events.ModeChanged) -> bool:
    """Whether a block ends that had switched recording on."""
    earlier = reversed(reader.trace.steps[: reader.state.step])
    last = next((each for each in earlier if isinstance(each, events.ModeChanged) and each.mode == step.mode), None)
    return last is not None and last.enabled and last.span is not None and last.span == step.span


def requires_grad_changed(reader: Reader, step: events.RequiresGradChanged, tell: Telling) -> None:
    """A leaf's switch."""
    label = reader.label(step.tensor)
    if step.requires_grad:
        tell.say(
            f"{label} requires grad from now on: it is a leaf that backward can fill.", Claim("tracked", step.tensor)
        )
    else:
        tell.say(f"{label} no longer requires grad: backward will pass it by.", Claim("untracked", step.tensor))


def retain_asked(reader: Reader, step: events.RetainAsked, tell: Telling) -> None:
    """retain_grad() on a result."""
    label = reader.label(step.tensor)
    tell.say(f"{label} is not a leaf, but from now on it will keep its gradient too.", Claim("not_leaf", step.tensor))


def printed(reader: Reader, step: events.Printed, tell: Telling) -> None:
    """Output."""
    where = "" if step.stream == "stdout" else " to the error stream"
    output = step.output.strip("\n")
    what = f"Prints{where}: {cut(output, 120)}" if output.strip() else f"Prints an empty line{where}."
    tell.quote(what, Claim("printed", text=step.output))


def warned(reader: Reader, step: events.Warned, tell: Telling) -> None:
    """A warning."""
    tell.quote(f"{step.category}: {cut(step.message, 160)}", Claim("warned", text=step.message))


def bookmark(reader: Reader, step: events.Bookmark, tell: Telling) -> None:
    """breakpoint()."""
    tell.say("breakpoint() sets a bookmark here. Nothing stops; the run went on.", Claim("kind", text="bookmark"))


def recomputed(reader: Reader, step: events.Recomputed, tell: Telling) -> None:
    """A checkpoint runs again."""
    tell.say(
        f"{code(step.function)} runs again: its checkpoint had kept the inputs only, and backward needs what lies between.",
        Claim("kind", text="recomputed"),
    )


def recalled(reader: Reader, step: events.Recalled, tell: Telling) -> None:
    """A kept result stands in for computing it again."""
    tell.say(
        f"{code(step.operator)} is not computed again: the checkpoint's policy had its result kept.",
        Claim("kind", text="recalled"),
    )


def steps_left_out(reader: Reader, step: events.StepsLeftOut, tell: Telling) -> None:
    """The run went on, unseen."""
    ran = f"{step.statements} more statement{'' if step.statements == 1 else 's'} ran here"
    claims = [Claim("left_out", number=step.statements)]
    if step.passes:
        ran += f", with {step.passes} backward pass{'' if step.passes == 1 else 'es'}"
        claims.append(Claim("passes_left_out", number=step.passes))
    tell.say(f"{ran}, whose steps were not kept.", *claims)
    if step.output:
        lines = step.output.count("\n")
        tell.say(
            f"They printed {lines} line{'' if lines == 1 else 's'}." if lines else "They printed something.",
            Claim("printed_unkept", number=lines),
        )
    for standing in step.standings[:MOST]:
        tell.say(
            f"{reader.label(standing.tensor)} is now {shown(standing.value)}.",
            Claim("value", tensor=standing.tensor, text=standing.value.text),
        )
        if standing.gradient is not None:
            tell.say(
                f"{reader.gradient(standing.tensor)} is now {shown(standing.gradient)}.",
                Claim("gradient", tensor=standing.tensor, text=standing.gradient.text),
            )


def kept(reader: Reader, tell: Telling) -> None:
    """What the leaves hold when all is done."""
    state = reader.state
    held = ((tensor, grad) for tensor, grad in state.grads.items() if not reader.is_left_behind(tensor))
    grads = {tensor: grad for tensor, grad in held if grad is not None and state.is_leaf(tensor)}
    if not grads:
        return
    told = (
        listed([f"{reader.gradient(tensor)} is {shown(grad)}" for tensor, grad in grads.items()])
        if len(grads) <= MOST
        else f"{len(grads)} leaves have a `.grad`"
    )
    tell.say(
        f"In the end {told}.", *[Claim("gradient", tensor=tensor, text=grad.text) for tensor, grad in grads.items()]
    )


def ended(reader: Reader, step: events.Ended, tell: Telling) -> None:
    """The last step."""
    outcome = reader.trace.outcome
    claim = Claim("outcome", text=outcome.status)
    if outcome.status == "ok":
        tell.say("The run is over.", claim)
        kept(reader, tell)
    elif outcome.status == "limit":
        tell.quote(outcome.message, claim)
    else:
        first = first_line(outcome.message, 200)
        at = f"Line {outcome.span.line} raises " if outcome.span else ""
        tell.quote(f"{at}{outcome.error}{': ' if first else ''}{first}", claim)
    if outcome.advice:
        tell.say(outcome.advice, Claim("advised", text=outcome.status))
    told = any(isinstance(earlier, events.StepsLeftOut) for earlier in reader.trace.steps)
    if reader.trace.folded and not told:  # the run was killed
        tell.say(
            f"More than {reader.trace.folded} further steps were not kept; the run itself went on.",
            Claim("folded", number=reader.trace.folded),
        )
