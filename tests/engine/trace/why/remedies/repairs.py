"""The repaired versions of a broken program, and which remedies cannot be followed by rule."""

from __future__ import annotations

import hashlib
import re

from engine.trace.document import Reason, Trace

# Each registers what its remedies mean.
from tests.engine.trace.why.remedies import calls, graphs, history, leaves, losses, numbers, training, unmoved
from tests.engine.trace.why.remedies.edits import Broken
from tests.engine.trace.why.remedies.registry import FOLLOWED

__all__ = [
    "ADVICE",
    "UNCOVERED",
    "calls",
    "graphs",
    "history",
    "is_followed",
    "leaves",
    "losses",
    "numbers",
    "repairs",
    "training",
    "unmoved",
]

ADVICE = tuple(
    map(
        re.compile,
        (
            # several changes would do, and only who wrote the program knows which
            r"^Compute the loss from the numbers before this step",
            r"^That is right when this code should not run",
            r"^That is right where the two are meant to be one",
            r"^Use (?:it|them) on the way to the loss",
            r"^Use `.+` in the computation of `.+`, or leave it out",
            r"^Use `.+` itself in the computation",
            r"^Call `backward\(\)` on ",
            r"^Use what (?:`grad\(\)`|it) returns",
            r"^Read `.+`, where the gradient is",
            r"^Clone it before it meets what requires grad",
            r"^Use a smaller `p`",
            r"^Give the optimizer a (?:larger learning rate|learning rate above 0)",
            r"^Ask `grad\(\)` for `.+` too",
            r"^Compute it again in `.+\.backward\(\)`",
            r"^Pass `use_reentrant=False`",
            r"^Give the result a name and go on",
            r"^Call `requires_grad_\(\)` before this line on what it should be differentiated by",
            r"^Give `.+` itself \(not a copy",
            r"^Return a gradient for that input",
            r"^Make it once, in `__init__`",
            r"^Move line \d+ out of `__init__`",
            r"^Read `.+` before it is cleared",
            r"^Mend (?:the error first|what made the gradient infinite)",
            r"^Leave on what should learn",
            r"^Such a draw cannot be computed",
            r"^Keep `.+` as a tensor; use `torch.stack`",
            r"^Do this step with torch functions",
            r"^Arrays of numpy cannot carry gradients",
            r"^Compute the draw from its parameters",
            r"^Cut the tie .*`detach\(\)` what is carried over",
            # another start, another network, other data
            r"^Start with (?:random|smaller) weights",
            r"^Use (?:relu or another|a gated cell|a smaller learning rate or another start)",
            r"^Use a smaller learning rate, a tenth for a start",
            r"^Find (?:why|what)",
            r"^Look at ",
            r"^While that factor is 0",
            r"^The result does not move with",
            r"^Write into a copy \(`clone\(\)`\)",
            r"^Check that something is left",
            r"^Give it two numbers or more",
            r"^Keep the infinite factor finite",
            r"^Leave at least one entry",
            r"^Subtract the largest element first",
            r"^Make the input safe as well",
            r"^For two classes with one score",
            r"^Let one way alone carry the gradient",
            r"^Normalise over several features",
            r"^Multiply what it returns by",
            r"^Make it once, before the loop, and hand it to",
            r"^Write into a result or a copy instead",
            r"^Reduce what the function returns",
            r"^Bring both to one shape, with",
            r"^Move it (?:out of|into) the inner loop",
            r"^Pass `training=self\.training`",
            # errors whose advice tells what to look at
            r"^(?:Print|Classes|An index|A |The |Shapes|Tensors|Stack|Only|Use `reshape|What `backward|For |Bring the|Write real)",
            r"^(?:Gradients need real|Did you mean|Give `|Python's|There is no GPU|An optimizer takes|Lines of|Change `requires_grad)",
            r"^(?:Ask for |Give (?:as many|both|it (?:two|\d)|the prediction)|Insert the dimension that|Keep as many|Name as many)",
            r"^(?:Make (?:`|them|the model|queries|keys)|Pad them|Use `BatchNorm1d`|Call `\.float\(\)` on it)",
            r"^(?:Give (?:it a function|each (?:length|dimension)|a length)|Index the parts|Return \w+ gradients?|Return what it)",
            r"^(?:Name the dimensions of|Give (?:at most|the tensor another)|Take (?:as many names|the part)|Leave `)",
            r"^(?:Define `forward|Call it in `forward`)",
            r"^Finish the tensor first and ask for gradients last(?:,|: `requires_grad_)",
        ),
    )
)
"""Remedies that are no change of code which a rule could make."""

UNCOVERED = {
    "clipping-8": "what is moved is the function that clips, not its call",
    "detached-9": "the gradient that comes back reaches a part that no optimizer has",
    "detached-33": "the gradient that comes back reaches a part that no optimizer has",
    "detached-19": "one of the two losses has to stay cut off",
    "forum-34": "requires_grad is switched on for the result, which has to be left out as well",
    "freed-8": "its optimizer never steps",
    "freed-22": "its optimizer never steps",
    "freed-50": "its optimizer never steps",
    "freed-51": "the values are kept between calls, so that the sum shares them too",
    "freed-61": "the graph is used by what the loop goes through, before its first turn",
    "in_place-23": "what is moved shows that the optimizer lacks a leaf",
    "leaves-35": "the same name stands for a tensor of each turn",
    "modes-1": "the mode is chosen anew in each turn",
    "modes-19": "the evaluation has no eval() of its own",
    "moved_names-68": "the loop ends by the very mistake",
    "no_grad-4": "the result is no leaf, so it needs retain_grad() besides",
    "numbers-27": "two of its factors are infinite",
    "parameters-71": "Variable() cuts it off a second time",
    "pasted_again-1": "the root in the divisor has an infinite slope at 0 as well",
    "pasted_errors-11": "its optimizer never steps",
    "pasted_none-21": "its gradients are never cleared",
    "plain_values-16": "the result is no leaf, so it needs retain_grad() besides",
    "plain_values-70": "the argument takes plain numbers only",
    "plain_values-85": "the number goes through a string",
    "second_order-10": "the inner function detaches what it is given",
    "switches-4": "the result is no leaf, so it needs retain_grad() besides",
}
"""Programs with a second mistake, which shows once the first is mended, or with one that no rule reaches, and why."""


def is_followed(fix: str) -> bool:
    """Whether a rule knows what the words of a remedy mean."""
    return any(pattern.search(fix) for pattern, _ in FOLLOWED)


def repairs(trace: Trace, reason: Reason) -> list[str]:
    """The program with a reason's remedy followed, in each way that it offers and that can be done by rule."""
    found = []
    for pattern, follow in FOLLOWED:
        match = pattern.search(reason.fix)
        if match is not None:
            found += follow(Broken(trace, reason), match)
    return [code for code in dict.fromkeys(found) if code != trace.code]


def key(code: str) -> str:
    """By what a repaired program's record is found."""
    return hashlib.sha256(code.encode()).hexdigest()[:16]
