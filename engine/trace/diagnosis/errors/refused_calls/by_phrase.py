"""Why a call was refused: by PyTorch's key phrase, who can tell it from what the call was given."""

from __future__ import annotations

import re
from collections.abc import Callable

from engine.trace.diagnosis.answer import Found
from engine.trace.diagnosis.errors.refused_calls import (
    broadcasting,
    classes,
    data,
    dtypes,
    einsum,
    joining,
    layers,
    objects,
    products,
    scaled_attention,
    sequences,
    targets,
    views,
)
from engine.trace.diagnosis.errors.refused_calls.call import Call
from engine.trace.diagnosis.history import History

Explain = Callable[[Call], Found]


def refused_for(history: History) -> Found:
    """(tensor it is about, answer) for the call that ended the run; None where nothing more is known than its message says."""
    refused = history.trace.outcome.refused
    if refused is None:
        return None
    call = Call(history, refused)
    for pattern, explanations in BY_PHRASE:
        if pattern.search(call.message):
            for explain in explanations:
                found = explain(call)
                if found is not None:
                    return found
    return None


BY_PHRASE: tuple[tuple[re.Pattern[str], tuple[Explain, ...]], ...] = tuple(
    (re.compile(pattern), explanations)
    for pattern, explanations in (
        (r"^einsum\(\)", (einsum.equation,)),
        (
            "must match the size|Expected size for first two|cannot be multiplied|batch1|attn_mask",
            (scaled_attention.scaled,),
        ),
        (
            "cannot be multiplied|size mismatch, got|Expected size for first two|inconsistent tensor size",
            (layers.linear, products.product),
        ),
        (r"expected input\[|Kernel size can't|Expected \dD \(unbatched\)", (layers.convolution,)),
        (
            r"should contain \d+ elements|expected \dD|expected \dD or|more than 1 value per channel|normalized_shape",
            (layers.normalisation,),
        ),
        ("index out of range in self", (layers.embedding, views.row_of)),
        ("input_size|hidden_size|[Ee]xpected hidden|index 1 is out of bounds", (sequences.recurrent,)),
        ("embedding dimension|attn_mask|key_padded_mask", (sequences.attention,)),
        ("divisible by num_heads", (sequences.heads,)),
        ("divisible by num_groups", (layers.groups,)),
        (
            (
                "expected target dtype|class probabilities|multi-target|target batch_size|is out of bounds|Expected target size|Found dtype"
                "|same as input size|must match the size|not implemented for|shape mismatch|does not match the shape|different to the input"
            ),
            (targets.loss,),
        ),
        ("must match the size of tensor", (broadcasting.broadcast,)),
        ("must be a (?:matrix|3D tensor|vector)|vector, but got|1D tensors expected", (products.rank,)),
        ("Index tensor must have the same number of dimensions", (views.picked,)),
        ("must match except in dimension|same number of dimensions", (joining.joined,)),
        ("to be equal size", (joining.collated, joining.stacked)),
        ("is invalid for input of size", (views.viewed,)),
        ("view size is not compatible", (views.apart,)),
        ("Dimension out of range", (joining.joined, views.dimension)),
        ("length of the desired ordering", (views.permuted,)),
        ("shape of the mask", (views.masked,)),
        ("must match the existing size", (views.expanded,)),
        ("is out of bounds for dimension", (views.index,)),
        ("too many indices for tensor", (views.indices,)),
        ("smaller than num_classes", (views.class_beyond,)),
        ("converted to Scalar", (views.item,)),
        ("Mismatch in shape: grad_output", (views.seed,)),
        ("same dtype|scalar type|bias type", (dtypes.into_layer, dtypes.two)),
        (
            "scalar types: Long|LongTensor|must be long|dtype int32/int64 for index|Expected dtype int64",
            (dtypes.index,),
        ),
        ("could not infer output dtype|not implemented for", (dtypes.whole,)),
        ("must be Tensor, not", (objects.no_tensor_given,)),
        (r"torch\.return_types\.\w+' object has no attribute", (objects.results_in_one,)),
        ("Boolean value of Tensor with more than one value", (objects.loss_made_of_tensors,)),
        ("tuple of Tensors", (objects.not_a_list,)),
        ("only one element tensors", (objects.tensors_in_a_list, views.item)),
        ("object is not iterable", (objects.optimizer_of_a_module,)),
        ("empty parameter list", (objects.generator_used_up,)),
        (r"before Module.__init__\(\) call", (objects.before_init,)),
        ("Size mismatch between tensors", (objects.unequal_lengths,)),
        ("device string", (objects.device,)),
        ("in loading state_dict", (objects.saved_elsewhere,)),
        (r"Can't call numpy\(\)", (objects.tracked_array,)),
        ('missing the required "forward"', (classes.without_forward,)),
        ("object has no attribute", (classes.without_attribute,)),
        ("incorrect number of gradients", (classes.gradients_of_a_function,)),
        ("is not a Module subclass", (classes.no_layer,)),
        ("too many dimensions 'str'", (data.text_in_a_tensor,)),
        ("expected sequence of length", (data.ragged,)),
        ("invalid combination of arguments", (data.no_whole_length,)),
        ("can require gradients", (data.whole_numbers_that_learn,)),
    )
)
"""The more specific first; the first that knows an answer gives it."""
