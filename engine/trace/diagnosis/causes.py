"""The classes of cause, each with what it means. A `Reason`'s ``cause`` is one of these."""

from __future__ import annotations

CAUSES: dict[str, str] = {
    # why .grad is None
    "backward_not_called": "No backward pass has run since the tensor was made.",
    "not_a_leaf": "It is the result of an operation, and retain_grad() was not asked for.",
    "retain_too_late": "retain_grad() was called after the pass that it was meant for.",
    "rebound": "The name now stands for a result; the leaf it once named (or should name) is another tensor.",
    "requires_grad_false": "It was made without requires_grad=True.",
    "requires_grad_too_late": "requires_grad was switched on after the computation had used it.",
    "frozen": "requires_grad was switched off.",
    "integer": "Whole numbers and truth values have no slope.",
    "not_differentiable": "The operation has no derivative.",
    "zero_gradient": "The operation is flat: its derivative is 0 everywhere it exists.",
    "no_grad": "It was computed under no_grad, so nothing was recorded.",
    "inference_mode": "It was computed in inference mode, so nothing was recorded.",
    "detach": "detach() took it out of the graph.",
    "data": ".data gave its numbers without history.",
    "item": "item() or float() turned it into a plain number.",
    "numpy": "It went through numpy, which keeps no history.",
    "tolist": "It was turned into a plain list.",
    "copied": "torch.tensor() copied its numbers into a new tensor without history.",
    "not_used": "Nothing that was recorded uses it.",
    "branch_not_taken": "It is used only in a branch that did not run.",
    "not_reached": "It is in a graph, but no path leads to it from where backward started.",
    "not_asked": "The pass was asked for other tensors only.",
    "grad_returns": "autograd.grad() returns gradients; it fills no .grad.",
    "none_sent": "A function's backward() returned None for it.",
    "zeroed": "It had a gradient, which was cleared.",
    "pass_failed": "The backward pass raised before it got there.",
    # why .grad is what it is
    "filled": "One pass has filled it.",
    "accumulated": "Several passes have added to it, and nothing cleared it in between.",
    # why there is no grad_fn
    "leaf": "It is a leaf: no operation made it.",
    # why this value
    "created": "It was made with this value.",
    "computed": "An operation computed it.",
    "written": "It was changed in place.",
    "optimizer_step": "An optimizer changed it.",
    "nan": "A NaN came in or was made.",
    "infinite": "An infinite number came in or was made.",
    # errors
    "graph_freed": "A backward pass had freed the graph that was to be run again.",
    "modified_in_place": "A saved tensor was overwritten before backward needed it.",
    "leaf_written": "A leaf that requires grad was written to in place while recording.",
    "not_scalar": "backward() started from several numbers without a gradient to start with.",
    "root_untracked": "backward() started from a tensor that nothing tracked leads to.",
    "error": "The snippet or PyTorch raised something else.",
    # said unasked
    "stale_gradient": "A gradient from before the last update was still there when new ones were added.",
    "unused_parameter": "The optimizer has a parameter that no pass has ever reached.",
    "not_in_optimizer": "A parameter gets gradients, but no optimizer has it.",
    "broadcast_surprise": "A column met a row: every pair was compared.",
    "squashed_twice": "A loss that takes scores was given probabilities.",
    "gradient_nan": "A gradient became NaN here.",
    "gradient_infinite": "A gradient became infinite here.",
    "dead_relu": "A relu lets nothing through, pass after pass.",
    "vanishing": "Gradients shrink by orders of magnitude on the way to the first layer.",
    "exploding": "Gradients grow by orders of magnitude on the way to the first layer.",
    "eval_mode": "Training goes on in evaluation mode.",
}
