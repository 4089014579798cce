"""A layer that was given what it was not made for: which of its sizes, and where the other came from."""

from __future__ import annotations

import ast
import math

from engine.trace.diagnosis.answer import Found
from engine.trace.diagnosis.errors.refused_calls.call import FLATTENING, Call

SIZE = "shape_mismatch"
CONVOLUTIONS = {"Conv1d": 1, "Conv2d": 2, "Conv3d": 3, "ConvTranspose1d": 1, "ConvTranspose2d": 2, "ConvTranspose3d": 3}
"""Layers by their number of spatial dimensions."""
SPATIAL = {1: "length", 2: "height, width", 3: "depth, height, width"}


def linear(call: Call) -> Found:
    """The last dimension is not in_features."""
    wanted, given = call.number("in_features"), call.tensor("input")
    if call.layer != "Linear" or wanted is None or given is None or not call.shape(given):
        return None
    shape = call.shape(given)
    takes = f"{call.called} takes {wanted} features"
    if len(shape) > 2 and math.prod(shape[1:]) == wanted:
        text = f"{call.told(given)}, and {takes}: the {numbers(shape[1:])} = {wanted} numbers of each example are to be one row."
        flat = call.given_as(given, "{}.flatten(1)") if call.is_direct else before(call, "nn.Flatten()")
        return given, call.answer(SIZE, text, flat, f"Flatten all dimensions but the first before {name_of(call)}.")
    if math.prod(shape) == wanted:
        one = f"it is one example of {numbers(shape)} = {wanted} numbers, without a dimension for the batch"
        text = f"{call.told(given)}, and {takes}: {one}."
        outer = outermost(call, "{}.reshape(1, -1)" if call.is_direct else "{}.unsqueeze(0)")
        return given, call.answer(
            SIZE, text, outer, "Give it a batch of one: insert the missing dimension with `unsqueeze(0)`."
        )
    if len(shape) > 2 and wanted in shape[1:-1] and shape.count(wanted) == 1:
        place = shape.index(wanted)
        text = f"{call.told(given)}, and {takes}, which are to be the last dimension; here they are dimension {place}."
        turn = "{}.transpose(" + f"{place}, -1)"
        return given, call.answer(
            SIZE, text, outermost(call, turn), "Move the features to the end with `transpose()` first."
        )
    text = f"{call.told(given)}, so it has {shape[-1]} features, and {takes}.{before_flattening(call, given)}"
    if len(shape) == 4 and came_from_images(call, given):
        flat_size = f"{numbers(shape[1:])} = {math.prod(shape[1:])}"
        text = f"{call.told(given)}: images, not rows of features. {takes}; flattened, each example has {flat_size}."
        return given, call.answer(
            SIZE, text, f"Flatten first (`flatten(1)`), and make {name_of(call)} for {math.prod(shape[1:])} features."
        )
    return given, call.answer(
        SIZE, text, call.remade(0, "in_features", shape[-1]), f"Make {name_of(call)} for {shape[-1]} features."
    )


def name_of(call: Call) -> str:
    """The layer in a remedy."""
    return f"`{call.path or call.layer}`"


def numbers(shape: list[int]) -> str:
    """``8 × 4 × 4``."""
    return " × ".join(map(str, shape))


def before(call: Call, layer: str) -> str | None:
    """A layer put before one that stands in a Sequential."""
    if call.made is None or call.construction is None:
        return None
    prefix = ast.unparse(call.construction.func).rpartition(".")[0]
    new = layer if prefix == "nn" else layer.replace("nn.", f"{prefix}." if prefix else "")
    return call.instead(call.made, f"{new}, {call.history.text(call.made)}")


def outermost(call: Call, change: str) -> str | None:
    """The failing call with its only argument changed, whatever layer inside raised."""
    node = call.node
    if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords or isinstance(node.args[0], ast.Starred):
        return None
    text = call.history.text(call.history.source.span(node.args[0]))
    simple = isinstance(node.args[0], ast.Name | ast.Attribute | ast.Call | ast.Subscript)
    return call.replaced(node.args[0], change.format(text if simple else f"({text})"))


def before_flattening(call: Call, tensor: int) -> str:
    """A sentence on what was laid flat to give a tensor its last dimension."""
    event = call.history.event.get(tensor)
    if event is None or event.operator not in FLATTENING or not event.inputs:
        return ""
    source = event.inputs[0]
    shape = call.shape(source)
    if len(shape) < 3 or math.prod(shape[1:]) != call.shape(tensor)[-1]:
        return ""
    laid = f"{numbers(shape[1:])} = {math.prod(shape[1:])}"
    return f" It was laid flat from shape {shape}{call.origin(source)}: {laid}."


def came_from_images(call: Call, tensor: int) -> bool:
    """Whether a convolution is behind a tensor."""
    events = (call.history.event.get(other) for other in call.history.ancestors(tensor))
    return any(event is not None and "conv" in event.operator for event in events)


def convolution(call: Call) -> Found:
    """The channels are not in_channels."""
    spatial, given, wanted = CONVOLUTIONS.get(call.layer), call.tensor("input"), call.number("in_channels")
    if spatial is None or given is None or wanted is None:
        return None
    shape, layout = call.shape(given), f"(batch, channels, {SPATIAL[spatial]})"
    takes = f"{call.called} takes {wanted} {'channel' if wanted == 1 else 'channels'}, as {layout}"
    if "Kernel size can't be greater" in call.message or "Kernel size" in call.message:
        kernel = call.settings.get("kernel_size", "")
        text = f"{call.told(given)}: nothing of {numbers(shape[-spatial:])} holds the kernel of {call.called}, `kernel_size={kernel}`."
        return given, call.answer(SIZE, text, padded(call), "Give larger images, a smaller kernel, or `padding`.")
    if len(shape) == spatial + 1 and wanted == 1 and shape[0] != 1:
        text = (
            f"{call.told(given)}, and {takes}: the dimension of the channels is missing, so the first is taken for it."
        )
        return given, call.answer(
            SIZE, text, outermost(call, "{}.unsqueeze(1)"), "Insert the channels with `unsqueeze(1)`."
        )
    side = math.isqrt(shape[-1]) if shape else 0
    if len(shape) == spatial == 2 and side * side == shape[-1] != shape[0] and side > 3:
        text = f"{call.told(given)}: {shape[0]} rows of {side} × {side} = {shape[-1]} numbers, laid flat. {takes}."
        laid = f"{{}}.view(-1, {wanted}, {side}, {side})" if wanted == 1 else ""
        return given, call.answer(SIZE, text, outermost(call, laid) if laid else None, "Give it images, not rows.")
    if len(shape) == spatial and wanted == 1:
        text = f"{call.told(given)}, and {takes}: the dimensions of the batch and of the channels are missing."
        return given, call.answer(SIZE, text, outermost(call, "{}[None, None]"), "Insert both with `x[None, None]`.")
    if len(shape) == spatial + 2 and shape[1] != wanted and shape[-1] == wanted:
        text = f"{call.told(given)}: the channels come last. {takes}."
        turn = "{}.permute(0, " + f"{spatial + 1}, {', '.join(map(str, range(1, spatial + 1)))})"
        return given, call.answer(SIZE, text, outermost(call, turn), "Move the channels forward with `permute()`.")
    if len(shape) == spatial + 1 and shape[0] != wanted and shape[-1] == wanted:
        text = f"{call.told(given)}: one image, whose channels come last. {takes}."
        turn = "{}.permute(" + f"{spatial}, {', '.join(map(str, range(spatial)))})"
        return given, call.answer(SIZE, text, outermost(call, turn), "Move the channels forward with `permute()`.")
    if len(shape) in (spatial + 1, spatial + 2):
        channels = shape[-spatial - 1]
        has = f"{channels} {'channel' if channels == 1 else 'channels'} in dimension {len(shape) - spatial - 1}"
        text = f"{call.told(given)}: {has}. {takes}."
        return given, call.answer(
            SIZE, text, call.remade(0, "in_channels", channels), f"Make {name_of(call)} for {channels} channels."
        )
    text = f"{call.told(given)}, which are {len(shape)} dimensions. {takes}."
    return given, call.answer(SIZE, text, "Bring it to that order of dimensions first, with `view()` or `unsqueeze()`.")


def padded(call: Call) -> str | None:
    """The convolution with as much padding as keeps the size."""
    kernel = call.settings.get("kernel_size", "")
    if call.construction is None or call.made is None or any(k.arg == "padding" for k in call.construction.keywords):
        return None
    size = int(kernel.strip("()").split(",")[0]) if kernel else 0
    text = call.history.text(call.made)
    return (
        call.instead(call.made, f"{text[:-1]}, padding={size // 2})")
        if size % 2 and len(call.construction.args) == 3
        else None
    )


def normalisation(call: Call) -> Found:
    """BatchNorm and LayerNorm: another number of features, of dimensions, or a batch of one."""
    given = call.tensor("input")
    if given is None:
        return None
    shape, features = call.shape(given), call.number("num_features")
    if "Norm" not in call.layer:
        return None
    if "more than 1 value per channel" in call.message:
        text = (
            f"{call.told(given)}: one number for each of {shape[1]} features. In training mode {call.called} takes mean and spread "
            "over the batch, and of one number there is no spread."
        )
        fix = f"Give it two examples or more, or switch to the kept statistics first: `{call.path or 'norm'}.eval()`."
        return given, call.answer(SIZE, text, fix)
    if features is not None and "should contain" in call.message and len(shape) > 1:
        text = f"{call.told(given)}: {shape[1]} features in dimension 1. {call.called} was made for {features}."
        return given, call.answer(
            SIZE, text, call.remade(0, "num_features", shape[1]), f"Make {name_of(call)} for {shape[1]} features."
        )
    wanted = {"BatchNorm1d": (2, 3), "BatchNorm2d": (4,), "BatchNorm3d": (5,)}.get(call.layer, ())
    if wanted and len(shape) not in wanted:
        count = " or ".join(map(str, wanted))
        text = f"{call.told(given)}, which are {len(shape)} dimensions; {call.called} takes {count}, the first of which is the batch."
        missing = len(shape) == wanted[0] - 1 and call.layer != "BatchNorm1d"
        batch = outermost(call, "{}.unsqueeze(0)") if missing else None
        plain = "Use `BatchNorm1d` for rows of features." if len(shape) == 2 else None
        return given, call.answer(
            SIZE, text, batch, plain, "Give it a batch: insert the missing dimension with `unsqueeze(0)`."
        )
    if call.layer in ("LayerNorm", "RMSNorm") and "normalized_shape" in call.settings:
        made_for = call.settings["normalized_shape"].strip("()").rstrip(",").split(", ")
        several = len(made_for)
        text = f"{call.told(given)}, and {call.called} normalises over the last {dimensions(several)}, made for {' × '.join(made_for)}."
        new = str(shape[-1] if several == 1 else shape[-several:])
        return given, call.answer(
            SIZE, text, call.remade(0, "normalized_shape", new), f"Make {name_of(call)} for {new}."
        )
    return None


def dimensions(count: int) -> str:
    """``dimension``, ``2 dimensions``."""
    return "dimension" if count == 1 else f"{count} dimensions"


def groups(call: Call) -> Found:
    """The channels cannot be shared out evenly."""
    channels, parts = call.given("num_channels"), call.given("num_groups")
    if channels is None or parts is None or not (channels.text.isdigit() and parts.text.isdigit()):
        return None
    total, count = int(channels.text), int(parts.text)
    text = f"`num_channels={total}` is shared out between `num_groups={count}` groups, and that is no whole number for each."
    node = call.node
    given = node.args[0] if isinstance(node, ast.Call) and node.args else None
    fitting = next(other for other in range(count, 0, -1) if total % other == 0)
    fix = call.replaced(given, str(fitting)) if given is not None else None
    return None, call.answer("error", text, fix, f"Take a number of groups that divides {total}, such as {fitting}.")


def embedding(call: Call) -> Found:
    """An index that the table has no row for."""
    rows, given = call.number("num_embeddings"), call.tensor("input")
    if call.layer != "Embedding" or rows is None or given is None or "out of range" not in call.message:
        return None
    found = call.held(given)
    if not found:
        return None
    largest, smallest = max(found), min(found)
    has = f"{call.called} has {rows} rows, for 0 to {rows - 1}"
    if smallest < 0:
        text = f"{call.name(given)}{call.origin(given)} holds {smallest}, and {has}: an index below 0 has no row."
        return given, call.answer(
            "error", text, "Leave out what is below 0, or give such places a row of their own (`padding_idx`)."
        )
    text = f"{call.name(given)}{call.origin(given)} holds {largest}, and {has}."
    return given, call.answer(
        "error", text, call.remade(0, "num_embeddings", largest + 1), f"Make it with {largest + 1} rows."
    )
