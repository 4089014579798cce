"""What a backward pass does: seeds, nodes run, buffers freed, gradients stored or returned, hooks, and its end."""

from __future__ import annotations

from engine.trace import events
from engine.trace import formula as formulas
from engine.trace.marks import code
from engine.trace.narration.amounts import MOST, aside, is_spelled, listed, number_word, shown
from engine.trace.narration.calculus import Calculus
from engine.trace.narration.clipping import is_new
from engine.trace.narration.messages import is_persons_own, with_enough_digits
from engine.trace.narration.saving import what_was_saved
from engine.trace.narration.telling import Reader, Telling, begun, is_one
from engine.trace.parts import Claim


def backward_started(reader: Reader, step: events.BackwardStarted, tell: Telling) -> None:
    """The seed."""
    roots = reader.list(step.roots)
    seeds = listed([shown(seed) for seed in step.seeds]) or "1"
    claims = [Claim("seed", tensor=root, text=seed.text) for root, seed in zip(step.roots, step.seeds, strict=False)]
    claim = claims[0] if claims else Claim("call", number=step.call)
    given = bool(claims) and not all(map(is_one, step.seeds))
    if step.function == "grad":
        asked = reader.list(step.inputs or []) or "what an edge of the graph stands for"
        asks = [Claim("asked", tensor=tensor) for tensor in step.inputs or []]
        depend = "depends" if len(step.roots) == 1 else "depend"
        tell.say(
            f"grad() asks how {roots} {depend} on {asked}. It starts at {roots} with {seeds}.", *claims, claim, *asks
        )
    elif given:
        tell.say(f"backward() starts at {roots} with the gradient you passed: {seeds}.", *claims)
        if len(step.roots) == 1 and is_spelled(step.seeds[0]):
            itself = formulas.partial("L", reader.symbol(step.roots[0]))
            tell.formula = formulas.equals(itself, formulas.number(step.seeds[0].text))
    elif len(step.roots) == 1:
        itself = formulas.partial(*[reader.symbol(step.roots[0])] * 2)
        tell.say(f"backward() starts at {roots} with `{formulas.plain(itself)} = {seeds}`.", claim)
        tell.formula = formulas.equals(itself, formulas.number(seeds))
    else:
        tell.say(f"backward() starts at {roots}, each with {seeds}.", claim, *claims)
    if reader.root() == "L" and is_new(reader, f"L of {roots}"):
        one = len(step.roots) == 1
        what = f"{roots} times that gradient, added up" if one else f"the sum of {roots}, each times its gradient"
        tell.say(f"In the formulas of this pass `L` is {what}.", claim, *claims)
    if step.call == 1:
        tell.say(
            "Nodes run from the latest back to the earliest, each as soon as all its messages are in.",
            Claim("latest_first", number=step.call),
        )
    if step.create_graph:
        tell.say(
            "create_graph=True: this pass records its own operations, so its gradients can be differentiated.",
            Claim("recorded_pass", number=step.call),
        )
    elif step.retain_graph:
        tell.say(
            "retain_graph=True: what nodes saved stays, so the graph can be run again.",
            Claim("retains", number=step.call),
        )


def node_ran(reader: Reader, step: events.NodeRan, tell: Telling) -> None:
    """A node computes."""
    row = reader.trace.nodes[step.node]
    name = reader.node(step.node)
    arrived = [value for value in step.gradients if value is not None]
    order = Claim("order", node=step.node, number=step.order)
    if not arrived:
        tell.say(f"{name} runs, but no gradient has arrived: there is nothing to pass on.", order)
        return
    first = arrived[0]
    tracked = [output for output in row.outputs if reader.state.tracked(output)]
    incoming = Claim("incoming", node=step.node, text=first.text)
    if len(arrived) > 1:
        tell.say(
            f"{name} runs: the gradients of {number_word(len(arrived))} of its results are complete.", order, incoming
        )
        return
    if len(tracked) != 1:
        tell.say(f"{name} runs: what arrived is complete, {shown(first)}.", order, incoming)
        return
    of_what = reader.label(tracked[0])
    earlier = reader.state.grad_fn.get(tracked[0], step.node) != step.node
    claims = [order, incoming]
    if earlier:
        of_what += " as it was before a later write"
        claims.append(Claim("written_later", node=step.node, tensor=tracked[0]))
    tell.say(f"{name} runs: the gradient of {of_what} is complete, {shown(first)}.", *claims)
    if is_spelled(first):
        symbol = reader.symbol_now(tracked[0])
        of = formulas.partial(reader.root(), f"{symbol} as it was" if earlier else symbol)
        tell.formula = formulas.equals(of, formulas.number(first.text))


def buffers_freed(reader: Reader, step: events.BuffersFreed, tell: Telling) -> None:
    """A node lets go of what it saved."""
    row = reader.trace.nodes[step.node]
    held = []
    for name in step.names:
        saved = [entry for entry in row.saved if entry.name.partition("[")[0] == name]
        inner = f"for {reader.operation(step.node)}" if row.operator == "CopySlices" else code(name)
        held += [what_was_saved(reader, step.node, entry.name, entry.tensor, entry.text) for entry in saved] or [inner]
    tell.say(
        f"{reader.node(step.node)} has used what it saved ({listed(list(dict.fromkeys(held)))}) and frees it.",
        Claim("freed", node=step.node),
    )
    if reader.state.freed_in_pass == 1 and step.call == 1:
        tell.say(
            "A second backward() through it would raise an error; retain_graph=True would have kept it.",
            Claim("not_retained", node=step.node, number=step.call),
        )


def gradient_stored(reader: Reader, step: events.GradientStored, tell: Telling, calculus: Calculus) -> None:
    """``.grad`` is filled or added to."""
    label, grad = reader.label(step.tensor), reader.gradient(step.tensor)
    holds = Claim("gradient", tensor=step.tensor, text=step.new.text)
    added = Claim("accumulated", tensor=step.tensor, text=step.new.text)
    if step.old is None:
        tell.say(f"{grad}: None → {shown(step.new)}.", holds, Claim("grad_was_none", tensor=step.tensor))
    elif not is_spelled(step.new):
        tell.say(f"{grad} held numbers already and the new ones are added: {shown(step.new)}.", holds, added)
    else:
        old, incoming, new = with_enough_digits(step.old, step.incoming, step.new)
        addition = formulas.operator("+", formulas.number(old), formulas.number(incoming))
        tell.formula = formulas.equals(addition, formulas.number(new))
        tell.say(f"{grad}: {formulas.plain(tell.formula)}.", holds, added)
    if step.old is not None and not step.retained:
        tell.say(f"It still held {aside(step.old)} from before, and backward() adds instead of replacing.", added)
    if step.retained:
        tell.say(f"{label} is not a leaf; it keeps this gradient because retain_grad() was called.", holds)
    else:
        tell.say(f"{label} is a leaf that requires grad, so its gradient is kept.", Claim("leaf", tensor=step.tensor))
    if all(element == 0 for element in step.new.data or [1]):
        zero = "This 0 is a number" if len(step.new.data or []) == 1 else "These zeros are numbers"
        tell.say(
            f"{zero} that {'was' if 'This' in zero else 'were'} computed; None would mean that no gradient came at all.",
            holds,
        )
    whole = calculus.of(step.tensor, step.node, step.incoming)
    if whole is not None:
        tell.formula = whole
        tell.say(
            f"By calculus: `{formulas.plain(whole)}`.", Claim("calculus", tensor=step.tensor, text=step.incoming.text)
        )


def gradient_returned(reader: Reader, step: events.GradientReturned, tell: Telling) -> None:
    """``autograd.grad`` hands a gradient out."""
    label = reader.label(step.tensor)
    if step.value is None:
        why = "nothing was sent along the paths to it" if reader.state.leads_to(step.tensor) else "no path leads to it"
        tell.say(
            f"grad() returns None for {label}: {why}.",
            Claim("returned", tensor=step.tensor),
            Claim("path", tensor=step.tensor, number=int(reader.state.leads_to(step.tensor))),
        )
        return
    asked = formulas.partial(reader.root(), reader.symbol_now(step.tensor))
    tell.say(
        f"grad() returns `{formulas.plain(asked)} = {shown(step.value)}` and leaves {reader.gradient(step.tensor)} as it was.",
        Claim("returned", tensor=step.tensor, text=step.value.text),
    )
    if is_spelled(step.value):
        tell.formula = formulas.equals(asked, formulas.number(step.value.text))


def backward_ended(reader: Reader, step: events.BackwardEnded, tell: Telling) -> None:
    """The pass is over."""
    state, trace = reader.state, reader.trace
    call = Claim("call", number=step.call)
    started = trace.steps[state.started[step.call]]
    is_grad = isinstance(started, events.BackwardStarted) and started.function == "grad"
    roots = started.roots if isinstance(started, events.BackwardStarted) else []
    if state.broken_off():
        broken_off(reader, next(reversed(state.ran)), tell)
        return
    if is_grad:
        reached = [tensor for tensor in step.reached if arrived(reader, tensor)]
        of = f": it returns the gradient{'' if len(reached) == 1 else 's'} of {reader.list(reached)}" if reached else ""
        tell.say(f"grad() is done{of}.", call, *[Claim("reached", tensor=tensor) for tensor in reached[:MOST]])
    else:
        filled(reader, step, tell)
    missed = [tensor for tensor in step.missed if not arrived(reader, tensor) and not reader.is_left_behind(tensor)]
    for leads in (False, True):
        some = [tensor for tensor in missed if state.leads_to(tensor) is leads]
        if some:
            verb = "was" if len({reader.label(tensor) for tensor in some}) == 1 else "were"
            why = "a node on the way sent no gradient on" if leads else f"no path leads there from {reader.list(roots)}"
            tell.say(
                f"{reader.list(some)} {verb} not reached: {why}.",
                *[Claim("missed", tensor=tensor) for tensor in some],
                *[Claim("path", tensor=tensor, number=int(leads)) for tensor in some],
            )
    if step.freed and state.freed_in_pass:
        tell.say(
            "What the nodes had saved is freed, so this graph cannot be run again.",
            Claim("freed_in_pass", number=state.freed_in_pass),
        )


def broken_off(reader: Reader, node: int, tell: Telling) -> None:
    """The node that raised, and what it lacked: what another pass has freed, or what was written over."""
    state = reader.state
    claim = Claim("broken_off", node=node)
    freed = state.freed.get(node)
    if freed is not None and freed[0] != state.call and not is_persons_own(reader.trace.nodes[node]):
        span = reader.trace.steps[freed[1]].span
        by = f"the pass on line {span.line}" if span is not None else "an earlier pass"
        tell.say(
            f"The pass was broken off: {reader.node(node)} needs what {by} has freed.",
            claim,
            Claim("freed_earlier", node=node, number=freed[0]),
        )
        return
    for saved in reader.trace.nodes[node].saved:
        if saved.tensor is not None and saved.version is not None and state.version(saved.tensor) > saved.version:
            tell.say(
                f"The pass was broken off: {reader.node(node)} needs {reader.label(saved.tensor)} as it was, and it was "
                "written to since.",
                claim,
                Claim("saved_version", node=node, tensor=saved.tensor, number=saved.version),
            )
            return
    tell.say(f"The pass was broken off: {reader.node(node)} raised an error.", claim)


def filled(reader: Reader, step: events.BackwardEnded, tell: Telling) -> None:
    """Whose ``.grad`` holds a gradient now, and whose does not."""
    state, call = reader.state, Claim("call", number=step.call)
    grads = {tensor: grad for tensor in step.reached if (grad := state.grads.get(tensor)) is not None}
    if not grads and step.reached:
        tell.say(
            "The pass is over, and what it stored has been cleared already.",
            *[Claim("grad_none", tensor=tensor) for tensor in step.reached],
        )
    elif not grads:
        tell.say("The pass is over; no leaf got a gradient.", Claim("nothing_stored", number=step.call))
    elif len(grads) <= MOST:
        told = listed([f"{reader.gradient(tensor)} = {shown(grad)}" for tensor, grad in grads.items()])
        claims = [Claim("gradient", tensor=tensor, text=grad.text) for tensor, grad in grads.items()]
        tell.say(f"Backward is done: {told}.", call, *claims)
    else:
        holding = [Claim("gradient", tensor=tensor, text=grad.text) for tensor, grad in grads.items()]
        tell.say(f"Backward is done: {len(grads)} leaves have their gradients.", *holding)
    outputs = [output for node in state.ran for output in reader.trace.nodes[node].outputs if state.tracked(output)]
    passed = [output for output in outputs if state.grads.get(output) is None]
    retained = any(state.grads.get(output) is not None for output in outputs)
    if passed:
        one = len(dict.fromkeys(map(reader.label, passed))) == 1
        kept = (
            "Of the results only those with retain_grad() keep a gradient"
            if retained
            else "Only leaves keep a gradient"
        )
        tell.say(
            f"{kept}. {begun(reader.list(passed))} "
            f"{'is not a leaf, so its' if one else 'are not leaves, so their'} .grad stays None.",
            *[Claim("grad_none", tensor=tensor) for tensor in passed[:MOST]],
        )


def arrived(reader: Reader, tensor: int) -> bool:
    """Whether a gradient came to the tensor in this pass (``grad()`` may have raised before handing it out)."""
    place = reader.state.receiver(tensor)
    return place is not None and any(message.value for message in reader.state.arrived.get(place, []))


HOOKED = {
    "post_accumulate": "after a gradient was stored in {tensor}",
    "tensor": "on the gradient of {tensor}",
    "node": "after {node} has run",
    "node_pre": "before {node} runs",
    "module_forward": "at the forward of {module}",
    "module_backward": "at the backward of {module}",
    "saved_pack": "on what is saved",
    "saved_unpack": "on what was saved and is needed now",
}
"""When each kind of hook runs."""


def hook_fired(reader: Reader, step: events.HookFired, tell: Telling) -> None:
    """A hook of the person's ran."""
    tensor = step.tensor
    outputs = reader.trace.nodes[step.node].outputs if step.node is not None else []
    if tensor is None and step.hook == "tensor" and len(outputs) == 1:
        tensor = outputs[0]
    places = {
        "tensor": reader.label(tensor) if tensor is not None else "",
        "node": reader.node(step.node) if step.node is not None else "",
        "module": code(step.module.partition(" (")[0]) or "a module",
    }
    when = HOOKED[step.hook]
    told = when.format(**places) if all(places[name] for name in places if f"{{{name}}}" in when) else ""
    of = f" {told}" if told else ""
    claim = Claim("kind", text="hook_fired")
    sees = Claim("sees", text=None if step.before is None else step.before.text)
    if step.after is not None:
        becomes = f"turns {aside(step.before)} into {shown(step.after)}"
        if step.before == step.after:
            becomes = f"hands on {shown(step.after)}"
        sentence = f"Your hook {code(step.function)} runs{of} and {becomes}."
        tell.say(sentence, claim, sees, Claim("hooked", text=step.after.text))
    elif step.before is not None and step.hook in ("saved_pack", "saved_unpack", "post_accumulate"):
        tell.say(f"Your hook {code(step.function)} runs{of}: {shown(step.before)}.", claim, sees)
    elif step.before is not None:
        tell.say(
            f"Your hook {code(step.function)} runs{of} and sees {shown(step.before)}; it puts nothing in its place.",
            claim, sees, Claim("hooked"),
        )  # fmt: skip
    else:
        tell.say(f"Your hook {code(step.function)} runs{of}; it replaces nothing.", claim, Claim("hooked"))
