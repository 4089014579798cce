"""Laws of operators that work element by element."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from tests.engine.trace.explanations.calls import Call
from tests.engine.trace.explanations.laws import LAWS, Law, both, gives, near, nothing, sends, sends_each, where


def logistic(x: Any) -> Any:
    return special.expit(x)


def is_flat(call: Call) -> bool:
    return near(call.d, nothing(call))


def other(call: Call) -> Any:
    """The second argument, tensor or number."""
    return list(call.arguments.values())[1]


def first(call: Call) -> Any:
    return next(iter(call.arguments.values()))


def alpha(call: Call) -> Any:
    return call.arguments.get("alpha", 1)


def steep(at: float, beside: float) -> Any:
    """The slope grows without bounds toward a point."""
    return lambda call: bool(
        np.all(np.abs(call.slope(at + (beside - at) * 1e-6)) > 50 * np.abs(call.slope(beside)))
        and np.all(np.abs(call.slope(at + (beside - at) * 1e-6)) > 100)
    )


def compares(how: Any) -> Law:
    """True and False as numpy's comparison gives them (in place they are 1 and 0)."""
    return lambda call: near(call.result.astype(bool), how(first(call), other(call)))


ROUNDED: dict[str | None, Any] = {"floor": np.floor, "trunc": np.trunc, None: np.asarray}
ONES: dict[str, Law] = {
    # arithmetic
    "Adds element by element": gives(lambda c: first(c) + alpha(c) * other(c)),
    "both sides get the gradient unchanged, unless `alpha` scales the second": sends_each(
        self=lambda c: c.g, other=lambda c: alpha(c) * c.g
    ),
    "Subtracts element by element": gives(lambda c: first(c) - alpha(c) * other(c)),
    "the left side gets the gradient unchanged, the right with its sign flipped (and scaled by `alpha`, if given)": sends_each(
        self=lambda c: c.g, other=lambda c: -alpha(c) * c.g
    ),
    "Subtracts the first from the second": gives(lambda c: other(c) - alpha(c) * first(c)),
    "the first one's gradient has its sign flipped": sends(lambda c: -alpha(c) * c.g, "self"),
    "Subtracts x from a number": gives(lambda c: other(c) - alpha(c) * first(c)),
    "x's gradient has its sign flipped": sends(lambda c: -alpha(c) * c.g),
    "Multiplies element by element": gives(lambda c: first(c) * other(c)),
    "each factor's slope is the other factor": where(
        lambda c: np.iscomplexobj(other(c)) == np.iscomplexobj(first(c)),
        sends_each(self=lambda c: c.g * other(c), other=lambda c: c.g * first(c)),
    ),
    "Multiplies by a number": gives(lambda c: first(c) * other(c)),
    "the number is the slope": sends(lambda c: c.g * other(c)),
    "Adds a number": gives(lambda c: first(c) + other(c)),
    "Takes a number away": gives(lambda c: first(c) - other(c)),
    "the gradient goes on unchanged": sends(lambda c: c.g),
    "Flips the sign of every element, and of every gradient": both(gives(lambda c: -c.x), sends(lambda c: -c.g)),
    "Divides element by element": gives(lambda c: first(c) / other(c)),
    "the dividend's gradient is divided by the divisor, and the divisor's slope is minus the quotient over the divisor": sends_each(
        self=lambda c: c.g / other(c), other=lambda c: -c.g * first(c) / other(c) ** 2
    ),
    "Divides by a number": gives(lambda c: first(c) / other(c)),
    "the gradient is divided by it too": sends(lambda c: c.g / other(c)),
    "Divides and rounds, down or toward zero": gives(lambda c: ROUNDED[c["rounding_mode"]](first(c) / other(c))),
    "between two steps it is flat, so the gradient is zero": where(lambda c: c["rounding_mode"] is not None, is_flat),
    "Divides and rounds down": gives(lambda c: np.floor_divide(first(c), other(c))),
    "What is left after dividing, with the divisor's sign": gives(lambda c: np.mod(first(c), other(c))),
    "What is left after dividing by a number, with its sign": gives(lambda c: np.mod(first(c), other(c))),
    "What is left of a number after dividing": gives(lambda c: np.mod(first(c), other(c))),
    "What is left after dividing, with the dividend's sign": gives(lambda c: np.fmod(first(c), other(c))),
    "What is left after dividing by a number, with x's own sign": gives(lambda c: np.fmod(first(c), other(c))),
    "the slope is one between the jumps": sends(lambda c: c.g),
    "x's slope is one, the divisor's minus the whole times it went in": sends_each(
        self=lambda c: c.g, other=lambda c: -c.g * np.round((first(c) - c.result) / other(c))
    ),
    "A copy": gives(lambda c: c.x),
    "the gradient passes through unchanged": sends(lambda c: c.g),
    # powers and roots
    "Raises to a power": gives(lambda c: c.x ** c["exponent"]),
    "the slope is the exponent times the next lower power": sends(
        lambda c: c.g * (c["exponent"] * c.x ** (c["exponent"] - 1.0) if c["exponent"] else 0 * c.x)
    ),
    "Raises each element to its own exponent": gives(lambda c: first(c) ** other(c)),
    "the exponent's slope is the result times the logarithm of the base": where(
        lambda c: np.all(np.real(first(c)) > 0), sends_each(exponent=lambda c: c.g * c.result * np.log(first(c)))
    ),
    "Raises a number to the elements": gives(lambda c: float(first(c)) ** other(c)),
    "the slope is the result times the logarithm of the base": where(
        lambda c: np.real(first(c)) > 0, sends(lambda c: c.g * c.result * np.log(first(c)))
    ),
    "The square root": gives(lambda c: np.sqrt(c.x)),
    "at zero its slope is infinite": lambda c: bool(np.isinf(c.slope(0.0)[0]) and near(c.d, c.g / (2 * np.sqrt(c.x)))),
    "One over the square root": gives(lambda c: 1 / np.sqrt(c.x)),
    "its slope is minus half the result cubed": sends(lambda c: -0.5 * c.g * c.result**3),
    "One over x": gives(lambda c: 1 / c.x),
    "its slope is minus the result squared, steep near zero": both(
        sends(lambda c: -c.g * c.result**2), steep(0.0, 0.5)
    ),
    "The length of the hypotenuse": gives(lambda c: np.hypot(first(c), other(c))),
    "each leg's slope is its part of the direction": sends_each(
        self=lambda c: c.g * first(c) / c.result, other=lambda c: c.g * other(c) / c.result
    ),
    # exponentials and logarithms
    "Grows as fast as it is tall: its slope is its own value": both(
        gives(lambda c: np.exp(c.x)), sends(lambda c: c.g * c.result)
    ),
    "Doubles with every step": gives(lambda c: 2.0**c.x),
    "its slope is its value times ln 2": sends(lambda c: c.g * c.result * np.log(2)),
    "The exponential less one, exact near zero": both(
        gives(lambda c: np.expm1(c.x)), lambda c: near(c.again(self=np.array([1e-12])).result * 1e12, [1.0])
    ),
    "its slope is the exponential": sends(lambda c: c.g * np.exp(c.x)),
    "The natural logarithm": gives(lambda c: np.log(c.x)),
    "its slope is one over what it is given, steep near zero": both(sends(lambda c: c.g / c.x), steep(0.0, 0.5)),
    "The logarithm to base 2": gives(lambda c: np.log2(c.x)),
    "its slope is one over x ln 2": sends(lambda c: c.g / (c.x * np.log(2))),
    "The logarithm to base 10": gives(lambda c: np.log10(c.x)),
    "its slope is one over x ln 10": sends(lambda c: c.g / (c.x * np.log(10))),
    "The logarithm of one more than x, exact near zero": both(
        gives(lambda c: np.log1p(c.x)), lambda c: near(c.again(self=np.array([1e-12])).result * 1e12, [1.0])
    ),
    "its slope is one over (1 + x)": sends(lambda c: c.g / (1 + c.x)),
    "Adds what two logarithms stand for": gives(lambda c: np.logaddexp(first(c), other(c))),
    "Adds what two logarithms to base 2 stand for": gives(lambda c: np.logaddexp2(first(c), other(c))),
    "the larger one gets the larger share of the gradient": lambda c: (
        bool(
            np.all(np.where(first(c) >= other(c), np.abs(c.sent["self"]) >= np.abs(c.sent["other"]) - 1e-12, True))
            and near(c.sent["self"] + c.sent["other"], c.g)
        )
        if np.shape(first(c)) == np.shape(other(c))
        else None
    ),
    "Gives x times the logarithm of y, and zero where x is zero": gives(lambda c: special.xlogy(first(c), other(c))),
    "A number times the logarithm of y": gives(lambda c: special.xlogy(first(c), other(c))),
    "Gives x times the logarithm of a number": gives(lambda c: special.xlogy(first(c), other(c))),
    "that logarithm is the slope": sends(
        lambda c: c.g * (np.log1p(other(c)) if "1p" in c.operator.name else np.log(other(c)))
    ),
    "x's slope is that logarithm, y's is x/y": sends_each(
        self=lambda c: c.g * np.log(other(c)), other=lambda c: c.g * first(c) / other(c)
    ),
    "y's slope is the number over y": sends(lambda c: c.g * first(c) / other(c)),
    "Gives x times the logarithm of one more than y, and zero where x is zero": gives(
        lambda c: special.xlog1py(first(c), other(c))
    ),
    "x's slope is that logarithm, y's is x/(1 + y)": sends_each(
        self=lambda c: c.g * np.log1p(other(c)), other=lambda c: c.g * first(c) / (1 + other(c))
    ),
    "A number times the logarithm of one more than y": gives(lambda c: special.xlog1py(first(c), other(c))),
    "y's slope is the number over (1 + y)": sends(lambda c: c.g * first(c) / (1 + other(c))),
    "Gives x times the logarithm of one more than a number": gives(lambda c: special.xlog1py(first(c), other(c))),
    # angles
    "The sine": gives(lambda c: np.sin(c.x)),
    "its slope is the cosine": sends(lambda c: c.g * np.cos(c.x)),
    "The cosine": gives(lambda c: np.cos(c.x)),
    "its slope is minus the sine": sends(lambda c: -c.g * np.sin(c.x)),
    "The tangent": gives(lambda c: np.tan(c.x)),
    "its slope is one more than its square, steep where the cosine is near zero": both(
        sends(lambda c: c.g * (1 + c.result**2)), steep(np.pi / 2, 1.0)
    ),
    "The angle whose sine is x": gives(lambda c: np.arcsin(c.x)),
    "The angle whose cosine is x": gives(lambda c: np.arccos(c.x)),
    "its slope is infinite at −1 and 1": lambda c: bool(
        np.all(np.isinf(c.slope(-1.0, 1.0))) and near(np.abs(c.d), np.abs(c.g) / np.sqrt(1 - c.x**2))
    ),
    "The angle whose tangent is x": gives(lambda c: np.arctan(c.x)),
    "it flattens out far from zero: its slope is one over (1 + x²)": sends(lambda c: c.g / (1 + c.x**2)),
    "The hyperbolic sine": gives(lambda c: np.sinh(c.x)),
    "its slope is the hyperbolic cosine": sends(lambda c: c.g * np.cosh(c.x)),
    "The hyperbolic cosine": gives(lambda c: np.cosh(c.x)),
    "its slope is the hyperbolic sine": sends(lambda c: c.g * np.sinh(c.x)),
    "Squeezes to between −1 and 1": lambda c: bool(np.all(np.abs(c.result) <= 1) and near(c.result, np.tanh(c.x))),
    "its slope is one minus the result squared, so far from zero it lets hardly any gradient through": both(
        sends(lambda c: c.g * (1 - c.result**2)), lambda c: bool(np.all(np.abs(c.slope(-6.0, 6.0)) < 1e-4))
    ),
    "The inverse of the hyperbolic sine": gives(lambda c: np.arcsinh(c.x)),
    "its slope is one over √(x² + 1)": sends(lambda c: c.g / np.sqrt(c.x**2 + 1)),
    "The inverse of the hyperbolic cosine, from 1 on": gives(lambda c: np.arccosh(c.x)),
    "its slope is one over √(x² − 1)": sends(lambda c: c.g / np.sqrt(c.x**2 - 1)),
    "The inverse of tanh": gives(lambda c: np.arctanh(c.x)),
    "its slope is one over (1 − x²), steep near −1 and 1": both(sends(lambda c: c.g / (1 - c.x**2)), steep(1.0, 0.5)),
    "The angle of the point with this height and the other's breadth, all the way round": gives(
        lambda c: np.arctan2(first(c), other(c))
    ),
    "The sine of πx over πx: one at zero, ripples further out": both(
        gives(lambda c: np.sinc(c.x)), lambda c: near(c.again(self=np.array([0.0, 1.0, 2.0])).result, [1.0, 0.0, 0.0])
    ),
    "Degrees to radians": gives(lambda c: np.deg2rad(c.x)),
    "Radians to degrees": gives(lambda c: np.rad2deg(c.x)),
    "the gradient is scaled by the same factor": lambda c: near(c.d * c.x, c.g * c.result),
    # rounding and signs
    "Rounds down": gives(lambda c: np.floor(c.x)),
    "Rounds up": gives(lambda c: np.ceil(c.x)),
    "Drops the fraction": gives(lambda c: np.trunc(c.x)),
    "between its steps it is flat, so the gradient is zero": is_flat,
    "The fraction alone": gives(lambda c: c.x - np.trunc(c.x)),
    "between its jumps it rises like x": sends(lambda c: c.g),
    "Rounds to the nearest whole number, halves to the even one": gives(lambda c: np.round(c.x)),
    "Rounds to so many decimals": gives(lambda c: np.round(c.x, c["decimals"])),
    "flat in between, so the gradient is zero": is_flat,
    "−1, 0 or 1": gives(lambda c: np.sign(c.x)),
    "flat everywhere but at zero, so the gradient is zero": is_flat,
    "The direction of a complex number, the sign of a real one": gives(lambda c: np.sign(c.x)),
    "of a real number's sign the gradient is zero": is_flat,
    "The distance from zero": gives(lambda c: np.abs(c.x)),
    "the gradient takes x's sign, and at zero it is zero": both(
        sends(lambda c: c.g * np.sign(c.x)), lambda c: near(c.slope(0.0), [0.0])
    ),
    "Gives x with y's sign": gives(lambda c: np.copysign(first(c), other(c))),
    "a flipped sign flips the gradient, and y's size does not matter": sends_each(
        self=lambda c: c.g * np.sign(first(c)) * np.sign(c.result), other=lambda c: 0 * c.g
    ),
    "Gives x with a number's sign": gives(lambda c: np.copysign(first(c), other(c))),
    "a flipped sign flips the gradient": sends(lambda c: c.g * np.sign(first(c)) * np.sign(c.result)),
    "The step from 0 to 1, with `values` at the step": gives(lambda c: np.heaviside(first(c), other(c))),
    "Puts numbers for nan and the infinities": lambda c: near(
        c.result,
        np.nan_to_num(
            c.x,
            nan=c["nan"] or 0.0,
            posinf=c["posinf"],
            neginf=c["neginf"],
        ),
    ),
    "what was replaced gets no gradient": sends(lambda c: np.where(np.isfinite(c.x), c.g, 0)),
    "Splits into a fraction between ½ and 1 (or 0), and a power of two": lambda c: bool(
        near(c.results[0], np.frexp(c.x)[0]) and near(c.results[1], np.frexp(c.x)[1])
    ),
    "the fraction's gradient is divided by that power": sends(lambda c: c.g / 2.0 ** c.results[1]),
    "The nearest representable number on the way to y": gives(lambda c: np.nextafter(first(c), other(c))),
    "The same values": gives(lambda c: c.x),
    "its gradient is one too large, to show which formula was used": sends(lambda c: c.g + 1),
    # of two
    "The larger of two, element by element": gives(lambda c: np.maximum(first(c), other(c))),
    "The smaller of two, element by element": gives(lambda c: np.minimum(first(c), other(c))),
    "it gets the gradient, and equals share it": sends_each(
        self=lambda c: c.g * taken(c, first(c)), other=lambda c: c.g * taken(c, other(c))
    ),
    "The larger of two, a number before nan": lambda c: near(c.result, np.fmax(first(c), other(c))),
    "The smaller of two, a number before nan": lambda c: near(c.result, np.fmin(first(c), other(c))),
    "of equals, the first gets the gradient": lambda c: near(
        c.again(self=np.array([2.0, 1.0]), other=np.array([2.0, 1.0])).sent["self"] * np.sign(c.result.sum() ** 2 + 1),
        c.again(self=np.array([2.0, 1.0]), other=np.array([2.0, 1.0])).g,
    ),
    "A point between two": gives(lambda c: c["self"] + c["weight"] * (c["end"] - c["self"])),
    "each end gets its share of the gradient": sends_each(
        self=lambda c: c.g * (1 - c["weight"]), end=lambda c: c.g * c["weight"]
    ),
    "A point between two, each with its own weight": gives(lambda c: c["self"] + c["weight"] * (c["end"] - c["self"])),
    "the weight's slope is the distance between the ends": sends_each(weight=lambda c: c.g * (c["end"] - c["self"])),
    "Adds a product": gives(lambda c: c["self"] + c["value"] * c["tensor1"] * c["tensor2"]),
    "each factor's slope is the other factor (times `value`)": sends_each(
        tensor1=lambda c: c.g * c["value"] * c["tensor2"], tensor2=lambda c: c.g * c["value"] * c["tensor1"]
    ),
    "Adds a quotient": gives(lambda c: c["self"] + c["value"] * c["tensor1"] / c["tensor2"]),
    "its parts get what a division's get (times `value`)": sends_each(
        tensor1=lambda c: c.g * c["value"] / c["tensor2"],
        tensor2=lambda c: -c.g * c["value"] * c["tensor1"] / c["tensor2"] ** 2,
    ),
    # bounds
    "Keeps x within two bounds": gives(lambda c: np.clip(c.x, *bounds(c))),
    "outside them the gradient stops, exactly on a bound it passes": sends(
        lambda c: c.g * ((c.x >= bounds(c)[0]) & (c.x <= bounds(c)[1]))
    ),
    "on a bound and outside the gradient stops": sends(lambda c: c.g * ((c.x > c["min_val"]) & (c.x < c["max_val"]))),
    "Keeps x within bounds of its own for each element": gives(lambda c: np.clip(c["self"], *bounds(c))),
    "a bound that was taken gets the gradient instead of x": sends_each(
        self=lambda c: c.g * ((c["self"] >= bounds(c)[0]) & (c["self"] <= bounds(c)[1])),
        min=lambda c: c.g * ((c["self"] < bounds(c)[0]) & (bounds(c)[0] < bounds(c)[1])),
        max=lambda c: c.g * ((c["self"] > bounds(c)[1]) | (bounds(c)[0] > bounds(c)[1])),
    ),
    "Keeps x from falling below a bound": gives(lambda c: np.maximum(c.x, c["min"])),
    "below it the gradient stops, exactly on it it passes": sends(lambda c: c.g * (c.x >= c["min"])),
    "Keeps each element from falling below its bound": gives(lambda c: np.maximum(c["self"], c["min"])),
    "where it would, the bound gets the gradient": sends_each(
        self=lambda c: c.g * (c["self"] >= c["min"] if "min" in c.arguments else c["self"] <= c["max"]),
        min=lambda c: c.g * (c["self"] < c["min"]),
        max=lambda c: c.g * (c["self"] > c["max"]),
    ),
    "Keeps x from rising above a bound": gives(lambda c: np.minimum(c.x, c["max"])),
    "above it the gradient stops, exactly on it it passes": sends(lambda c: c.g * (c.x <= c["max"])),
    "Keeps each element from rising above its bound": gives(lambda c: np.minimum(c["self"], c["max"])),
    # comparisons
    **{
        words: compares(compare)
        for words, compare in {
            "Whether they are equal": np.equal,
            "Whether they differ": np.not_equal,
            "Whether x is greater": np.greater,
            "Whether x is greater or equal": np.greater_equal,
            "Whether x is less": np.less,
            "Whether x is less or equal": np.less_equal,
        }.items()
    },
    "a yes or no has no slope": lambda c: bool(c.result.dtype == bool and not np.any(c.in_place())),
}


def taken(call: Call, side: Any) -> Any:
    """1 where a side is the result, a half where both are."""
    equal = first(call) == other(call)
    # Of a result that is wrong nothing may hold.
    chosen = np.broadcast_to(
        side == (np.maximum if call.operator.name == "maximum" else np.minimum)(first(call), other(call)), call.g.shape
    )
    return np.where(equal, 0.5, chosen)


def bounds(call: Call) -> tuple[Any, Any]:
    """The two bounds; infinite where none was given."""
    low = call.arguments.get("min", call.arguments.get("min_val"))
    high = call.arguments.get("max", call.arguments.get("max_val"))
    return (-np.inf if low is None else low), (np.inf if high is None else high)


def grid(call: Call) -> tuple[Any, Any]:
    """Where fake quantization rounds to, and what is no end of the grid."""
    shape = [-1 if dim == call.arguments.get("axis") else 1 for dim in range(call.x.ndim)]
    scale, zero = (
        np.reshape(call[name], shape if "axis" in call.arguments else ()) for name in ("scale", "zero_point")
    )
    place = np.rint(call.x / scale) + zero
    low, high = call["quant_min"], call["quant_max"]
    return (np.clip(place, low, high) - zero) * scale, (place >= low) & (place <= high)


LAWS.update(ONES)
LAWS.update(
    {
        "Rounds to one grid for all elements": gives(lambda call: grid(call)[0]),
        "Rounds each channel to a grid of its own": gives(lambda call: grid(call)[0]),
        "its slope is one, and zero where the grid ends before the value": sends(lambda call: call.g * grid(call)[1]),
    }
)
