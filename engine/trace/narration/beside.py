"""What operations make beside their first result, and keep: what a normalisation measured, where a largest number stood."""

from __future__ import annotations

from engine.trace.document import Node
from engine.trace.parts import Value

_PLACE, _PLACES = "where that number stood", "where each number stood"
BESIDE: dict[str, tuple[str, ...]] = {
    "native_layer_norm": ("each sample's mean", "one over each sample's standard deviation"),
    "native_group_norm": ("each group's mean", "one over each group's standard deviation"),
    "native_batch_norm": ("each channel's mean in this batch", "one over each channel's standard deviation in this batch"),
    "max_pool2d_with_indices": ("where the largest number of each window stood",),
    "max_pool3d_with_indices": ("where the largest number of each window stood",),
    "nll_loss_forward": ("the sum of the weights that a mean is divided by",),
    "mkldnn_rnn_layer": ("the last hidden state", "the last cell state"),
    "_scaled_dot_product_flash_attention_for_cpu": ("the logarithm of what each softmax divided by",),
    "max": (_PLACE,), "min": (_PLACE,), "median": (_PLACE,), "mode": (_PLACE,), "kthvalue": (_PLACE,),
    "sort": (_PLACES,), "topk": (_PLACES,), "cummax": (_PLACES,), "cummin": (_PLACES,),
}  # fmt: skip
"""By operator: what its second result is, its third, and so on."""


def told_beside(row: Node, tensor: int, value: Value | None) -> str:
    """What a further result of a node is, in words; empty for the first, and where there is nothing in it."""
    place = row.outputs.index(tensor) if tensor in row.outputs else 0
    told = BESIDE.get(row.operator, ())
    is_empty = value is not None and 0 in value.shape
    return told[place - 1] if 0 < place <= len(told) and not is_empty else ""
