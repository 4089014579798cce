"""Laws of activations, special functions and complex numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from tests.engine.trace.explanations.calls import Call
from tests.engine.trace.explanations.laws import LAWS, Law, both, gives, near, sends, sends_each, where
from tests.engine.trace.explanations.pointwise import first, is_flat, other

ROOT = 2 / np.sqrt(np.pi)


def bell(x: Any) -> Any:
    return ROOT * np.exp(-(x**2))


def density(x: Any) -> Any:
    """Of the standard normal distribution."""
    return np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)


def is_relu_far_out(call: Call) -> bool:
    return bool(np.allclose(call.slope(-30.0, 30.0), [0.0, 1.0], atol=1e-9))


def halves(call: Call) -> Any:
    return np.split(call.x, 2, axis=call["dim"])


def softplus(call: Call) -> Any:
    scaled = call.x * call["beta"]
    return np.where(scaled > call["threshold"], call.x, np.log1p(np.exp(np.minimum(scaled, 100))) / call["beta"])


def elu(call: Call) -> Any:
    x, scale = call.x, call["scale"]
    return np.where(x > 0, scale * x, scale * call["alpha"] * np.expm1(np.minimum(x, 0) * call["input_scale"]))


def cross_entropy(call: Call) -> Any:
    """Minus the log-probability of the right answer, as it is reduced."""
    p, t = call["self"], call["target"]
    if "logits" in call.operator.name:
        positive = 1.0 if call["pos_weight"] is None else call["pos_weight"]
        losses = -(positive * t * -np.log1p(np.exp(-p)) + (1 - t) * -np.log1p(np.exp(p)))
    else:
        losses = -(t * np.maximum(np.log(p), -100) + (1 - t) * np.maximum(np.log1p(-p), -100))
    return reduced(call, losses if call["weight"] is None else losses * call["weight"])


def reduced(call: Call, losses: Any) -> Any:
    """As `reduction` says: each, their mean, their sum."""
    return [lambda each: each, np.mean, np.sum][call["reduction"]](losses)


def share(call: Call, count: int | None = None) -> Any:
    """The gradient of each element's loss."""
    size = np.size(call["self"]) if count is None else count
    return call.g / size if call["reduction"] == 1 else call.g


def of_second(law: Law) -> Law:
    """The law of the same call with a gradient for the second argument alone (the first has none in PyTorch)."""
    return lambda call: law(call.only("other"))


LAWS.update(
    {
        "each side's slope is the other side over the squared length, the second's with a minus": where(
            lambda c: np.all(first(c) ** 2 + other(c) ** 2 > 0),
            sends_each(
                self=lambda c: c.g * other(c) / (first(c) ** 2 + other(c) ** 2),
                other=lambda c: -c.g * first(c) / (first(c) ** 2 + other(c) ** 2),
            ),
        ),
        "Keeps what is positive": gives(lambda c: np.maximum(c.x, 0)),
        "where the input was not, the gradient stops": sends(lambda c: c.g * (c.x > 0)),
        "Like relu, but what is negative is multiplied by a small slope instead of dropped, and its gradient too": both(
            gives(lambda c: np.where(c.x > 0, c.x, c.x * c["negative_slope"])),
            sends(lambda c: np.where(c.x > 0, c.g, c.g * c["negative_slope"])),
        ),
        "Replaces what is not above the threshold": gives(lambda c: np.where(c.x > c["threshold"], c.x, c["value"])),
        "there the gradient stops": sends(lambda c: c.g * (c.x > c["threshold"])),
        "A sigmoid of three straight pieces": gives(lambda c: np.clip(c.x / 6 + 0.5, 0, 1)),
        "its slope is a sixth between −3 and 3, and zero beyond": sends(lambda c: c.g * (np.abs(c.x) < 3) / 6),
        "Gives x times a sigmoid of straight pieces": gives(lambda c: c.x * np.clip(c.x / 6 + 0.5, 0, 1)),
        "zero below −3 and x above 3, and so are its slopes, zero and one": lambda c: near(
            c.slope(-4.0, 4.0), [0.0, 1.0]
        ),
        "Sets numbers of at most λ in size to zero, and stops their gradient": both(
            gives(lambda c: np.where(np.abs(c.x) > c["lambd"], c.x, 0)),
            sends(lambda c: c.g * (np.abs(c.x) > c["lambd"])),
        ),
        "Pulls every number toward zero by λ": gives(lambda c: np.sign(c.x) * np.maximum(np.abs(c.x) - c["lambd"], 0)),
        "what ends there gets no gradient": sends(lambda c: c.g * (np.abs(c.x) > c["lambd"])),
        "Like leaky relu, with a slope that is learned": gives(
            lambda c: np.where(c["self"] > 0, c["self"], c["self"] * c["weight"])
        ),
        "it gets x times the gradient wherever x is negative": sends_each(
            weight=lambda c: c.g * np.minimum(c["self"], 0)
        ),
        "Squeezes to between 0 and 1": gives(lambda c: special.expit(c.x)),
        "its slope is the result times one minus the result, at most a quarter": sends(
            lambda c: c.g * c.result * (1 - c.result)
        ),
        "The inverse of the sigmoid, from a probability to its score (`eps` keeps it from the ends)": gives(
            lambda c: special.logit(np.clip(c.x, c["eps"] or 0, 1 - (c["eps"] or 0)))
        ),
        "its slope is one over p · (1 − p), steep near 0 and 1": sends(
            lambda c: c.g / (c.x * (1 - c.x)) * (np.abs(c.x - 0.5) <= 0.5 - (c["eps"] or 0))
        ),
        "Gives x times the chance that a standard normal number is below it (or tanh's likeness of that)": gives(
            lambda c: (
                c.x * special.ndtr(c.x)
                if c["approximate"] == "none"
                else c.x * (1 + np.tanh(np.sqrt(2 / np.pi) * (c.x + 0.044715 * c.x**3))) / 2
            )
        ),
        "far from zero its slope is that of relu": is_relu_far_out,
        "Gives x times its sigmoid (also called swish)": gives(lambda c: c.x * special.expit(c.x)),
        "Gives x times tanh of softplus": gives(lambda c: c.x * np.tanh(np.log1p(np.exp(c.x)))),
        "it dips below zero, and far from zero its slope is that of relu": lambda c: (
            is_relu_far_out(c) and bool(np.any(c.again(self=np.array([-0.5, -1.0])).result < 0))
        ),
        "Like relu, but the negative side bends down to −α instead of being cut off": gives(elu),
        "there its slope is the result plus α": where(
            lambda c: c["scale"] == c["input_scale"] == 1,
            sends(lambda c: c.g * np.where(c.x > 0, 1, elu(c) + c["alpha"])),
        ),
        "Elu whose slope has no jump at zero": gives(
            lambda c: np.where(c.x > 0, c.x, c["alpha"] * np.expm1(np.minimum(c.x, 0) / c["alpha"]))
        ),
        "on the negative side it is exp(x/α)": sends(
            lambda c: c.g * np.where(c.x > 0, 1, np.exp(np.minimum(c.x, 0) / c["alpha"]))
        ),
        "A relu with its corner rounded off": gives(softplus),
        "its slope is the sigmoid of β · x, and one above the threshold": sends(
            lambda c: c.g * np.where(c.x * c["beta"] > c["threshold"], 1, special.expit(c["beta"] * c.x))
        ),
        "The logarithm of the sigmoid": gives(lambda c: -np.logaddexp(0, -c.x)),
        "its slope is the sigmoid of −x": sends(lambda c: c.g * special.expit(-c.x)),
        "Splits in two halves, and multiplies the first by the sigmoid of the second": gives(
            lambda c: halves(c)[0] * special.expit(halves(c)[1])
        ),
        "the first half's gradient is multiplied by it too": lambda c: near(
            np.split(c.d, 2, axis=c["dim"])[0], c.g * special.expit(halves(c)[1])
        ),
        "Leaky relu whose slope is drawn at random for each element while training": lambda c: bool(
            np.all((c.result == c.x) | ((c.x < 0) & (c.result / c.x >= c["lower"]) & (c.result / c.x <= c["upper"])))
        ),
        "the gradient is multiplied by the slope that was drawn": sends(lambda c: c.g * c.result / c.x),
        "Minus the log-probability of the right answer (logarithms stop at −100)": gives(cross_entropy),
        "the slope is (p − t) over p · (1 − p), steep for confident mistakes": where(
            lambda c: c["weight"] is None,
            sends(lambda c: share(c) * (c["self"] - c["target"]) / (c["self"] * (1 - c["self"]))),
        ),
        "Minus the log-probability of the right answer, from the logit": gives(cross_entropy),
        "the slope is probability minus target": where(
            lambda c: c["weight"] is None and c["pos_weight"] is None,
            sends(lambda c: share(c) * (special.expit(c["self"]) - c["target"])),
        ),
        # special functions
        "The error function": gives(lambda c: special.erf(c.x)),
        "its slope is the bell curve 2/√π · exp(−x²)": sends(lambda c: c.g * bell(c.x)),
        "What the error function leaves to one, exact far out": gives(lambda c: special.erfc(c.x)),
        "its slope is minus the bell curve 2/√π · exp(−x²)": sends(lambda c: -c.g * bell(c.x)),
        "The complementary error function times exp(x²)": gives(lambda c: special.erfcx(c.x)),
        "its slope is 2x times the result, less 2/√π": sends(lambda c: c.g * (2 * c.x * c.result - ROOT)),
        "The inverse of the error function": gives(lambda c: special.erfinv(c.x)),
        "its slope is √π/2 · exp(y²), steep near −1 and 1": both(
            sends(lambda c: c.g / bell(c.result)), lambda c: bool(c.slope(1 - 1e-9)[0] > 100 * c.slope(0.0)[0] > 0)
        ),
        "The logarithm of the gamma function, which is the factorial of x − 1": gives(lambda c: special.gammaln(c.x)),
        "its slope is the digamma function": sends(lambda c: c.g * special.digamma(c.x)),
        "The slope of the log-gamma function": gives(lambda c: special.digamma(c.x)),
        "its own slope is the trigamma function": sends(lambda c: c.g * special.polygamma(1, c.x)),
        "The n-th slope of the digamma function": gives(lambda c: special.polygamma(c["n"], c["self"])),
        "its own slope is the next one": sends(lambda c: c.g * special.polygamma(c["n"] + 1, c["self"])),
        "The multivariate log-gamma function": lambda c: near(
            c.result, np.array([special.multigammaln(x, c["p"]) for x in c.x.flat]).reshape(c.x.shape)
        ),
        "its slope is a sum of digammas, half a step apart": sends(
            lambda c: c.g * sum(special.digamma(c.x - step / 2) for step in range(c["p"]))
        ),
        "The lower incomplete gamma function, as a share": gives(lambda c: special.gammainc(first(c), other(c))),
        "The upper incomplete gamma function, as a share": gives(lambda c: special.gammaincc(first(c), other(c))),
        "x's slope is the gamma density there": of_second(
            sends_each(other=lambda c: c.g * other(c) ** (first(c) - 1) * np.exp(-other(c)) / special.gamma(first(c)))
        ),
        "x's slope is minus the gamma density there": of_second(
            sends_each(other=lambda c: -c.g * other(c) ** (first(c) - 1) * np.exp(-other(c)) / special.gamma(first(c)))
        ),
        "The inverse of the normal distribution function": gives(lambda c: special.ndtri(c.x)),
        "its slope is one over the normal density at the result": sends(lambda c: c.g / density(c.result)),
        "The logarithm of the normal distribution function, exact far below": gives(lambda c: special.log_ndtr(c.x)),
        "its slope is the density over the function": sends(lambda c: c.g * density(c.x) / special.ndtr(c.x)),
        "The entropy −x · ln x": gives(lambda c: special.entr(c.x)),
        "its slope is −ln x − 1, steep near zero": sends(lambda c: c.g * (-np.log(c.x) - 1)),
        "The Hurwitz zeta function": gives(lambda c: special.zeta(first(c), other(c))),
        "q's slope is −s times the function at s + 1": of_second(
            sends_each(other=lambda c: -c.g * first(c) * special.zeta(first(c) + 1.0, other(c)))
        ),
        "The modified Bessel function of order zero": gives(lambda c: special.i0(c.x)),
        "its slope is that of order one": sends(lambda c: c.g * special.i1(c.x)),
        "The modified Bessel function of order zero, times exp(−|x|)": gives(lambda c: special.i0e(c.x)),
        "its slope is that of order one (scaled likewise), less the sign times itself": sends(
            lambda c: c.g * (special.i1e(c.x) - np.sign(c.x) * c.result)
        ),
        "The modified Bessel function of order one": gives(lambda c: special.i1(c.x)),
        "its slope is that of order zero, less the result over x": where(
            lambda c: np.all(c.x), sends(lambda c: c.g * (special.i0(c.x) - c.result / c.x))
        ),
        "The modified Bessel function of order one, times exp(−|x|)": gives(lambda c: special.i1e(c.x)),
        "its slope is that of order zero (scaled likewise), less the result times (sign + 1/x)": where(
            lambda c: np.all(c.x), sends(lambda c: c.g * (special.i0e(c.x) - c.result * (np.sign(c.x) + 1 / c.x)))
        ),
        # complex numbers
        "Flips the sign of the imaginary part, and of the gradient's": both(
            gives(lambda c: np.conj(c.x)), sends(lambda c: np.conj(c.g))
        ),
        "Complex numbers as pairs of real ones": gives(lambda c: np.stack([c.x.real, c.x.imag], -1)),
        "the gradient's pairs become complex again": sends(lambda c: c.g[..., 0] + 1j * c.g[..., 1]),
        "Pairs of real numbers as complex ones": gives(lambda c: c.x[..., 0] + 1j * c.x[..., 1]),
        "the gradient becomes pairs again": sends(lambda c: np.stack([c.g.real, c.g.imag], -1)),
        "The angle from the positive axis: 0 or π for real numbers, so their gradient is zero": both(
            gives(lambda c: np.angle(c.x) if np.iscomplexobj(c.x) else np.where(c.x < 0, np.pi, 0)),
            where(lambda c: not np.iscomplexobj(c.x), is_flat),
        ),
        "A complex number from its two parts": gives(lambda c: c["real"] + 1j * c["imag"]),
        "each gets its part of the gradient": sends_each(real=lambda c: c.g.real, imag=lambda c: c.g.imag),
        "A complex number from its length and its angle": gives(lambda c: c["abs"] * np.exp(1j * c["angle"])),
        "the length gets the part of the gradient that points along it": sends_each(
            abs=lambda c: (np.conj(c.g) * np.exp(1j * c["angle"])).real
        ),
        "Gives x times two to the power y": gives(lambda c: first(c) * 2.0 ** other(c)),
        "the gradient is multiplied by that power": sends_each(self=lambda c: c.g * 2.0 ** other(c)),
    }
)
