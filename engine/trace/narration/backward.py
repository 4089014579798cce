"""What a backward pass does: seeds, messages, sums, nodes run, buffers freed, gradients stored."""

from __future__ import annotations

from engine.trace import events
from engine.trace import formula as formulas
from engine.trace.marks import code
from engine.trace.narration.calculus import Calculus
from engine.trace.narration.symbols import with_names, with_numbers
from engine.trace.narration.telling import MOST, Reader, Telling, is_spelled, listed, shown, times
from engine.trace.parts import Claim, Value
from engine.trace.state import single
from engine.trace.values import spelled


def backward_started(reader: Reader, step: events.BackwardStarted, tell: Telling) -> None:
    """The seed."""
    roots = reader.list(step.roots)
    seeds = listed([shown(seed) for seed in step.seeds]) or "1"
    claims = [Claim("seed", tensor=root, text=seed.text) for root, seed in zip(step.roots, step.seeds, strict=False)]
    claim = claims[0] if claims else Claim("call", number=step.call)
    given = bool(claims) and any(seed.data is None or set(seed.data) != {1} for seed in step.seeds)
    if step.function == "grad":
        asked = reader.list(step.inputs or [])
        tell.say(f"grad() asks how {roots} depends on {asked}. It starts at {roots} with {seeds}.", claim)
    elif given:
        tell.say(f"backward() starts at {roots} with the gradient you passed: {seeds}.", claim)
    elif len(step.roots) == 1:
        itself = formulas.partial(*[reader.symbol(step.roots[0])] * 2)
        tell.say(f"backward() starts at {roots} with `{formulas.plain(itself)} = {seeds}`.", claim)
        tell.formula = formulas.equals(itself, formulas.number(seeds))
    else:
        tell.say(f"backward() starts at {roots} with {seeds}.", claim)
    tell.say(
        "Nodes run from the latest back to the earliest, each as soon as all its messages are in.",
        Claim("call", number=step.call),
    )
    if step.create_graph:
        tell.say(
            "create_graph=True: this pass records its own operations, so its gradients can be differentiated.", claim
        )
    elif step.retain_graph:
        tell.say("retain_graph=True: what nodes saved stays, so the graph can be run again.", claim)


def node_ran(reader: Reader, step: events.NodeRan, tell: Telling) -> None:
    """A node computes."""
    row = reader.trace.nodes[step.node]
    arrived = next((value for value in step.gradients if value is not None), None)
    order = Claim("order", node=step.node, number=step.order)
    if arrived is None:
        tell.say(f"{row.name} runs, but no gradient has arrived: there is nothing to pass on.", order)
        return
    tracked = [output for output in row.outputs if reader.state.tracked(output)]
    output = tracked[0] if len(tracked) == 1 else None
    incoming = Claim("incoming", node=step.node, text=arrived.text)
    if output is None:
        tell.say(f"{row.name} runs with the incoming gradient {shown(arrived)}.", order, incoming)
        return
    label = reader.label(output)
    tell.say(f"{row.name} runs: the gradient of {label} is complete, {shown(arrived)}.", order, incoming)
    if is_spelled(arrived):
        tell.formula = formulas.equals(
            formulas.partial(reader.root(), reader.symbol(output)), formulas.number(arrived.text)
        )


def message_sent(reader: Reader, step: events.MessageSent, tell: Telling) -> None:
    """A gradient travels along an edge."""
    row = reader.trace.nodes[step.node]
    edge = row.edges[step.slot]
    to = reader.label(edge.tensor) if edge.tensor is not None else reader.node(step.to)
    claim = Claim("message", node=step.node, number=step.slot, text=None if step.value is None else step.value.text)
    if step.value is None:
        tell.say(f"{row.name} sends no gradient to {to}: it is undefined, which fills nothing.", claim)
        return
    ran = reader.state.ran.get(step.node)
    incoming = ran.gradients[0] if ran is not None and len(ran.gradients) == 1 else None
    grad = formulas.name("grad")
    if ran is not None and len(row.outputs) == 1:
        grad = formulas.partial(reader.root(), reader.symbol(row.outputs[0]))
    symbolic = with_names(reader, step.node, step.slot, grad)
    plain_grad = with_names(reader, step.node, step.slot, formulas.name("grad"))
    step.derivative = formulas.plain(plain_grad) if plain_grad is not None else ""
    unbroadcast = (step.node, step.slot) in reader.state.unbroadcast
    numeric = with_numbers(reader, step.node, step.slot, incoming, step.value, unbroadcast)
    result = shown(step.value)
    if unbroadcast:
        symbolic = symbolic and formulas.total(symbolic)
    # Equal elements that all come from one number are told once.
    same = step.value.data or []
    spread = incoming is not None and single(incoming) is not None and len(same) > 1 and len(set(same)) == 1
    outcome = formulas.number(spelled(step.value.data[0]) if spread and step.value.data else result)
    if symbolic is not None and symbolic == grad and incoming == step.value:
        tell.say(f"{row.name} passes {result} to {to} unchanged.", claim)
    elif symbolic is not None and symbolic == grad and spread:
        tell.say(f"{row.name} passes {shown(incoming)} to each of the {len(same)} elements of {to}.", claim)
    elif symbolic is not None and symbolic == grad:
        tell.say(f"{row.name} passes the gradient on in {to}'s shape: {result}.", claim)
    elif numeric is not None and is_spelled(step.value):
        step.substituted = formulas.plain(formulas.equals(*formulas.distinct([numeric, outcome])))
        target = f"each of the {len(same)} elements of {to}" if spread else to
        arithmetic = Claim("arithmetic", node=step.node, number=step.slot, text=step.substituted)
        tell.say(f"{row.name} sends `{step.substituted}` to {target}.", claim, arithmetic)
    else:
        tell.say(f"{row.name} sends {result} to {to}.", claim)
    if symbolic is not None and symbolic != grad:
        added = ", added up over the copies" if unbroadcast else ""
        tell.say(
            f"The derivative for {to} is `{step.derivative}`{added}; `grad` is what arrived, {shown(incoming)}.",
            Claim("derivative", node=step.node, number=step.slot, text=edge.derivative),
        )
    chain = formulas.distinct([part for part in (symbolic, numeric, outcome) if part is not None])
    if is_spelled(step.value):
        tell.formula = formulas.equals(*chain) if len(chain) > 1 else None
    elif symbolic != grad:
        tell.formula = symbolic  # more numbers than a formula can hold
    if step.value.nonfinite:
        tell.say(
            f"{step.value.nonfinite} of its elements {'is' if step.value.nonfinite == 1 else 'are'} not finite.",
            Claim("nonfinite", node=step.node, number=step.value.nonfinite),
        )


def broadcast_undone(reader: Reader, step: events.BroadcastUndone, tell: Telling) -> None:
    """A gradient is summed to its input's shape."""
    edge = reader.trace.nodes[step.node].edges[step.slot]
    label = reader.label(edge.tensor) if edge.tensor is not None else "the input"
    tell.say(
        f"{label} was stretched from {step.after} to {step.before} in the forward pass, so its gradient is added up "
        f"over the copies: {shown(step.value)}.",
        Claim("unbroadcast", node=step.node, number=step.slot, text=step.value.text),
    )


def messages_summed(reader: Reader, step: events.MessagesSummed, tell: Telling) -> None:
    """A message joins what waited."""
    row = reader.trace.nodes[step.node]
    tensor = row.leaf if row.leaf is not None else row.outputs[step.input_nr] if row.outputs else None
    label = reader.label(tensor) if tensor is not None else row.name
    claim = Claim("sum", node=step.node, number=step.arrived, text=step.value.text)
    if not is_spelled(step.value):
        total = f"their sum is {shown(step.value)}"
    else:
        total = f"{shown(step.before)} + {shown(step.incoming)} = {shown(step.value)}"
        tell.formula = formulas.equals(
            formulas.operator("+", formulas.number(step.before.text), formulas.number(step.incoming.text)),
            formulas.number(step.value.text),
        )
    if step.arrived == 2 and step.expected == 2:
        tell.say(f"Two paths meet at {label}: {total}.", claim)
    else:
        tell.say(f"Message {step.arrived} of {step.expected} arrives at {label}: {total}.", claim)
    if step.arrived < step.expected:
        tell.say(f"{label} waits for {step.expected - step.arrived} more.", claim)
    else:
        tell.say(f"A tensor that is used {times(step.expected)} gets the sum of what its uses send back.", claim)


def buffers_freed(reader: Reader, step: events.BuffersFreed, tell: Telling) -> None:
    """A node lets go of what it saved."""
    row = reader.trace.nodes[step.node]
    held = []
    for name in step.names:
        saved = next((entry for entry in row.saved if entry.name.partition("[")[0] == name), None)
        held.append(reader.label(saved.tensor) if saved is not None and saved.tensor is not None else name)
    claim = Claim("freed", node=step.node)
    tell.say(f"{row.name} has used what it saved ({listed(held)}) and frees it.", claim)
    tell.say("A second backward() through it would raise an error; retain_graph=True would have kept it.", claim)


def gradient_stored(reader: Reader, step: events.GradientStored, tell: Telling, calculus: Calculus) -> None:
    """``.grad`` is filled or added to."""
    label = reader.label(step.tensor)
    holds = Claim("gradient", tensor=step.tensor, text=step.new.text)
    if step.old is None:
        tell.say(f"{label}.grad: None → {shown(step.new)}.", holds, Claim("grad_was_none", tensor=step.tensor))
    elif not is_spelled(step.new):
        tell.say(f"{label}.grad had numbers already; the new gradient is added to them.", holds)
    else:
        sum_of = f"{shown(step.old)} + {shown(step.incoming)} = {shown(step.new)}"
        tell.say(f"{label}.grad: {sum_of}.", holds, Claim("accumulated", tensor=step.tensor, text=sum_of))
    if step.old is not None and not step.retained:
        tell.say(
            f"{label}.grad still held {shown(step.old)} from before, and backward() adds instead of replacing.",
            Claim("accumulated", tensor=step.tensor, text=step.old.text),
        )
    if step.retained:
        tell.say(f"{label} is not a leaf; it keeps this gradient because retain_grad() was called.", holds)
    else:
        tell.say(f"{label} is a leaf that requires grad, so its gradient is kept.", Claim("leaf", tensor=step.tensor))
    if all(element == 0 for element in step.new.data or [1]):
        tell.say("This 0 is a number that was computed; None would mean that no gradient came at all.", holds)
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
        tell.say(f"grad() returns None for {label}: no path leads to it.", Claim("returned", tensor=step.tensor))
        return
    asked = formulas.partial(reader.root(), reader.symbol(step.tensor))
    tell.say(
        f"grad() returns `{formulas.plain(asked)} = {shown(step.value)}` and leaves {label}.grad as it was.",
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
    filled = [tensor for tensor in step.reached if isinstance(state.grads.get(tensor), Value)]
    if state.broken_off():
        last = next(reversed(state.ran))
        tell.say(f"The pass was broken off: {trace.nodes[last].name} raised an error.", Claim("broken_off", node=last))
        return
    if is_grad:
        tell.say("grad() is done.", call)
    elif not filled:
        tell.say("The pass is over; no leaf got a gradient.", call)
    elif len(filled) <= MOST:
        grads = listed([f"{reader.label(tensor)}.grad = {shown(state.grads[tensor])}" for tensor in filled])
        claims = [
            Claim("gradient", tensor=tensor, text=str(getattr(state.grads[tensor], "text", ""))) for tensor in filled
        ]
        tell.say(f"Backward is done: {grads}.", call, *claims)
    else:
        tell.say(f"Backward is done: {len(filled)} leaves have their gradients.", call)
    outputs = [output for node in state.ran for output in trace.nodes[node].outputs if state.tracked(output)]
    passed = [output for output in outputs if state.grads.get(output) is None]
    if passed and not is_grad:
        one = len(dict.fromkeys(map(reader.label, passed))) == 1
        tell.say(
            f"Only leaves keep a gradient. {reader.list(passed)} "
            f"{'is not a leaf, so its' if one else 'are not leaves, so their'} .grad stays None.",
            *[Claim("grad_none", tensor=tensor) for tensor in passed[:MOST]],
        )
    missed = [tensor for tensor in step.missed if not arrived(reader, tensor)]
    if missed:
        verb = "was" if len(missed) == 1 else "were"
        tell.say(
            f"{reader.list(missed)} {verb} not reached: no path leads there from {code(reader.root())}.",
            *[Claim("missed", tensor=tensor) for tensor in missed],
        )
    if step.freed and any(call == step.call for call, _ in state.freed.values()):
        tell.say("What the nodes had saved is freed, so this graph cannot be run again.", call)


def arrived(reader: Reader, tensor: int) -> bool:
    """Whether a gradient came to the tensor in this pass (``grad()`` may have raised before handing it out)."""
    place = reader.state.receiver(tensor)
    return place is not None and any(message.value for message in reader.state.arrived.get(place, []))


def hook_fired(reader: Reader, step: events.HookFired, tell: Telling) -> None:
    """A hook of the person's ran."""
    tensor = step.tensor
    outputs = reader.trace.nodes[step.node].outputs if step.node is not None else []
    if tensor is None and step.hook == "tensor" and len(outputs) == 1:
        tensor = outputs[0]
    if tensor is not None:
        of = f" on the gradient of {reader.label(tensor)}"
    else:
        of = f" at {reader.node(step.node)}" if step.node is not None else f" of {step.module}" if step.module else ""
    claim = Claim("kind", text="hook_fired")
    if step.after is not None:
        tell.say(
            f"The hook {code(step.function)} runs{of} and turns {shown(step.before)} into {shown(step.after)}.", claim
        )
    else:
        seen = f" and sees {shown(step.before)}" if step.before is not None else ""
        tell.say(f"The hook {code(step.function)} runs{of}{seen}; it changes nothing.", claim)
