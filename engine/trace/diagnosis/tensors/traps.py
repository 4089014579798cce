"""What makes NaN and infinite numbers, in words: by operator, forward and backward, with what to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Trap:
    """Why an operator gives something that is no finite number, and the change that mends it."""

    why: str = ""
    fix: str = "Look at the inputs of this operation."


_SOFTMAX = Trap("a row of −inf only has no largest element", "Leave at least one entry of each row unmasked.")
_OPPOSITES = Trap(
    "∞ − ∞ is not a number", "Find what made the infinite number, or use a large finite one in its place."
)
_SPREAD = Trap(
    "the spread of a single number divides by zero",
    "Give it two numbers or more: one has no spread (`correction=0` makes it 0).",
)
_BOUNDS = Trap("it exists from −1 to 1 only", "Keep the input inside: `x.clamp(-1 + 1e-6, 1 - 1e-6)`.")

MADE_NAN = {
    "log": Trap(
        "the logarithm of a negative number is not a number", "Keep the input above zero: `x.clamp(min=1e-6)`."
    ),
    "sqrt": Trap(
        "the root of a negative number is not a number", "Keep it above zero: `torch.sqrt(x.clamp(min=1e-8))`."
    ),
    "div": Trap("0 ÷ 0 and ∞ ÷ ∞ are not numbers", "Add a small number to the divisor: `x / (y + 1e-8)`."),
    "sub": _OPPOSITES,
    "rsub": _OPPOSITES,
    "add": _OPPOSITES,
    "sum": _OPPOSITES,
    "mul": Trap(
        "0 · ∞ is not a number",
        "Keep the infinite factor finite.",
    ),
    "pow": Trap(
        "a negative number to a fractional power is not a number", "Keep the base above zero: `x.clamp(min=1e-6)`."
    ),
    "acos": _BOUNDS,
    "asin": _BOUNDS,
    "softmax": _SOFTMAX,
    "_softmax": _SOFTMAX,
    "log_softmax": _SOFTMAX,
    "_log_softmax": _SOFTMAX,
    "mean": Trap(
        "the mean of nothing is 0 ÷ 0", "Check that something is left before the mean: numel() tells how much."
    ),
    "std": _SPREAD,
    "var": _SPREAD,
}
"""For results that are NaN."""

_STABLE = "Subtract the largest element first, or use torch.softmax, torch.logsumexp or log-probabilities."
_DIVISOR = "Add a small number to the divisor: `1 / (x + 1e-8)`."

MADE_INFINITE = {
    "log": Trap("the logarithm of 0 is −∞", "Keep the input above zero: `torch.log(x.clamp(min=1e-6))`."),
    "exp": Trap("e to a number above 88 is more than a float32 holds", _STABLE),
    "div": Trap("a number divided by 0 is infinite", "Add a small number to the divisor: `x / (y + 1e-8)`."),
    "reciprocal": Trap("1 divided by 0 is infinite", _DIVISOR),
    "rsqrt": Trap("1 divided by the root of 0 is infinite", _DIVISOR),
    "pow": Trap("0 to a negative power is infinite, and so is what is too large for a float32", "Look at the base."),
    "mul": Trap("the product is larger than a float32 holds", "Find why the factors grow so large."),
}
"""For results that are infinite."""

_AWAY = "Keep this operation's input away from the place where its slope is infinite."
_NORM = Trap("the slope of a norm at 0 is not defined", "Add a small number before the root, or use the squared norm.")
_ROUND = Trap("its slope at ±1 is infinite, and outside it has none", _BOUNDS.fix)

PRODUCTS = frozenset(
    {"mm", "bmm", "mv", "dot", "addmm", "addmv", "baddbmm", "addbmm", "linear", "convolution", "outer", "ger"}
)
"""Operators whose slopes are what they multiply with: nowhere infinite, though the product may be too large."""
SENT = {
    "sqrt": Trap(
        "the slope of a root is infinite at 0, and below 0 it has none",
        "Add a small number under the root: `torch.sqrt(x + 1e-8)`.",
    ),
    "pow": Trap(
        "the slope of a fractional power is infinite at 0, and below 0 it has none",
        "Keep the base above zero: `x.clamp(min=1e-6)`.",
    ),
    "log": Trap(
        "the slope of a logarithm is infinite at 0",
        "Keep the input above zero: `torch.log(x.clamp(min=1e-6))`, or use a function that takes logits.",
    ),
    "mul": Trap("one of the factors is infinite or NaN", "Look at the other factor: it was made before."),
    "exp": Trap("its result is infinite", _STABLE),
    "div": Trap("dividing by 0 has an infinite slope", "Add a small number to the divisor: `x / (y + 1e-8)`."),
    "reciprocal": Trap("dividing by 0 has an infinite slope", _DIVISOR),
    "norm": _NORM,
    "linalg_vector_norm": _NORM,
    "acos": _ROUND,
    "asin": _ROUND,
}
"""For gradients that an operator sends on."""

EXPONENT = Trap(
    "the slope for an exponent is the result times the logarithm of the base, and a negative base has none",
    "Keep the base above zero: `x.clamp(min=1e-6)`.",
)
ALREADY = Trap("what it gets is infinite already", "Mend what made the gradient infinite: it comes before this.")
SAVED = Trap("what it saved is not finite itself", "Look at its input: it was made before.")
TOO_LARGE = Trap("the product is more than its type holds", "Find why the numbers grow so large, or clip the gradient.")
NOTHING = Trap()
STEEP = Trap("", _AWAY)
WHERE = (
    "Make the input safe as well (a where inside, one outside): torch.where sends 0 into the branch it did not take, "
    "and neither 0 · ∞ nor 0 · NaN is a number."
)
