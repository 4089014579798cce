"""Code in a sentence that is quoted and placed nowhere: the snippet's own, a label's, or a name of PyTorch's."""

from __future__ import annotations

import re

from engine.trace import events
from engine.trace.claims.reasons.record import Record, squeezed

PYTORCH = frozenset(
    """
    .grad .grad_fn grad_fn requires_grad requires_grad=True requires_grad=False retain_grad() retain_grad no_grad
    backward() .backward() step() zero_grad() grad() autograd.grad() nn.Parameter .parameters() item() numpy() detach()
    forward() input_size cross_entropy nll_loss binary_cross_entropy binary_cross_entropy_with_logits kl_div
    gaussian_nll_loss view() torch.tensor() super().__init__() values indices cpu cuda cuda:1 arange linear
    """.split()
)
"""Names that every reader of PyTorch's pages knows."""
_ATTRIBUTE = re.compile(
    r"(.+?)\.(?:grad|grad_fn|retain_grad\(\)|step\(\)|zero_grad\(\)|numpy\(\)|backward\(\)|requires_grad_?)"
)


def is_known(record: Record, text: str) -> bool:
    """Whether a piece of code stands in the snippet, is called so in the trace, or is PyTorch's."""
    if text in PYTORCH or record.tensors(text) or text in record.nodes:
        return True
    if any(row.title.partition(" (")[0] == text for row in record.trace.scopes):
        return True
    if any(isinstance(step, events.ModeChanged) and step.module == text for step in record.trace.steps):
        return True
    if squeezed(text) in record.whole or step_has(record, text):
        return True
    name, equals, value = text.partition("=")
    if is_of_the_refused(record, text, name, value):
        return True
    if equals and name.isidentifier() and squeezed(value) in record.whole:  # an argument that was given by its place
        return True
    if "…" in text:
        pattern = ".*?".join(re.escape(squeezed(part)) for part in text.split("…"))
        return re.search(pattern, record.whole) is not None
    attribute = _ATTRIBUTE.fullmatch(text)
    return attribute is not None and is_known(record, attribute[1])


def is_of_the_refused(record: Record, text: str, name: str, value: str) -> bool:
    """Whether it is in the error's own words, or a setting or an argument of the call that raised."""
    outcome = record.trace.outcome
    if outcome.refused is None:
        return False
    settings = {(setting.name, setting.text) for setting in outcome.refused.settings}
    given = {(given.argument, given.text) for given in outcome.refused.given}
    layer = outcome.refused.module.partition(" (")
    return (name, value) in settings | given or text in outcome.message or text in (layer[0], layer[2].rstrip(")"))


def step_has(record: Record, text: str) -> bool:
    """Whether it is an operator or an optimizer of the run."""
    return any(getattr(step, "operator", None) == text for step in record.trace.steps) or any(
        node.operator == text for node in record.trace.nodes
    )
