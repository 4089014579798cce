"""Recurrent layers and attention: which dimension is time, which the batch, and what the state and the mask must be."""

from __future__ import annotations

import ast
import re

from engine.trace.diagnosis.answer import Found
from engine.trace.diagnosis.errors.refused_calls.call import Call
from engine.trace.diagnosis.errors.refused_calls.layers import name_of, outermost

SIZE = "shape_mismatch"
RECURRENT = frozenset({"RNN", "LSTM", "GRU"})


def recurrent(call: Call) -> Found:
    """The features of the input, or the shape of the state."""
    if call.layer.removesuffix("Cell") not in RECURRENT:
        return None
    given, state = call.tensor("input"), call.tensor("hx", "hx[0]")
    if given is None:
        return None
    if call.layer.endswith("Cell"):
        return cell(call, given)
    if "index 1 is out of bounds" in call.message and call.layer == "LSTM" and call.given("hx[0]") is None:
        return one_state(call, state)
    if "input_size" in call.message:
        return features(call, given)
    return hidden(call, given, state) if state is not None and "hidden" in call.message else None


def order(call: Call) -> str:
    """The order of dimensions that it takes."""
    return "(batch, time, features)" if call.settings.get("batch_first") == "True" else "(time, batch, features)"


def features(call: Call, given: int) -> Found:
    """The last dimension is not input_size."""
    shape, wanted = call.shape(given), call.number("input_size")
    text = f"{call.told(given)}: {shape[-1]} features in the last dimension. {call.called} takes {wanted}, as {order(call)}."
    if wanted in shape[:-1] and shape.count(wanted) == 1:
        turn = outermost(call, "{}.transpose(" + f"{shape.index(wanted)}, -1)")
        return given, call.answer(SIZE, text, turn, "Move the features to the end with `transpose()` first.")
    return given, call.answer(
        SIZE, text, call.remade(0, "input_size", shape[-1]), f"Make {name_of(call)} for {shape[-1]} features."
    )


def one_state(call: Call, state: int | None) -> Found:
    """An LSTM was given a tensor where it wants two."""
    if state is None:
        return None
    text = f"{call.told(state)}, one tensor, and {call.called} carries two, as a tuple: what it hands on (h) and its cell (c)."
    name = call.source(state)
    written = ast.unparse(name) if name is not None else "h0"
    pair = call.replaced(name, f"({written}, torch.zeros_like({written}))") if name is not None else None
    return state, call.answer(SIZE, text, pair, "Give it both: `(h0, c0)`.")


def cell(call: Call, given: int) -> Found:
    """One step of a recurrent layer: the features, or the state's."""
    width, batch = call.number("hidden_size"), call.shape(given)[:-1]
    if "hidden_size" not in call.message and "hidden" not in call.message:
        found, wanted = call.shape(given)[-1], call.number("input_size")
        text = f"{call.told(given)}: {found} features in the last dimension. {call.called} takes {wanted} features."
        return given, call.answer(
            SIZE, text, call.remade(0, "input_size", found), f"Make {name_of(call)} for {found} features."
        )
    if width is None:
        return None
    wanted_shape = [*batch, width]
    states = unlike(call, wanted_shape)
    if not states:
        return None
    state = states[0]
    text = (
        f"{call.told(state)}, and it must be {wanted_shape}: (batch, hidden_size), with `hidden_size={width}` of {call.called}."
        f"{too(call, states)}"
    )
    return state, call.answer(
        SIZE, text, remade_states(call, states, wanted_shape), f"Give it a state of shape {wanted_shape}."
    )


def unlike(call: Call, wanted: list[int]) -> list[int]:
    """The states of another shape."""
    states = (given.tensor for given in call.refused.given if given.argument.startswith("hx"))
    return [state for state in states if state is not None and call.shape(state) != wanted]


def too(call: Call, states: list[int]) -> str:
    """A sentence on the second state, where that is of another shape as well."""
    return "".join(f" So must {call.name(state)}, of shape {call.shape(state)}." for state in states[1:])


def remade_states(call: Call, states: list[int], wanted: list[int]) -> str | None:
    """The states' own constructions with other lengths; None where one is not written so."""
    fixes = []
    for state in states:
        span = call.row(state).span
        source = call.history.text(span) if span is not None else ""
        remade = source.replace(", ".join(map(str, call.shape(state))), ", ".join(map(str, wanted)))
        if span is None or remade == source or not source.startswith("torch."):
            return None
        fixes.append(call.instead(span, remade))
    return " ".join(fixes)


def hidden(call: Call, given: int, state: int) -> Found:
    """The state is not (layers × directions, batch, hidden_size)."""
    found = re.search(r"\((\d+), (\d+), (\d+)\)", call.message)
    shape, first = call.shape(given), call.settings.get("batch_first") == "True"
    if found is None or len(shape) != 3:
        return None
    wanted = [int(number) for number in found.groups()]
    states = unlike(call, wanted) or [state]
    state, has = states[0], call.shape(states[0])
    batch = shape[0 if first else 1]
    text = (
        f"{call.told(state)}, and it must be {wanted}: (layers, batch, hidden_size), with as many layers as {call.called} has, "
        f"and the batch of {call.name(given)}, which it takes as {order(call)}: {call.told(given)}.{too(call, states)}"
    )
    other = shape[1 if first else 0]
    if len(has) == 3 and has[1] == other != batch and [has[0], has[2]] == [wanted[0], wanted[2]] and not first:
        return state, call.answer(SIZE, text, batch_first(call), f"Make {name_of(call)} with `batch_first=True`.")
    return state, call.answer(SIZE, text, remade_states(call, states, wanted), f"Give it a state of shape {wanted}.")


def batch_first(call: Call) -> str | None:
    """The layer made to take the batch first."""
    if (
        call.made is None
        or call.construction is None
        or any(k.arg == "batch_first" for k in call.construction.keywords)
    ):
        return None
    return call.instead(call.made, f"{call.history.text(call.made)[:-1]}, batch_first=True)")


def attention(call: Call) -> Found:
    """Another width than embed_dim, or a mask of another shape."""
    query, key = call.tensor("query"), call.tensor("key")
    width = call.number("embed_dim")
    if call.layer != "MultiheadAttention" or query is None or key is None or width is None:
        return None
    if "embedding dimension" in call.message:
        found = call.shape(query)[-1]
        text = f"{call.told(query)}: {found} numbers for each place. {call.called} was made for `embed_dim={width}`."
        heads = call.number("num_heads") or 1
        remade = call.remade(0, "embed_dim", found) if found % heads == 0 else None
        return query, call.answer(
            SIZE, text, remade, f"Give it {width} numbers for each place, or make it for `embed_dim={found}`."
        )
    if "key_padded_mask" in call.message:
        return padding(call, key)
    mask = call.tensor("attn_mask")
    if mask is None or "mask" not in call.message:
        return None
    place = 1 if call.settings.get("batch_first") == "True" and len(call.shape(query)) == 3 else 0
    wanted = [call.shape(query)[place], call.shape(key)[place]]
    text = (
        f"{call.told(mask)}, and it needs a row for each of the {wanted[0]} places of {call.name(query)} and a column for each of the "
        f"{wanted[1]} places of {call.name(key)}: {call.told(query)}."
    )
    return mask, call.answer(SIZE, text, masked(call, mask, wanted), f"Make the mask of shape {wanted}.")


def padding(call: Call, key: int) -> Found:
    """A mask of the keys is not (batch, keys)."""
    mask, shape = call.tensor("key_padding_mask"), call.shape(key)
    if mask is None or len(shape) != 3:
        return None
    batch, places = shape[:2] if call.settings.get("batch_first") == "True" else (shape[1], shape[0])
    text = f"{call.told(mask)}, and it must be {[batch, places]}: a truth value for each place of each example. {call.told(key)}."
    turned = call.given_as(mask, "{}.T") if call.shape(mask) == [places, batch] else masked(call, mask, [batch, places])
    return mask, call.answer(SIZE, text, turned, f"Make the mask of shape {[batch, places]}.")


def masked(call: Call, mask: int, wanted: list[int]) -> str | None:
    """The mask's own construction with other lengths."""
    span = call.row(mask).span
    text = call.history.text(span) if span is not None else ""
    remade = text.replace(", ".join(map(str, call.shape(mask))), ", ".join(map(str, wanted)))
    return call.instead(span, remade) if span is not None and remade != text else None


def heads(call: Call) -> Found:
    """embed_dim is no multiple of num_heads."""
    width, count = call.given("embed_dim"), call.given("num_heads")
    if width is None or count is None or not (width.text.isdigit() and count.text.isdigit()):
        return None
    total, parts = int(width.text), int(count.text)
    fitting = next(other for other in range(parts, 0, -1) if total % other == 0)
    text = f"`embed_dim={total}` is shared out between `num_heads={parts}` heads, and that is no whole number for each."
    node = call.node
    given = node.args[1] if isinstance(node, ast.Call) and len(node.args) > 1 else None
    fix = call.replaced(given, str(fitting)) if given is not None else None
    return None, call.answer("error", text, fix, f"Take a number of heads that divides {total}, such as {fitting}.")
